
    CREATE TABLE store (
        only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
        incarnation BIGINT NOT NULL
    );
    CREATE TABLE account (
        account TEXT NOT NULL PRIMARY KEY,
        latest_change BIGINT NOT NULL DEFAULT 0,
        forgotten_change BIGINT NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE epoch (
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        kind TEXT NOT NULL,
        cluster TEXT NOT NULL,
        number BIGINT NOT NULL,
        PRIMARY KEY (account, runtime, kind, cluster)
    ) WITHOUT ROWID;
    CREATE TABLE application (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        runtime_name TEXT NOT NULL,
        cluster TEXT NOT NULL,
        uid TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        resource_version BIGINT NOT NULL,
        epoch BIGINT NOT NULL,
        sequence BIGINT NOT NULL,
        deleted BIGINT NOT NULL,
        change BIGINT,
        received_at BIGINT NOT NULL,
        project TEXT NOT NULL,
        labels TEXT NOT NULL,
        past TEXT NOT NULL,
        sync BIGINT NOT NULL,
        health BIGINT NOT NULL,
        root_digest BLOB NOT NULL,
        manifests BLOB NOT NULL,
        basic BLOB NOT NULL,
        detail BLOB NOT NULL
    );
    CREATE UNIQUE INDEX application_uid ON application (account, runtime, cluster, uid);
    CREATE UNIQUE INDEX application_name ON application (account, runtime, cluster, namespace, name) WHERE deleted = 0;
    CREATE INDEX application_key ON application (account, runtime_name, namespace, name, cluster, runtime, project, labels /* SQLite */) WHERE deleted = 0;
    CREATE INDEX application_project ON application (account, project, runtime_name, namespace, name, cluster, runtime) WHERE deleted = 0;
    CREATE INDEX application_namespace ON application (account, namespace, runtime_name, name, cluster, runtime) WHERE deleted = 0;
    CREATE INDEX application_named ON application (account, name, runtime_name, namespace, cluster, runtime) WHERE deleted = 0;
    CREATE UNIQUE INDEX application_change ON application (account, change);
    CREATE INDEX application_gone ON application (received_at) WHERE deleted = 1;
    CREATE TABLE manifest (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        digest BLOB NOT NULL,
        stored_at BIGINT NOT NULL,
        content BLOB NOT NULL,
        UNIQUE (account, digest)
    );
    CREATE INDEX manifest_stored ON manifest (stored_at);
