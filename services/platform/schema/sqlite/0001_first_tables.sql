
CREATE TABLE accounts (
    account TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    policy_version BIGINT NOT NULL
);
CREATE TABLE users (
    account TEXT NOT NULL REFERENCES accounts,
    user_id TEXT NOT NULL,
    display_name TEXT NOT NULL,
    roles TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT,
    deleted_at BIGINT,
    PRIMARY KEY (account, user_id)
);
CREATE TABLE roles (
    account TEXT NOT NULL REFERENCES accounts,
    role TEXT NOT NULL,
    description TEXT NOT NULL,
    rules TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account, role)
);
CREATE TABLE api_keys (
    account TEXT NOT NULL,
    key_id TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    role TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    former_digest BLOB UNIQUE,
    rotated_at BIGINT,
    former_ends_at BIGINT,
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
CREATE TABLE heard (
    name TEXT NOT NULL PRIMARY KEY,
    replica TEXT NOT NULL,
    heard_at BIGINT NOT NULL,
    body TEXT NOT NULL
);
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
CREATE TABLE audit_heads (
    account TEXT NOT NULL PRIMARY KEY,
    first_sequence BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    hash BLOB NOT NULL,
    written_at BIGINT NOT NULL,
    sealed BIGINT NOT NULL,
    unsealed_since BIGINT
);
CREATE TABLE audit (
    account TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    written_at BIGINT NOT NULL,
    hash BLOB NOT NULL,
    audit_id TEXT,
    subject TEXT,
    credential TEXT,
    method TEXT,
    permission TEXT,
    runtime TEXT,
    target TEXT,
    request_id TEXT,
    trace_id TEXT,
    source_address TEXT,
    closes BIGINT,
    outcome BIGINT,
    code BIGINT,
    message TEXT,
    denied BIGINT,
    seal BLOB,
    PRIMARY KEY (account, sequence)
);
CREATE UNIQUE INDEX audit_by_id ON audit (audit_id) WHERE subject IS NOT NULL;
CREATE UNIQUE INDEX audit_by_closed ON audit (account, closes) WHERE closes IS NOT NULL;
CREATE INDEX audit_by_time ON audit (account, written_at, sequence);
CREATE INDEX audit_by_subject ON audit (account, subject, sequence) WHERE subject IS NOT NULL;
CREATE INDEX audit_by_method ON audit (account, method, sequence) WHERE method IS NOT NULL;
CREATE INDEX audit_by_runtime ON audit (account, runtime, sequence) WHERE runtime IS NOT NULL;
CREATE INDEX audit_by_target ON audit (account, target, sequence) WHERE target IS NOT NULL;
CREATE INDEX audit_by_request ON audit (account, request_id, sequence) WHERE request_id IS NOT NULL;
CREATE INDEX audit_by_outcome ON audit (account, outcome, closes) WHERE outcome IS NOT NULL;
CREATE INDEX audit_by_denial ON audit (account, closes) WHERE denied = 1;
CREATE INDEX audit_by_seal ON audit (account, sequence) WHERE seal IS NOT NULL;
CREATE TABLE audit_open (
    audit_id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    written_at BIGINT NOT NULL
);
CREATE INDEX audit_open_by_time ON audit_open (written_at);
CREATE INDEX audit_open_by_place ON audit_open (account, sequence);
