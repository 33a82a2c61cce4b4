ALTER TABLE manifest ADD COLUMN runtime TEXT NOT NULL DEFAULT '';
CREATE INDEX manifest_runtime ON manifest (account, runtime);