
    ALTER TABLE application ADD COLUMN canonical BLOB;
