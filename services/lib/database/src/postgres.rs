//! PostgreSQL server. Each part has its own schema, so that parts can share a database.

use std::{io, net::IpAddr, path::Path, time::Duration};

use futures::FutureExt as _;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Error, PgConnection, PgPool, Postgres,
    Row as _, Transaction,
    postgres::{PgConnectOptions, PgPoolOptions, PgSslMode},
};
use tokio::time::{sleep, timeout};

use crate::{
    Database, DatabaseArgs, Listener, Migration, OpenError, is_unavailable,
    migration::{Dialect, migrate},
    query,
};

/// Timeout for acquiring a connection.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_secs(1);
const LISTENERS: u32 = 4;
const WRITERS: u32 = 2;
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// Server-side timeouts in milliseconds for statements, locks and idle transactions, because a disconnected client cannot cancel.
const LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "10000"),
    ("lock_timeout", "5000"),
    ("idle_in_transaction_session_timeout", "10000"),
];

/// Custom plans: the best index depends on the values, for example on how many rows a text or a limit selects. Write transactions
/// override this.
const QUERY_SETTINGS: [(&str, &str); 1] = [("plan_cache_mode", "force_custom_plan")];
/// Settings of ANALYZE, which may take long.
const ANALYZE_SETTINGS: [(&str, &str); 1] = [("statement_timeout", "0")];

/// A PostgreSQL database.
#[derive(Debug, Clone)]
pub struct PostgresDatabase {
    pub(crate) pool: PgPool,
    /// Two connections: one writes, another may wait for it. Each caches the plans of its statements.
    writers: PgPool,
    listeners: Option<PgPool>,
    part: &'static str,
    lock: i64,
}

impl Database {
    /// Opens the configured server, or else this file. Waits while a server is unavailable. `part` names the schema.
    ///
    /// # Errors
    /// The options or the password are invalid, the server rejects the connection, or the schema is of a newer version.
    pub async fn open(
        args: &DatabaseArgs,
        part: &'static str,
        file: &Path,
        migrations: &[Migration],
    ) -> Result<Self, OpenError> {
        if args.database.is_none() {
            return Self::open_file(file, migrations).await;
        }
        let options = options(args, part)?;
        let name = name(&options);
        let mut connection = connect(&options, &name).await?;
        prepare(&mut connection, part, migrations, &name).await?;
        // An unclean disconnect has the same effect.
        let _ = connection.close().await;
        let options = options.options(LIMITS).options(QUERY_SETTINGS);
        let pool = PgPoolOptions::new()
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_release(|connection, _| is_reusable(connection).boxed());
        let listeners = pool.clone().max_connections(LISTENERS);
        let listeners = listeners.connect_lazy_with(options.clone());
        let (writers, pool) = pools(&pool, args.database_connections, &options);
        Ok(Self::Postgres(PostgresDatabase {
            pool,
            writers,
            listeners: args.database_listen.then_some(listeners),
            part,
            lock: lock(part),
        }))
    }
}

impl PostgresDatabase {
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>, Error> {
        let mut transaction = self.writers.begin().await?;
        // Not part of BEGIN: if the caller is cancelled while this waits, the pool must know the transaction to roll it back.
        sqlx::query(
            "SELECT pg_advisory_xact_lock($1), set_config('plan_cache_mode', 'auto', true)",
        )
        .bind(self.lock)
        .execute(&mut *transaction)
        .await?;
        Ok(transaction)
    }

    /// Updates planner statistics and the visibility map.
    pub(crate) async fn analyze(&self, tables: &'static str) -> Result<(), Error> {
        let options = (*self.pool.connect_options())
            .clone()
            .options(ANALYZE_SETTINGS);
        let connected = timeout(ACQUIRE_TIMEOUT, options.connect()).await;
        let late = |_| Error::Io(io::Error::from(io::ErrorKind::TimedOut));
        let mut connection = connected.map_err(late)??;
        let analyze = format!("VACUUM (ANALYZE, SKIP_LOCKED, TRUNCATE FALSE) {tables}");
        let tidied = sqlx::raw_sql(AssertSqlSafe(analyze)).execute(&mut connection);
        tidied.await?;
        connection.close().await
    }

    pub(crate) fn listen(&self, topic: &'static str) -> Listener {
        match &self.listeners {
            Some(pool) => Listener::on(pool.clone(), format!("{}.{topic}", self.part)),
            None => Listener::disabled(),
        }
    }

    pub(crate) async fn close(&self) {
        if let Some(listeners) = &self.listeners {
            listeners.close().await;
        }
        self.writers.close().await;
        self.pool.close().await;
    }
}

