use causeway_testkit::Postgres;
use futures::TryStreamExt as _;
use tempfile::TempDir;

use super::*;
use crate::{Database, DatabaseArgs, Migration, OpenError, Value, query};

const TABLES: [Migration; 2] = [
    Migration {
        what: "first tables",
        sql: "CREATE TABLE owners (name TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE things (
                id IDENTITY PRIMARY KEY,
                owner TEXT REFERENCES owners,
                bytes BLOB,
                weight BIGINT,
                heavy BOOLEAN
            );
            CREATE TABLE passing (word TEXT NOT NULL);
            CREATE TABLE marks (number BIGINT NOT NULL);",
    },
    Migration {
        what: "one more column",
        sql: "ALTER TABLE things ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';",
    },
];

const OLDER: PartTables = PartTables {
    part: "things",
    file: "things.db",
    migrations: TABLES.split_at(1).0,
    transient: &["passing"],
    renewals: &["UPDATE marks SET number = $1"],
};
const KEPT: PartTables = PartTables {
    migrations: &TABLES,
    ..OLDER
};

/// A database, or an empty place for one.
struct Place {
    args: DatabaseArgs,
    folder: TempDir,
}

impl Place {
    fn file() -> Self {
        Self {
            args: DatabaseArgs::default(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn server() -> Option<Self> {
        let url = Postgres::shared()?.database();
        Some(Self {
            args: DatabaseArgs::from_url(url),
            ..Self::file()
        })
    }

    async fn open(&self, migrations: &[Migration]) -> Result<Database, OpenError> {
        let file = self.folder.path().join(KEPT.file);
        Database::open(&self.args, KEPT.part, &file, migrations).await
    }

    async fn snapshot(&self) -> Result<CopySource, CopyError> {
        match self.args.database {
            Some(_) => CopySource::open_server(&self.args).await,
            None => CopySource::open_file(&self.folder.path().join(KEPT.file)).await,
        }
    }

    async fn filling(&self) -> Result<CopyTarget, CopyError> {
        match self.args.database {
            Some(_) => CopyTarget::open_server(&self.args).await,
            None => CopyTarget::create_file(&self.folder.path().join(KEPT.file), &KEPT).await,
        }
    }
}

async fn write(database: &Database, statements: &[&'static str]) {
    let mut transaction = database.begin().await.unwrap();
    for statement in statements {
        query(statement).execute(&mut transaction).await.unwrap();
    }
    transaction.commit().await.unwrap();
}

async fn fill(database: &Database) {
    write(
        database,
        &[
            "INSERT INTO owners (name) VALUES ('ada'), ('O''Hara \\ \t')",
            "INSERT INTO things (id, owner, weight, heavy) VALUES (7, 'ada', 9223372036854775807, TRUE)",
            "INSERT INTO things (id, owner, weight, heavy) VALUES (12, 'O''Hara \\ \t', -3, FALSE)",
            "INSERT INTO things (id) VALUES (2)",
            "INSERT INTO passing (word) VALUES ('heard')",
            "INSERT INTO marks (number) VALUES (1)",
        ],
    )
    .await;
    let mut transaction = database.begin().await.unwrap();
    query("UPDATE things SET bytes = $1 WHERE id = 7")
        .bind(vec![0_u8, 255, 10])
        .execute(&mut transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

async fn rows(snapshot: &mut CopySource, table: &Table) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = snapshot.rows(table).try_collect().await.unwrap();
    rows.sort_by_key(|row| format!("{row:?}"));
    rows
}

/// Copies all rows, and gives how many tables there were.
async fn copy(from: &mut CopySource, kept: &PartTables, to: &Place) -> Result<usize, CopyError> {
    let schema = from.schema(kept).await?;
    let mut filling = to.filling().await?;
    let tables = filling.create_tables(kept, schema.steps.len()).await?;
    assert_eq!(tables, schema.tables);
    for table in &tables {
        let rows = rows(from, table).await;
        filling.insert(table, rows).await?;
    }
    filling.finish_part(kept, &tables, 42).await?;
    filling.finish().await?;
    Ok(tables.len())
}

async fn all(place: &Place) -> Vec<Vec<Vec<Value>>> {
    let mut snapshot = place.snapshot().await.unwrap();
    let schema = snapshot.schema(&KEPT).await.unwrap();
    let mut all = Vec::new();
    for table in &schema.tables {
        all.push(rows(&mut snapshot, table).await);
    }
    all
}

async fn a_copy_has_all_rows_and_goes_on(from: &Place, to: &Place) {
    let database = from.open(&TABLES).await.unwrap();
    fill(&database).await;
    let mut snapshot = from.snapshot().await.unwrap();
    snapshot.schema(&KEPT).await.unwrap();
    // What is written after the look began is not in it, and nobody waits for it.
    write(&database, &["INSERT INTO owners (name) VALUES ('later')"]).await;
    assert_eq!(copy(&mut snapshot, &KEPT, to).await.unwrap(), 3);
    drop(snapshot);
    write(
        &database,
        &[
            "DELETE FROM owners WHERE name = 'later'",
            "UPDATE marks SET number = 42",
        ],
    )
    .await;
    assert_eq!(all(to).await, all(from).await);
    let copied = to.open(&TABLES).await.unwrap();
    write(&copied, &["INSERT INTO things (owner) VALUES ('ada')"]).await;
    let last = query("SELECT max(id) FROM things").fetch_one(&copied).await;
    let last: i64 = last.unwrap().try_get(0).unwrap();
    assert_eq!(last, 13);
    let heard = query("SELECT 1 FROM passing").fetch_optional(&copied).await;
    assert!(heard.unwrap().is_none());
    let again = to.filling().await;
    let again = match again {
        Ok(mut filling) => filling.create_tables(&KEPT, 2).await.map(drop),
        Err(error) => Err(error),
    };
    let refused = again.unwrap_err().to_string();
    assert!(
        refused.contains("has rows of the part things already"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_a_file_keeps_is_copied_into_a_file() {
    a_copy_has_all_rows_and_goes_on(&Place::file(), &Place::file()).await;
}

#[tokio::test]
async fn what_a_file_keeps_is_copied_into_a_server_and_back() {
    let (Some(there), Some(other)) = (Place::server(), Place::server()) else {
        return;
    };
    a_copy_has_all_rows_and_goes_on(&Place::file(), &there).await;
    a_copy_has_all_rows_and_goes_on(&other, &Place::file()).await;
}

#[tokio::test]
async fn what_a_server_keeps_is_copied_into_a_server() {
    let (Some(from), Some(to)) = (Place::server(), Place::server()) else {
        return;
    };
    a_copy_has_all_rows_and_goes_on(&from, &to).await;
}

async fn a_copy_of_older_tables_is_brought_up_to_date(to: &Place) {
    let from = Place::file();
    fill(&from.open(OLDER.migrations).await.unwrap()).await;
    let mut snapshot = from.snapshot().await.unwrap();
    copy(&mut snapshot, &KEPT, to).await.unwrap();
    let now = to.open(&TABLES).await.unwrap();
    let red = query("SELECT 1 FROM things WHERE colour = 'red'").fetch_all(&now);
    assert_eq!(red.await.unwrap().len(), 3);
}

async fn a_copy_that_is_not_finished_leaves_the_place_empty(to: &Place) {
    let from = Place::file();
    fill(&from.open(&TABLES).await.unwrap()).await;
    let mut snapshot = from.snapshot().await.unwrap();
    let schema = snapshot.schema(&KEPT).await.unwrap();
    let mut filling = to.filling().await.unwrap();
    let tables = filling
        .create_tables(&KEPT, schema.steps.len())
        .await
        .unwrap();
    let owners = rows(&mut snapshot, &tables[0]).await;
    filling.insert(&tables[0], owners).await.unwrap();
    drop(filling);
    assert_eq!(to.folder.path().read_dir().unwrap().count(), 0);
    copy(&mut snapshot, &KEPT, to).await.unwrap();
}

async fn what_a_newer_version_wrote_is_not_copied(from: &Place) {
    fill(&from.open(&TABLES).await.unwrap()).await;
    let schema = from.snapshot().await.unwrap().schema(&OLDER).await;
    let refused = schema.unwrap_err().to_string();
    let both = "newer causeway (schema 2, this one knows 1)";
    assert!(refused.contains(both), "{refused}");
}

async fn what_was_never_started_is_told(from: &Place) {
    let other = PartTables {
        part: "other",
        ..KEPT
    };
    let file = from.folder.path().join(KEPT.file);
    let database = Database::open(&from.args, "elsewhere", &file, &[]).await;
    database.unwrap().close().await;
    let absent = from.snapshot().await.unwrap().schema(&other).await;
    let absent = absent.unwrap_err().to_string();
    assert!(
        absent.contains("holds nothing of the part other"),
        "{absent}"
    );
}

macro_rules! on_each_database {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(&super::Place::file()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                if let Some(place) = super::Place::server() {
                    super::$name(&place).await;
                }
            })*
        }
    };
}

on_each_database!(
    a_copy_of_older_tables_is_brought_up_to_date,
    a_copy_that_is_not_finished_leaves_the_place_empty,
    what_a_newer_version_wrote_is_not_copied,
    what_was_never_started_is_told,
);
