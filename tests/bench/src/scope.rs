//! What a scope costs: pages of a list of many applications, for those who see all of them and for those who see some; and what
//! filters, orders and counts cost.

mod lists;

use std::{io::Write, path::Path, sync::Arc};

use anyhow::ensure;
use causeway_database::DatabaseArgs;
use causeway_inventory::{
    Inventory, Metrics,
    application::{
        Change, ClusterName, Details, Filter, Health, ObjectKind, ObjectName, PageToken, Scope,
        ScopeTraits, Source, State, Summary, Sync, Uid, View, Visible,
    },
    digest::Digest,
    inventory::{List, NamesAreIds, PageStart},
    order::{Continuity, Position},
    store::{Store, Write as Task, sql::SqlStore},
};
use causeway_proto::ids::AccountId;
use causeway_testkit::Postgres;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::figure::quantile;

const PAGE: usize = 100;
/// Pages of those who search.
const SHORT_PAGE: usize = 50;
const IN_FLIGHT: usize = 512;

/// Lists in and without a scope.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Applications in the account
    #[arg(long, default_value = "100000")]
    applications: usize,
    /// Pages of each scope in each round
    #[arg(long, default_value = "200")]
    pages: usize,
    /// On a PostgreSQL server that is started for it, instead of a file
    #[arg(long)]
    postgres: bool,
    /// Rounds, in which the scopes take turns
    #[arg(long, default_value = "5")]
    rounds: usize,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            applications: 100_000,
            pages: 200,
            rounds: 5,
            postgres: false,
        }
    }
}

/// Somebody who reads page after page.
struct Reader {
    what: &'static str,
    filter: Filter,
    limit: usize,
    from: Option<PageToken>,
    /// Milliseconds.
    times: Vec<f64>,
    told: usize,
    passes: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    crate::tunnel::runtime(2)?.block_on(measure(args))
}

async fn measure(args: &Args) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut tasks = JoinSet::new();
    let server = args.postgres.then(Postgres::start).flatten();
    ensure!(
        server.is_some() == args.postgres,
        "there is no PostgreSQL on this machine: leave --postgres out"
    );
    let database = match &server {
        Some(server) => DatabaseArgs::from_url(server.database()),
        None => DatabaseArgs::default(),
    };
    let store = filled(&database, folder.path(), args.applications, &mut tasks).await?;
    if let Some(url) = &database.database {
        // As the store tells the server, once there is a pause in the writing.
        let mut server = PgConnection::connect(url).await?;
        sqlx::query("VACUUM (ANALYZE) inventory.application, inventory.application_label")
            .execute(&mut server)
            .await?;
    }
    let names = Arc::new(NamesAreIds);
    let inventory = Inventory::new(store, names, CancellationToken::new());
    let account: AccountId = "acme".parse()?;
    let mut readers = scopes()?;
    let mut searchers = lists::searches()?;
    let mut counters = lists::counters()?;
    for _ in 0..args.rounds {
        for counter in &mut counters {
            counter.read(&inventory, &account).await?;
        }
        for searcher in &mut searchers {
            for _ in 0..args.pages {
                searcher.read(&inventory, &account).await?;
            }
        }
        for reader in &mut readers {
            for _ in 0..args.pages {
                reader.read(&inventory, &account).await?;
            }
        }
    }
    print(args, &readers)?;
    lists::print(args, &searchers, &counters)
}

impl Reader {
    async fn read(&mut self, inventory: &Inventory, account: &AccountId) -> anyhow::Result<()> {
        let begin = Instant::now();
        let from = self.from.as_ref();
        let list = List {
            filter: &self.filter,
            view: View::Basic,
            start: from.map_or(PageStart::Offset(0), PageStart::Token),
            limit: self.limit,
        };
        let listed = inventory.list(account, list).await?;
        self.times.push(begin.elapsed().as_secs_f64() * 1e3);
        self.told += listed.page.items.len();
        self.passes += usize::from(listed.next.is_none());
        self.from = listed.next;
        Ok(())
    }
}

fn print(args: &Args, readers: &[Reader]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let all = readers
        .first()
        .map_or(f64::NAN, |all| quantile(&all.times, 0.99));
    let number = args.applications;
    writeln!(
        out,
        "| pages of {PAGE} of {number} applications, in scope | rows a page | p50 in ms | p99 in ms | p99 beside everything |\n|---|---|---|---|---|"
    )?;
    for reader in readers {
        let p99 = quantile(&reader.times, 0.99);
        writeln!(
            out,
            "| {} | {:.0} | {:.2} | {p99:.2} | {:.2} (goal 1.3 or less) |",
            reader.what,
            reader.told as f64 / reader.times.len() as f64,
            quantile(&reader.times, 0.5),
            p99 / all,
        )?;
    }
    writeln!(out)?;
    Ok(())
}