/// Separate pools for writers and readers. With few connections, all do both: otherwise a single connection to an unresponsive
/// server would block every caller.
fn pools(pool: &PgPoolOptions, connections: u32, options: &PgConnectOptions) -> (PgPool, PgPool) {
    let of = |most| {
        let pool = pool.clone().max_connections(most);
        pool.connect_lazy_with(options.clone())
    };
    let most = connections.max(2);
    if most < 2 * WRITERS {
        let pool = of(most);
        return (pool.clone(), pool);
    }
    (of(WRITERS), of(most - WRITERS))
}

/// Returns the connection options of the configured server for `part`.
pub(crate) fn options(
    args: &DatabaseArgs,
    part: &'static str,
) -> Result<PgConnectOptions, OpenError> {
    let (url, password) = (args.database.as_deref().unwrap_or(""), args.password()?);
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(OpenError::Flag("it must begin with postgres://".to_owned()));
    }
    // The error omits the text, which may contain a password.
    let options: Result<PgConnectOptions, _> = url.parse();
    let options = options.map_err(|error| OpenError::Flag(error.to_string()))?;
    let mut options = options
        .application_name(&format!("causeway-{part}"))
        .options([("search_path", format!("\"{part}\""))])
        .disable_statement_logging();
    if let Some(password) = password {
        options = options.password(&password);
    }
    if !url.contains("sslmode=") && !url.contains("ssl-mode=") && !is_local(&options) {
        options = options.ssl_mode(PgSslMode::VerifyFull);
    }
    Ok(options)
}

/// Returns true if the server is on this machine.
fn is_local(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let loopback = |address: IpAddr| address.is_loopback();
    options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || host.parse().is_ok_and(loopback)
}

/// Returns the URL without user and password.
pub(crate) fn name(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or_default();
    match options.get_socket() {
        Some(socket) => format!("postgres database {database} at {}", socket.display()),
        None => format!(
            "postgres://{}:{}/{database}",
            options.get_host(),
            options.get_port()
        ),
    }
}

async fn connect(options: &PgConnectOptions, name: &str) -> Result<PgConnection, OpenError> {
    let mut waiting = false;
    loop {
        let late = |_| Error::PoolTimedOut;
        let connected = timeout(ACQUIRE_TIMEOUT, options.connect())
            .await
            .map_err(late);
        match connected.flatten() {
            Ok(connection) => {
                if waiting {
                    tracing::info!(database = name, "the database is available");
                }
                return Ok(connection);
            }
            Err(error) if is_unavailable(&error) => {
                if !waiting {
                    tracing::warn!(database = name, %error, "the database is unavailable; retrying");
                }
                waiting = true;
                sleep(AGAIN).await;
            }
            Err(error) => return Err(OpenError::Unusable(name.to_owned(), error)),
        }
    }
}

/// Returns true if a returned connection can be reused: it responds and is not in a transaction. It is in one if the caller was
/// cancelled before the response to BEGIN. The pool closes it otherwise.
async fn is_reusable(connection: &mut PgConnection) -> Result<bool, Error> {
    // A simple query, not a prepared one: only its timestamp equals that of its own transaction.
    let asked = sqlx::raw_sql("SELECT now() = statement_timestamp()").fetch_one(connection);
    let late = |_| Error::Io(io::Error::from(io::ErrorKind::TimedOut));
    let row = timeout(ACQUIRE_TIMEOUT, asked).await.map_err(late)??;
    row.try_get(0)
}

/// Creates the schema and its tables, on one replica at a time and without concurrent writers.
async fn prepare(
    connection: &mut PgConnection,
    part: &'static str,
    migrations: &[Migration],
    name: &str,
) -> Result<(), OpenError> {
    let failed = |error| OpenError::Unusable(name.to_owned(), error);
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(lock(part))
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    let there = sqlx::query("SELECT 1 FROM pg_namespace WHERE nspname = $1")
        .bind(part)
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
    if there.is_none() {
        // Quoted because part names may contain a hyphen.
        let make = AssertSqlSafe(format!("CREATE SCHEMA \"{part}\""));
        sqlx::raw_sql(make)
            .execute(&mut *connection)
            .await
            .map_err(failed)?;
    }
    migrate(connection, Dialect::Postgres, migrations, name).await
}

/// Selects the schema of a part for the rest of the transaction.
pub(crate) async fn enter(transaction: &mut crate::Transaction, part: &str) -> Result<(), Error> {
    let path = query("SELECT set_config('search_path', $1, true)").bind(format!("\"{part}\""));
    path.fetch_one(transaction).await.map(drop)
}

/// Returns the advisory lock number of a part's writers.
pub(crate) fn lock(part: &str) -> i64 {
    let bytes = "causeway/".bytes().chain(part.bytes());
    let mixed = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |mixed, byte| {
        (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed.cast_signed()
}
