
    ALTER TABLE store ADD COLUMN roster BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN runtime_name TEXT COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE epoch ADD COLUMN roster BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN departures BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN moved_instance TEXT COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE epoch ADD COLUMN moved_kind BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN moved_at BIGINT NOT NULL DEFAULT 0;
    CREATE INDEX epoch_roster ON epoch (roster);
    CREATE INDEX epoch_runtime_name ON epoch (account, runtime_name, kind, cluster);
    CREATE TABLE seat (
        number BIGINT NOT NULL PRIMARY KEY,
        account TEXT COLLATE "C" NOT NULL,
        runtime TEXT COLLATE "C" NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        cluster TEXT COLLATE "C" NOT NULL,
        instance TEXT COLLATE "C" NOT NULL,
        epoch BIGINT NOT NULL,
        restored BOOLEAN NOT NULL,
        replica TEXT COLLATE "C" NOT NULL,
        reporter_version TEXT COLLATE "C" NOT NULL,
        since BIGINT NOT NULL,
        heard_at BIGINT NOT NULL,
        patience BIGINT NOT NULL,
        UNIQUE (account, runtime, kind, cluster, instance)
    );
