
CREATE TABLE identity_providers (
    account TEXT COLLATE "C" NOT NULL REFERENCES accounts,
    provider TEXT COLLATE "C" NOT NULL,
    issuer TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    secret BYTEA,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, provider)
);
CREATE TABLE identities (
    account TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    link TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    user_id TEXT COLLATE "C" NOT NULL,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (account, provider, link),
    FOREIGN KEY (account, provider) REFERENCES identity_providers,
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE INDEX identities_by_user ON identities (account, user_id);
CREATE TABLE service_accounts (
    account TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    trust TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account, user_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE TABLE sessions (
    account TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL UNIQUE,
    user_id TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C",
    identity TEXT COLLATE "C" NOT NULL,
    group_names TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    source_address TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account, session_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE INDEX sessions_by_user ON sessions (account, user_id, created_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE TABLE throttles (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    full_at BIGINT NOT NULL
);