fn scopes() -> anyhow::Result<Vec<Reader>> {
    let few: Vec<String> = (0..64)
        .map(|number| format!("team-{number:02}-*"))
        .collect();
    let cases = [
        ("everything", json!([{}])),
        ("one runtime of 10", json!([{"runtimes": ["rt-3"]}])),
        ("one project of 50", json!([{"projects": ["p-07"]}])),
        (
            "five projects of 50",
            json!([{"projects": ["p-01", "p-11", "p-21", "p-31", "p-41"]}]),
        ),
        (
            "one namespace of 100",
            json!([{"namespaces": ["team-42-x"]}]),
        ),
        (
            "two projects of one runtime",
            json!([{"projects": ["p-01", "p-02"], "runtimes": ["rt-5"]}]),
        ),
        ("namespaces team-4*", json!([{"namespaces": ["team-4*"]}])),
        ("64 patterns of namespaces", json!([{"namespaces": few}])),
        ("names *7", json!([{"names": ["*7"]}])),
        (
            "one label, on every 20th",
            json!([{"labels": {"team": "t-3"}}]),
        ),
        (
            "one label, on every 1000th",
            json!([{"labels": {"tier": "gold"}}]),
        ),
    ];
    let reader = |(what, rules)| {
        let scope = serde_json::from_value(json!({ "rules": rules }))?;
        Ok(Reader {
            what,
            filter: Filter::within(Visible::new(&scope)),
            limit: PAGE,
            from: None,
            times: Vec::new(),
            told: 0,
            passes: 0,
        })
    };
    cases.into_iter().map(reader).collect()
}

async fn filled(
    database: &DatabaseArgs,
    folder: &Path,
    applications: usize,
    tasks: &mut JoinSet<()>,
) -> anyhow::Result<Arc<dyn Store>> {
    let (store, writer) = SqlStore::open(database, folder, Metrics::unread()).await?;
    tasks.spawn(writer);
    let store: Arc<dyn Store> = Arc::new(store);
    let receipts = stream::iter(0..applications).map(|number| {
        let store = store.clone();
        async move {
            let task = Task::Report(Arc::new(change(number)?), None);
            anyhow::Ok(store.submit(task).await?.await?)
        }
    });
    let kept = receipts.buffer_unordered(IN_FLIGHT);
    let kept = kept.try_fold(0, async |count, _| Ok(count + 1)).await?;
    ensure!(kept == applications, "{kept} of {applications} were kept");
    Ok(store)
}

/// Where and whose is spread so that no two of these go together.
fn change(number: usize) -> anyhow::Result<Change> {
    let runtime = format!("rt-{}", number % 10);
    let label = |name: &str, value: String| (name.to_owned(), value);
    let tier = if number % 1000 == 499 { "gold" } else { "iron" };
    let traits = ScopeTraits {
        project: format!("p-{:02}", number / 7 % 50).into(),
        labels: Arc::new(
            [
                label("team", format!("t-{}", number / 3 % 20)),
                label("tier", tier.to_owned()),
                label("app.kubernetes.io/name", format!("app-{number}")),
            ]
            .into(),
        ),
    };
    let version = u64::try_from(number)? + 1;
    Ok(Change {
        scope: Arc::new(Scope {
            account: "acme".parse()?,
            runtime: runtime.parse()?,
            kind: ObjectKind::Application,
            cluster: ClusterName::from("in-cluster"),
        }),
        runtime_name: runtime.parse()?,
        object: ObjectName {
            namespace: format!("team-{:02}-x", number / 10 % 100).into(),
            name: format!("app-{number:06}").into(),
        },
        uid: Uid::from(&*format!("u{number}")),
        position: Position {
            resource_version: version,
            epoch: 1,
            sequence: version,
        },
        continuity: Continuity::Continued,
        state: Some(State {
            summary: Summary {
                traits,
                sync: if number.is_multiple_of(9) {
                    Sync::OutOfSync
                } else {
                    Sync::Synced
                },
                health: if number.is_multiple_of(50) {
                    Health::Degraded
                } else {
                    Health::Healthy
                },
                source: Source::Git,
                details: Details::default(),
            },
            root_digest: Digest::of(b"one"),
            canonical: b"one"[..].into(),
            patch: None,
            progress: Box::default(),
            manifests: Vec::new(),
            images: Vec::new(),
            basic: vec![7; 1200].into(),
            detail: vec![7; 6000].into(),
        }),
        operations: Vec::new(),
    })
}
