
    CREATE TABLE untold (
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        cluster TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        after_id BIGINT NOT NULL,
        PRIMARY KEY (account, runtime, cluster, namespace, name)
    ) WITHOUT ROWID;
