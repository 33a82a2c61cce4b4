
    CREATE TABLE deployment (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        runtime_name TEXT NOT NULL,
        cluster TEXT NOT NULL,
        uid TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        project TEXT NOT NULL,
        labels TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        mark TEXT NOT NULL,
        phase BIGINT NOT NULL,
        recorded_at BIGINT NOT NULL,
        content BLOB NOT NULL,
        git_commit BLOB NOT NULL,
        UNIQUE (account, runtime, cluster, uid, started_at, mark)
    );
    CREATE INDEX deployment_started ON deployment (account, started_at, id);
    CREATE INDEX deployment_named ON deployment (account, name, namespace, started_at, id);
    CREATE INDEX deployment_recorded ON deployment (recorded_at);
