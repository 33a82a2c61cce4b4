
    CREATE TABLE story (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        cluster TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        runtime_name TEXT NOT NULL,
        project TEXT NOT NULL,
        labels TEXT NOT NULL,
        ended_at BIGINT NOT NULL DEFAULT 0,
        thinned_to BIGINT NOT NULL DEFAULT 0
    );
    CREATE UNIQUE INDEX story_place ON story (account, runtime, cluster, namespace, name);
    CREATE INDEX story_named ON story (account, runtime_name, namespace, name, cluster);
    CREATE TABLE history (
        story BIGINT NOT NULL,
        received_at BIGINT NOT NULL,
        change BIGINT NOT NULL,
        resource_version BIGINT NOT NULL,
        facts BIGINT NOT NULL,
        revisions TEXT NOT NULL,
        uid TEXT NOT NULL,
        root_digest BLOB NOT NULL,
        content BLOB NOT NULL
    );
    CREATE UNIQUE INDEX history_moment ON history (story, received_at, change);
    ALTER TABLE application ADD COLUMN story BIGINT;
    ALTER TABLE application ADD COLUMN patches BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE application ADD COLUMN operation_ended BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE manifest ADD COLUMN unused_since BIGINT;
    ALTER TABLE store ADD COLUMN history_begun BIGINT NOT NULL DEFAULT 0;
