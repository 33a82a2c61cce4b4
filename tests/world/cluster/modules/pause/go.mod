module causeway.example/cluster/pause

go 1.26.0
