
    ALTER TABLE application ADD COLUMN canonical BYTEA;
