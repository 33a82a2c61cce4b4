
    ALTER TABLE store ADD COLUMN roster BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN runtime_name TEXT NOT NULL DEFAULT '';
    ALTER TABLE epoch ADD COLUMN roster BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN departures BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN moved_instance TEXT NOT NULL DEFAULT '';
    ALTER TABLE epoch ADD COLUMN moved_kind BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE epoch ADD COLUMN moved_at BIGINT NOT NULL DEFAULT 0;
    CREATE INDEX epoch_roster ON epoch (roster);
    CREATE INDEX epoch_runtime_name ON epoch (account, runtime_name, kind, cluster);
    CREATE TABLE seat (
        number BIGINT NOT NULL PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        kind TEXT NOT NULL,
        cluster TEXT NOT NULL,
        instance TEXT NOT NULL,
        epoch BIGINT NOT NULL,
        restored BOOLEAN NOT NULL,
        replica TEXT NOT NULL,
        reporter_version TEXT NOT NULL,
        since BIGINT NOT NULL,
        heard_at BIGINT NOT NULL,
        patience BIGINT NOT NULL,
        UNIQUE (account, runtime, kind, cluster, instance)
    ) WITHOUT ROWID;
