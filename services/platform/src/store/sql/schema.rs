//! The tables, one migration after the other. A migration that was released never changes.

use causeway_database::Migration;

/// All of them in their order.
pub(super) const MIGRATIONS: [Migration; 1] = [Migration {
    what: "first tables",
    sql: FIRST_TABLES,
}];

const FIRST_TABLES: &str = "
CREATE TABLE accounts (
    account TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL
);
CREATE TABLE users (
    account TEXT NOT NULL REFERENCES accounts,
    user_id TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, user_id)
);
CREATE TABLE api_keys (
    account TEXT NOT NULL,
    key_id TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    PRIMARY KEY (account, key_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE TABLE join_tokens (
    account TEXT NOT NULL REFERENCES accounts,
    digest BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
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
    joined_at BIGINT NOT NULL,
    last_seen_at BIGINT,
    revoked_at BIGINT,
    replaced_at BIGINT,
    PRIMARY KEY (account, runtime_id)
);
CREATE UNIQUE INDEX runtimes_by_name ON runtimes (account, name) WHERE replaced_at IS NULL;
CREATE UNIQUE INDEX runtimes_by_key ON runtimes (key_id) WHERE revoked_at IS NULL;
CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL
);
CREATE TABLE requests (
    account TEXT NOT NULL REFERENCES accounts,
    user_id TEXT NOT NULL,
    method TEXT NOT NULL,
    request_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    outcome TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (account, user_id, method, request_id)
);
CREATE TABLE audit (
    account TEXT NOT NULL,
    audit_id BLOB NOT NULL UNIQUE,
    intended_at BIGINT NOT NULL,
    subject TEXT NOT NULL,
    method TEXT NOT NULL,
    runtime TEXT NOT NULL,
    target TEXT NOT NULL,
    request_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    source_address TEXT NOT NULL,
    denied BOOLEAN NOT NULL,
    ended_at BIGINT,
    outcome BIGINT,
    code BIGINT,
    message TEXT,
    PRIMARY KEY (account, audit_id)
) WITHOUT ROWID;
CREATE INDEX audit_open ON audit (intended_at) WHERE ended_at IS NULL;
";
