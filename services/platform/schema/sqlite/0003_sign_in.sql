
CREATE TABLE identity_providers (
    account TEXT NOT NULL REFERENCES accounts,
    provider TEXT NOT NULL,
    issuer TEXT NOT NULL,
    settings TEXT NOT NULL,
    secret BLOB,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, provider)
);
CREATE TABLE identities (
    account TEXT NOT NULL,
    provider TEXT NOT NULL,
    link TEXT NOT NULL,
    name TEXT,
    user_id TEXT NOT NULL,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (account, provider, link),
    FOREIGN KEY (account, provider) REFERENCES identity_providers,
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE INDEX identities_by_user ON identities (account, user_id);
CREATE TABLE service_accounts (
    account TEXT NOT NULL,
    user_id TEXT NOT NULL,
    trust TEXT NOT NULL,
    PRIMARY KEY (account, user_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE TABLE sessions (
    account TEXT NOT NULL,
    session_id TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    provider TEXT,
    identity TEXT NOT NULL,
    group_names TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    source_address TEXT NOT NULL,
    PRIMARY KEY (account, session_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE INDEX sessions_by_user ON sessions (account, user_id, created_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE TABLE throttles (
    name TEXT NOT NULL PRIMARY KEY,
    full_at BIGINT NOT NULL
);
