//! Schema migrations.

use sqlx::{
    AssertSqlSafe, SqlSafeStr as _,
    migrate::{Migrate, MigrateError, MigrationType, Migrator},
};

use crate::{OpenError, error::Remedy};

/// One step of the schema. A released one never changes, not even in white space: each database keeps the checksums of its steps.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Name in the database's own list of steps.
    pub what: &'static str,
    /// Statements for a SQLite file.
    pub sqlite: &'static str,
    /// Statements for a PostgreSQL server.
    pub postgres: &'static str,
}

/// Creates a [`Migration`] from the files of this name in `schema/sqlite` and `schema/postgres` of the calling crate.
#[macro_export]
macro_rules! migration {
    ($file:literal, $what:literal) => {
        $crate::Migration {
            what: $what,
            sqlite: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/schema/sqlite/",
                $file,
                ".sql"
            )),
            postgres: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/schema/postgres/",
                $file,
                ".sql"
            )),
        }
    };
}

/// SQL dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    fn elsewhere(self) -> Remedy {
        match self {
            Self::Sqlite => Remedy::Folder,
            Self::Postgres => Remedy::Server,
        }
    }
}

fn migrator(dialect: Dialect, migrations: &[Migration]) -> Migrator {
    let steps = migrations.iter().zip(1..).map(|(migration, version)| {
        let sql = match dialect {
            Dialect::Sqlite => migration.sqlite,
            Dialect::Postgres => migration.postgres,
        };
        let sql = AssertSqlSafe(sql).into_sql_str();
        let what = migration.what.into();
        sqlx::migrate::Migration::new(version, what, MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(steps.collect())
}

/// Applies pending migrations. On PostgreSQL one replica at a time does so.
pub(crate) async fn migrate<C: Migrate>(
    connection: &mut C,
    dialect: Dialect,
    migrations: &[Migration],
    name: &str,
) -> Result<(), OpenError> {
    let known = migrations.len();
    let name = name.to_owned();
    let migrator = migrator(dialect, migrations);
    // Equivalent of `run` for a connection, without its generics.
    match migrator.run_direct(None, connection, false).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(found)) => Err(OpenError::Newer {
            name,
            found,
            known,
            elsewhere: dialect.elsewhere(),
        }),
        Err(MigrateError::VersionMismatch(step)) => Err(OpenError::Other {
            name,
            step,
            elsewhere: dialect.elsewhere(),
        }),
        Err(error) => Err(OpenError::Migration(name, error)),
    }
}

/// Checks that the applied migrations, by their checksums, are a prefix of the known ones.
pub(crate) fn check_steps(
    dialect: Dialect,
    migrations: &[Migration],
    taken: &[Vec<u8>],
    name: &str,
) -> Result<(), OpenError> {
    let (name, elsewhere) = (name.to_owned(), dialect.elsewhere());
    let known = migrations.len();
    if taken.len() > known {
        let found = i64::try_from(taken.len()).unwrap_or(i64::MAX);
        return Err(OpenError::Newer {
            name,
            found,
            known,
            elsewhere,
        });
    }
    let ours = checksums(dialect, migrations);
    let mut pairs = (1..).zip(ours.iter().zip(taken));
    match pairs.find(|(_, (ours, taken))| ours != taken) {
        None => Ok(()),
        Some((step, _)) => Err(OpenError::Other {
            name,
            step,
            elsewhere,
        }),
    }
}

/// Returns the checksums of the migrations.
pub(crate) fn checksums(dialect: Dialect, migrations: &[Migration]) -> Vec<Vec<u8>> {
    let migrator = migrator(dialect, migrations);
    migrator.iter().map(|step| step.checksum.to_vec()).collect()
}
