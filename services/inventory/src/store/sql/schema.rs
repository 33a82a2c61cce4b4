//! The tables. A database of a newer version is never touched.

use causeway_database::{Database, Error, Migration, query};

use crate::page_key::PageKey;

/// All steps in their order.
pub(super) const MIGRATIONS: [Migration; 15] = [
    Migration {
        what: "first tables",
        sql: FIRST_TABLES,
    },
    Migration {
        what: "orders, states and labels of lists",
        sql: LISTS,
    },
    Migration {
        what: "states as their reporters encoded them",
        sql: CANONICAL,
    },
    Migration {
        what: "seats of reporters",
        sql: SEATS,
    },
    Migration {
        what: "resources, events and images",
        sql: RESOURCES,
    },
    Migration {
        what: "history",
        sql: HISTORY,
    },
    Migration {
        what: "operations that have ended",
        sql: DEPLOYMENTS,
    },
    Migration {
        what: "stamps of images",
        sql: STAMPS,
    },
    Migration {
        what: "upkeep beside the writer",
        sql: UPKEEP,
    },
    Migration {
        what: "clusters that were put back",
        sql: "ALTER TABLE epoch ADD COLUMN restored BIGINT NOT NULL DEFAULT 0;",
    },
    Migration {
        what: "applications of whose changes not all is told",
        sql: UNTOLD,
    },
    Migration {
        what: "ids in the indexes of lists",
        sql: IDS,
    },
    Migration {
        what: "stamps of revisions",
        sql: "ALTER TABLE application ADD COLUMN revised BIGINT NOT NULL DEFAULT 0;",
    },
    Migration {
        what: "the key of page tokens",
        sql: "ALTER TABLE store ADD COLUMN page_key TEXT NOT NULL DEFAULT '';",
    },
    Migration {
        what: "events of an account by their time",
        sql: "CREATE INDEX event_newest ON event (account, last_seen, id);",
    },
];

const FIRST_TABLES: &str = "
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
        id IDENTITY PRIMARY KEY,
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
        id IDENTITY PRIMARY KEY,
        account TEXT NOT NULL,
        digest BLOB NOT NULL,
        stored_at BIGINT NOT NULL,
        content BLOB NOT NULL,
        UNIQUE (account, digest)
    );
    CREATE INDEX manifest_stored ON manifest (stored_at);
";

