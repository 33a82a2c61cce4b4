
CREATE TABLE accounts (
    account TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    policy_version BIGINT NOT NULL
);
CREATE TABLE users (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts,
    user_id TEXT COLLATE "C" NOT NULL,
    display_name TEXT COLLATE "C" NOT NULL,
    roles TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT,
    deleted_at BIGINT,
    PRIMARY KEY (account, user_id)
);
CREATE TABLE roles (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts,
    role TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    rules TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account, role)
);
CREATE TABLE api_keys (
    account TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL UNIQUE,
    display_name TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    former_digest BYTEA UNIQUE,
    rotated_at BIGINT,
    former_ends_at BIGINT,
    PRIMARY KEY (account, key_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE TABLE join_tokens (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts,
    digest BYTEA NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_by TEXT COLLATE "C",
    PRIMARY KEY (account, digest)
);
CREATE TABLE runtimes (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts,
    runtime_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    identity_key BYTEA NOT NULL,
    sealing_key BYTEA NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    joined_at BIGINT NOT NULL,
    last_seen_at BIGINT,
    revoked_at BIGINT,
    replaced_at BIGINT,
    PRIMARY KEY (account, runtime_id)
);
CREATE UNIQUE INDEX runtimes_by_name ON runtimes (account, name) WHERE replaced_at IS NULL;
CREATE UNIQUE INDEX runtimes_by_key ON runtimes (key_id) WHERE revoked_at IS NULL;
CREATE TABLE heard (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    replica TEXT COLLATE "C" NOT NULL,
    heard_at BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL
);
CREATE TABLE counters (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL
);
CREATE TABLE requests (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts,
    user_id TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (account, user_id, method, request_id)
);
CREATE TABLE audit_heads (
    account TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    first_sequence BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    written_at BIGINT NOT NULL,
    sealed BIGINT NOT NULL,
    unsealed_since BIGINT
);
CREATE TABLE audit (
    account TEXT COLLATE "C" NOT NULL,
    sequence BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    written_at BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    audit_id TEXT COLLATE "C",
    subject TEXT COLLATE "C",
    credential TEXT COLLATE "C",
    method TEXT COLLATE "C",
    permission TEXT COLLATE "C",
    runtime TEXT COLLATE "C",
    target TEXT COLLATE "C",
    request_id TEXT COLLATE "C",
    trace_id TEXT COLLATE "C",
    source_address TEXT COLLATE "C",
    closes BIGINT,
    outcome BIGINT,
    code BIGINT,
    message TEXT COLLATE "C",
    denied BIGINT,
    seal BYTEA,
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
    audit_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL,
    sequence BIGINT NOT NULL,
    written_at BIGINT NOT NULL
);
CREATE INDEX audit_open_by_time ON audit_open (written_at);
CREATE INDEX audit_open_by_place ON audit_open (account, sequence);
