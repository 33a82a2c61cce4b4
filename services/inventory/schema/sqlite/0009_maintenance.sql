
    CREATE INDEX manifest_used ON manifest (id, account, digest) WHERE unused_since IS NULL;
    CREATE INDEX manifest_unused ON manifest (unused_since, id, account, digest) WHERE unused_since IS NOT NULL;
    DROP INDEX manifest_stored;
    ALTER TABLE story ADD COLUMN thinnings BIGINT NOT NULL DEFAULT 0;
