mod connections;
mod encrypted;
mod queries;
mod replicas;

use causeway_testkit::Postgres;
use tempfile::TempDir;

use crate::{Database, DatabaseArgs, Error, Migration, OpenError, query};

const TABLES: [Migration; 1] = [Migration {
    what: "first tables",
    sql: "CREATE TABLE things (
        id IDENTITY PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        bytes BLOB,
        weight BIGINT,
        heavy BOOLEAN NOT NULL
    );",
}];

/// Runs a test over each database.
macro_rules! over_each_database {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let subject = crate::tests::Subject::sqlite().await;
                super::$name(&subject).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(subject) = crate::tests::Subject::postgres().await else {
                    return;
                };
                super::$name(&subject).await;
            })*
        }
    };
}
use over_each_database;

struct Subject {
    args: DatabaseArgs,
    database: Database,
    folder: TempDir,
}

fn args(url: String) -> DatabaseArgs {
    DatabaseArgs::from_url(url)
}

impl Subject {
    async fn sqlite() -> Self {
        Self::open(&DatabaseArgs::default()).await
    }

    async fn postgres() -> Option<Self> {
        let url = Postgres::shared()?.database();
        Some(Self::open(&args(url)).await)
    }

    async fn open(args: &DatabaseArgs) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("things.db");
        let database = Database::open(args, "things", &file, &TABLES);
        Self {
            args: args.clone(),
            database: database.await.unwrap(),
            folder,
        }
    }

    /// Opens the same once more, as a version with these tables does.
    async fn reopen(&self, migrations: &[Migration]) -> Result<(), OpenError> {
        let file = self.folder.path().join("things.db");
        let opened = Database::open(&self.args, "things", &file, migrations).await?;
        opened.close().await;
        Ok(())
    }

    /// How an error says where else to go.
    fn shown(&self) -> &'static str {
        match self.database.is_shared() {
            true => "name another with --database",
            false => "things.db",
        }
    }

    async fn add(&self, name: &str) -> Result<(), Error> {
        let mut transaction = self.database.begin().await?;
        query("INSERT INTO things (name, heavy) VALUES ($1, $2)")
            .bind(name)
            .bind(false)
            .execute(&mut transaction)
            .await?;
        transaction.commit().await
    }

    async fn names(&self) -> Vec<String> {
        let rows = query("SELECT name FROM things ORDER BY name").fetch_all(&self.database);
        let rows = rows.await.unwrap();
        rows.iter().map(|row| row.try_get(0).unwrap()).collect()
    }
}