/// Each index has the columns of one order and then all that a list asks for, so that what does not match costs no look at its row.
const LISTS: &str = "
    ALTER TABLE application ADD COLUMN source BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE store ADD COLUMN labels_indexed BIGINT NOT NULL DEFAULT 0;
    DROP INDEX application_key;
    DROP INDEX application_project;
    DROP INDEX application_namespace;
    DROP INDEX application_named;
    CREATE INDEX application_key ON application (account, runtime_name, namespace, name, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_named ON application (account, name, runtime_name, namespace, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_namespace ON application (account, namespace, runtime_name, name, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_project ON application (account, project, runtime_name, namespace, name, cluster, runtime, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_sync ON application (account, sync, runtime_name, namespace, name, cluster, runtime, project, health, source) WHERE deleted = 0;
    CREATE INDEX application_health ON application (account, health, runtime_name, namespace, name, cluster, runtime, project, sync, source) WHERE deleted = 0;
    CREATE INDEX application_recent ON application (account, change, runtime_name, namespace, name, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE TABLE application_label (
        of_account TEXT NOT NULL,
        label TEXT NOT NULL,
        value TEXT NOT NULL,
        at_runtime TEXT NOT NULL,
        at_namespace TEXT NOT NULL,
        at_name TEXT NOT NULL,
        at_cluster TEXT NOT NULL,
        at_id TEXT NOT NULL,
        application_id BIGINT NOT NULL,
        PRIMARY KEY (of_account, label, value, at_runtime, at_namespace, at_name, at_cluster, at_id, application_id)
    ) WITHOUT ROWID;
    CREATE INDEX application_label_of ON application_label (application_id, label, value);
";

/// Compressed; nothing of what an older version kept, until it changes.
const CANONICAL: &str = "
    ALTER TABLE application ADD COLUMN canonical BLOB;
";

/// A roster is a row of `epoch`, since both belong to a scope and change together. What changes is numbered by `store.roster`. No
/// index has `heard_at`, which changes all the time.
const SEATS: &str = "
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
";

const RESOURCES: &str = "
    CREATE TABLE resource (
        id IDENTITY PRIMARY KEY,
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
        id IDENTITY PRIMARY KEY,
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
        id IDENTITY PRIMARY KEY,
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
";

/// A history is that of a place; its rows name it by its number alone, so that they are short, and every question for them goes by
/// the row of the place, which names the account. `encode_facts` are kind, weight, sync, health and phase, as `chronicle.rs` reads them.
const HISTORY: &str = "
    CREATE TABLE story (
        id IDENTITY PRIMARY KEY,
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
";

const DEPLOYMENTS: &str = "
    CREATE TABLE deployment (
        id IDENTITY PRIMARY KEY,
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
";

/// Of what is said of an object's images, so that it is written where it changes alone.
const STAMPS: &str = "
    ALTER TABLE application ADD COLUMN images BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE resource ADD COLUMN images BIGINT NOT NULL DEFAULT 0;
";

/// What is unused, and what may be, is found without a look at all manifests. How often a history was made thin tells whether what
/// was found of it still is so.
const UPKEEP: &str = "
    CREATE INDEX manifest_used ON manifest (id, account, digest) WHERE unused_since IS NULL;
    CREATE INDEX manifest_unused ON manifest (unused_since, id, account, digest) WHERE unused_since IS NOT NULL;
    DROP INDEX manifest_stored;
    ALTER TABLE story ADD COLUMN thinnings BIGINT NOT NULL DEFAULT 0;
";

/// Resources with higher numbers than `after_id` are still to be told of what has become of their application.
const UNTOLD: &str = "
    CREATE TABLE untold (
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        cluster TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        after_id BIGINT NOT NULL,
        PRIMARY KEY (account, runtime, cluster, namespace, name)
    ) WITHOUT ROWID;
";

/// SQLite has the id of its row in each entry of an index, and a server only where it is a column. With it, a list that looks at many
/// applications reads no row but those that it tells of.
const IDS: &str = "
    /* PostgreSQL:
    DROP INDEX application_key;
    DROP INDEX application_named;
    DROP INDEX application_namespace;
    DROP INDEX application_project;
    DROP INDEX application_sync;
    DROP INDEX application_health;
    DROP INDEX application_recent;
    CREATE INDEX application_key ON application (account, runtime_name, namespace, name, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_named ON application (account, name, runtime_name, namespace, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_namespace ON application (account, namespace, runtime_name, name, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_project ON application (account, project, runtime_name, namespace, name, cluster, runtime, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_sync ON application (account, sync, runtime_name, namespace, name, cluster, runtime, project, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_health ON application (account, health, runtime_name, namespace, name, cluster, runtime, project, sync, source, id) WHERE deleted = 0;
    CREATE INDEX application_recent ON application (account, change, runtime_name, namespace, name, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    :PostgreSQL */
";

/// The random number that the database was made with; the first one that asks makes it.
pub(super) async fn incarnation(database: &Database) -> Result<u64, Error> {
    let mut transaction = database.begin().await?;
    query("INSERT INTO store (only_row, incarnation) VALUES (1, $1) ON CONFLICT DO NOTHING")
        .bind(rand::random::<i64>())
        .execute(&mut transaction)
        .await?;
    let row = query("SELECT incarnation FROM store").fetch_one(&mut transaction);
    let number: i64 = row.await?.try_get(0)?;
    transaction.commit().await?;
    Ok(number.cast_unsigned())
}

/// What seals page tokens; the first one that asks makes it. Nothing where the database has a text that is no key.
pub(super) async fn page_key(database: &Database) -> Result<Option<PageKey>, Error> {
    let mut transaction = database.begin().await?;
    query("UPDATE store SET page_key = $1 WHERE page_key = ''")
        .bind(PageKey::generate())
        .execute(&mut transaction)
        .await?;
    let row = query("SELECT page_key FROM store").fetch_one(&mut transaction);
    let text: String = row.await?.try_get(0)?;
    transaction.commit().await?;
    Ok(PageKey::from_text(&text))
}
