module causeway.example/cluster/parent

go 1.25.0
