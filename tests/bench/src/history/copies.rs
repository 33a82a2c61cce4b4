//! More of what there is: the rows of histories once more, under other names. They are those that were written, only not committed one
//! by one, so that ten million of them take minutes.

use std::path::Path;

use causeway_database::DatabaseArgs;
use sqlx::{
    ConnectOptions as _, Connection as _, PgConnection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};

const STRIDE: &str = "SELECT max(id) FROM story";
const STORIES: &str = "INSERT INTO story (id, account, runtime, cluster, namespace, name, runtime_name, project, labels, ended_at, thinned_to)
    SELECT id + $1 * $2, account, runtime, cluster, namespace, name || '-' || $1, runtime_name, project, labels, ended_at, thinned_to
    FROM story WHERE id <= $2";
const ENTRIES: &str = "INSERT INTO history (story, received_at, change, resource_version, facts, revisions, uid, root_digest, content)
    SELECT story + $1 * $2, received_at, change, resource_version, facts, revisions, uid, root_digest, content
    FROM history WHERE story <= $2 ORDER BY story, received_at, change";

/// What an application is called in a copy; the first is itself.
pub(super) fn name(name: &str, copy: usize) -> String {
    match copy {
        0 => name.to_owned(),
        copy => format!("{name}-{copy}"),
    }
}

/// Puts so many copies of all histories beside them.
pub(super) async fn make(
    database: &DatabaseArgs,
    folder: &Path,
    copies: usize,
) -> anyhow::Result<()> {
    let copies = i64::try_from(copies)?;
    if copies == 0 {
        return Ok(());
    }
    match &database.database {
        Some(url) => in_server(&mut PgConnection::connect(url).await?, copies).await,
        None => {
            let options = SqliteConnectOptions::new()
                .filename(folder.join("inventory.db"))
                .journal_mode(SqliteJournalMode::Wal);
            in_file(&mut options.connect().await?, copies).await
        }
    }
}

async fn in_server(server: &mut PgConnection, copies: i64) -> anyhow::Result<()> {
    sqlx::query("SET search_path TO inventory")
        .execute(&mut *server)
        .await?;
    let stride: i64 = sqlx::query_scalar(STRIDE).fetch_one(&mut *server).await?;
    for copy in 1..=copies {
        for statement in [STORIES, ENTRIES] {
            let copied = sqlx::query(statement).bind(copy).bind(stride);
            copied.execute(&mut *server).await?;
        }
    }
    sqlx::query("VACUUM (ANALYZE) story, history")
        .execute(server)
        .await?;
    Ok(())
}

async fn in_file(file: &mut SqliteConnection, copies: i64) -> anyhow::Result<()> {
    let stride: i64 = sqlx::query_scalar(STRIDE).fetch_one(&mut *file).await?;
    for copy in 1..=copies {
        for statement in [STORIES, ENTRIES] {
            let copied = sqlx::query(statement).bind(copy).bind(stride);
            copied.execute(&mut *file).await?;
        }
    }
    Ok(())
}
