
    CREATE TABLE untold (
        account TEXT COLLATE "C" NOT NULL,
        runtime TEXT COLLATE "C" NOT NULL,
        cluster TEXT COLLATE "C" NOT NULL,
        namespace TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        after_id BIGINT NOT NULL,
        PRIMARY KEY (account, runtime, cluster, namespace, name)
    );
