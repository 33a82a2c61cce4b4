
    ALTER TABLE application ADD COLUMN source BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE store ADD COLUMN labels_indexed BIGINT NOT NULL DEFAULT 0;
    DROP INDEX application_key;
    DROP INDEX application_project;
    DROP INDEX application_namespace;
    DROP INDEX application_named;
    CREATE INDEX application_key ON application (account, runtime_name, namespace, name, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_named ON application (account, name, runtime_name, namespace, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_namespace ON application (account, namespace, runtime_name, name, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_project ON application (account, project, runtime_name, namespace, name, cluster, runtime, sync, health, source) WHERE deleted = 0;
    CREATE INDEX application_sync ON application (account, sync, runtime_name, namespace, name, cluster, runtime, project, health, source) WHERE deleted = 0;
    CREATE INDEX application_health ON application (account, health, runtime_name, namespace, name, cluster, runtime, project, sync, source) WHERE deleted = 0;
    CREATE INDEX application_recent ON application (account, change, runtime_name, namespace, name, cluster, runtime, project, sync, health, source) WHERE deleted = 0;
    CREATE TABLE application_label (
        of_account TEXT NOT NULL,
        label TEXT NOT NULL,
        value TEXT NOT NULL,
        at_runtime TEXT NOT NULL,
        at_namespace TEXT NOT NULL,
        at_name TEXT NOT NULL,
        at_cluster TEXT NOT NULL,
        at_id TEXT NOT NULL,
        application_id BIGINT NOT NULL,
        PRIMARY KEY (of_account, label, value, at_runtime, at_namespace, at_name, at_cluster, at_id, application_id)
    ) WITHOUT ROWID;
    CREATE INDEX application_label_of ON application_label (application_id, label, value);
