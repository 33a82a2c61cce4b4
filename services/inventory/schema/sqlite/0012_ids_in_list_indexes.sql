
    /* PostgreSQL:
    DROP INDEX application_key;
    DROP INDEX application_named;
    DROP INDEX application_namespace;
    DROP INDEX application_project;
    DROP INDEX application_sync;
    DROP INDEX application_health;
    DROP INDEX application_recent;
    CREATE INDEX application_key ON application (account, runtime_name, namespace, name, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_named ON application (account, name, runtime_name, namespace, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_namespace ON application (account, namespace, runtime_name, name, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_project ON application (account, project, runtime_name, namespace, name, cluster, runtime, sync, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_sync ON application (account, sync, runtime_name, namespace, name, cluster, runtime, project, health, source, id) WHERE deleted = 0;
    CREATE INDEX application_health ON application (account, health, runtime_name, namespace, name, cluster, runtime, project, sync, source, id) WHERE deleted = 0;
    CREATE INDEX application_recent ON application (account, change, runtime_name, namespace, name, cluster, runtime, project, sync, health, source, id) WHERE deleted = 0;
    :PostgreSQL */
