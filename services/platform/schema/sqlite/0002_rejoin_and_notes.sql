
ALTER TABLE join_tokens ADD COLUMN rejoins TEXT;
CREATE TABLE notes (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
