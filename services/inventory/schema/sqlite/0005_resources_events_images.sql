
    CREATE TABLE resource (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        runtime_name TEXT NOT NULL,
        cluster TEXT NOT NULL,
        resource TEXT NOT NULL,
        uid TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        resource_version BIGINT NOT NULL,
        epoch BIGINT NOT NULL,
        sequence BIGINT NOT NULL,
        deleted BIGINT NOT NULL,
        change BIGINT,
        received_at BIGINT NOT NULL,
        at_cluster TEXT NOT NULL,
        at_namespace TEXT NOT NULL,
        at_name TEXT NOT NULL,
        belongs TEXT NOT NULL,
        past TEXT NOT NULL,
        labels TEXT NOT NULL,
        health BIGINT NOT NULL,
        root_digest BLOB NOT NULL,
        manifest BLOB NOT NULL,
        basic BLOB NOT NULL,
        detail BLOB NOT NULL
    );
    CREATE UNIQUE INDEX resource_uid ON resource (account, runtime, cluster, resource, uid);
    CREATE UNIQUE INDEX resource_name ON resource (account, runtime, cluster, resource, namespace, name) WHERE deleted = 0;
    CREATE INDEX resource_key ON resource (account, runtime_name, cluster, resource, namespace, name, runtime) WHERE deleted = 0;
    CREATE INDEX resource_kind ON resource (account, resource, runtime_name, cluster, namespace, name, runtime) WHERE deleted = 0;
    CREATE INDEX resource_named ON resource (account, name) WHERE deleted = 0;
    CREATE INDEX resource_of ON resource (account, at_name, at_namespace) WHERE deleted = 0;
    CREATE UNIQUE INDEX resource_change ON resource (account, change);
    CREATE INDEX resource_gone ON resource (received_at) WHERE deleted = 1;
    CREATE TABLE event (
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
        received_at BIGINT NOT NULL,
        at_cluster TEXT NOT NULL,
        at_namespace TEXT NOT NULL,
        at_name TEXT NOT NULL,
        object_kind TEXT NOT NULL,
        object_namespace TEXT NOT NULL,
        object_name TEXT NOT NULL,
        last_seen BIGINT NOT NULL,
        root_digest BLOB NOT NULL,
        content BLOB NOT NULL
    );
    CREATE UNIQUE INDEX event_uid ON event (account, runtime, cluster, uid);
    CREATE INDEX event_object ON event (account, object_name, object_namespace, last_seen);
    CREATE INDEX event_of ON event (account, at_name, at_namespace, last_seen);
    CREATE INDEX event_recent ON event (account, received_at);
    CREATE INDEX event_old ON event (received_at);
    CREATE TABLE image (
        id INTEGER PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        cluster TEXT NOT NULL,
        uid TEXT NOT NULL,
        at_cluster TEXT NOT NULL,
        at_namespace TEXT NOT NULL,
        at_name TEXT NOT NULL,
        repository TEXT NOT NULL,
        tag TEXT NOT NULL,
        digest TEXT NOT NULL
    );
    CREATE UNIQUE INDEX image_said ON image (account, runtime, cluster, uid, repository, tag, digest);
    CREATE INDEX image_place ON image (account, repository, tag, digest, runtime, at_cluster, at_namespace, at_name);
    CREATE INDEX image_of ON image (account, at_name, at_namespace);
