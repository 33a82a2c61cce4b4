//! The tables, one migration after the other. A migration that was released never changes.

use sqlx::{
    SqlStr,
    migrate::{Migration, MigrationType, Migrator},
};

const MIGRATIONS: [(&str, &str); 1] = [("first tables", FIRST_TABLES)];

const FIRST_TABLES: &str = "
CREATE TABLE accounts (
    account TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
);
CREATE TABLE users (
    account TEXT NOT NULL REFERENCES accounts,
    user TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, user)
);
CREATE TABLE api_keys (
    account TEXT NOT NULL,
    key_id TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    user TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER,
    PRIMARY KEY (account, key_id),
    FOREIGN KEY (account, user) REFERENCES users
);
CREATE TABLE join_tokens (
    account TEXT NOT NULL REFERENCES accounts,
    digest BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_by TEXT,
    PRIMARY KEY (account, digest)
);
CREATE TABLE runtimes (
    account TEXT NOT NULL REFERENCES accounts,
    runtime_id TEXT NOT NULL,
    name TEXT NOT NULL,
    key_id TEXT NOT NULL,
    identity_key BLOB NOT NULL,
    sealing_key BLOB NOT NULL,
    version TEXT NOT NULL,
    joined_at INTEGER NOT NULL,
    last_seen_at INTEGER,
    revoked_at INTEGER,
    replaced_at INTEGER,
    PRIMARY KEY (account, runtime_id)
);
CREATE UNIQUE INDEX runtimes_by_name ON runtimes (account, name) WHERE replaced_at IS NULL;
CREATE UNIQUE INDEX runtimes_by_key ON runtimes (key_id) WHERE revoked_at IS NULL;
CREATE TABLE requests (
    account TEXT NOT NULL REFERENCES accounts,
    user TEXT NOT NULL,
    method TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    outcome TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (account, user, method, request_id)
);
CREATE TABLE audit (
    account TEXT NOT NULL,
    audit_id BLOB NOT NULL UNIQUE,
    intended_at INTEGER NOT NULL,
    subject TEXT NOT NULL,
    method TEXT NOT NULL,
    runtime TEXT NOT NULL,
    target TEXT NOT NULL,
    request_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    source_address TEXT NOT NULL,
    denied INTEGER NOT NULL,
    ended_at INTEGER,
    outcome INTEGER,
    code INTEGER,
    message TEXT,
    PRIMARY KEY (account, audit_id)
) WITHOUT ROWID;
CREATE INDEX audit_open ON audit (intended_at) WHERE ended_at IS NULL;
";

/// All migrations in their order.
pub(super) fn migrator() -> Migrator {
    let migrations = MIGRATIONS.into_iter().zip(1..);
    let migrations = migrations.map(|((what, sql), version)| {
        let sql = SqlStr::from_static(sql);
        Migration::new(version, what.into(), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(migrations.collect())
}
