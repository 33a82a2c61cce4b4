CREATE TABLE preferences (
    account TEXT NOT NULL,
    user_id TEXT NOT NULL,
    content TEXT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (account, user_id),
    FOREIGN KEY (account, user_id) REFERENCES users
);
CREATE TABLE saved_views (
    account TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    page TEXT NOT NULL,
    query TEXT NOT NULL,
    roles TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (account, user_id, name),
    FOREIGN KEY (account, user_id) REFERENCES users
);
