//! Benchmark of a large audit log.

use std::{path::Path, sync::Arc};

use causeway_assertion::PublicKey;
use causeway_database::DatabaseArgs;
use causeway_proto::{ids::AccountId, platform::v1 as pb};
use futures::{Stream, TryStreamExt as _};

use crate::{
    accounts::model::first_account,
    audit::{
        AuditRecord, ChainId, End, EndFilter, Entry, Filter, Intent, Outcome, Query, Seal, entries,
    },
    keys::ring::KeyRing,
    store::{AuditStore as _, sql::SqlStore},
};

/// Calls in one commit.
const BATCH: usize = 500;
const METHODS: u64 = 40;
const USERS: u64 = 200;
const RUNTIMES: u64 = 30;
/// One call of so many is refused.
const REFUSED: u64 = 50;

/// Audit of the first account, in SQLite or PostgreSQL.
pub struct AuditTrail {
    store: Arc<SqlStore>,
    ring: Arc<KeyRing>,
    chain: ChainId,
}

impl AuditTrail {
    /// Opens an empty database and writes so many calls into it, each with its outcome, and a checkpoint behind every commit.
    ///
    /// # Errors
    /// The folder or the database cannot be written.
    pub async fn write(database: &DatabaseArgs, folder: &Path, calls: u64) -> anyhow::Result<Self> {
        let store = Arc::new(SqlStore::open(database, &folder.join("platform.db")).await?);
        let ring = Arc::new(KeyRing::open(&folder.join("keys"))?);
        let account: AccountId = first_account();
        let trail = Self {
            store,
            ring,
            chain: account.clone().into(),
        };
        let numbers: Vec<u64> = (0..calls).collect();
        for batch in numbers.chunks(BATCH) {
            let entries = batch.iter().map(|number| entry(&account, *number));
            trail.store.write_audit(entries.collect()).await?;
            trail.seal().await?;
        }
        Ok(trail)
    }

    async fn seal(&self) -> anyhow::Result<()> {
        if let Some(head) = self.store.audit_head(&self.chain).await? {
            let seal = Seal::sign(&head, head.at, &self.ring)?;
            self.store.seal_audit(&head, seal, head.at).await?;
        }
        Ok(())
    }

    /// The chain's name.
    #[must_use]
    pub fn chain(&self) -> String {
        self.chain.to_string()
    }

    /// By which its checkpoints are verified.
    #[must_use]
    pub fn root_key(&self) -> &PublicKey {
        self.ring.root()
    }

    /// A page of the newest 100 calls of one user, of one user on one runtime, or of refused ones on one runtime, as the question's
    /// number says; how many it holds.
    ///
    /// # Errors
    /// The database fails.
    pub async fn page(&self, question: u64) -> anyhow::Result<usize> {
        let filter = match question % 3 {
            0 => Filter {
                subject: Some(subject(question)),
                ..Filter::default()
            },
            1 => Filter {
                subject: Some(subject(question)),
                runtime: Some(runtime(question)),
                ..Filter::default()
            },
            _ => Filter {
                end: Some(EndFilter::Denied),
                runtime: Some(runtime(question)),
                ..Filter::default()
            },
        };
        let query = Query {
            chain: self.chain.clone(),
            filter,
            before: None,
            limit: 100,
        };
        Ok(self.store.list_audit(&query).await?.records.len())
    }

    /// All entries, oldest first, as an export reads them.
    pub fn entries(&self) -> impl Stream<Item = anyhow::Result<Vec<pb::AuditEntry>>> + Unpin {
        let read = entries(Arc::clone(&self.store), self.chain.clone(), 1);
        read.map_ok(|read| read.into_iter().map(pb::AuditEntry::from).collect())
            .map_err(anyhow::Error::from)
    }
}

fn entry(account: &AccountId, number: u64) -> Entry {
    let intent = Intent {
        subject: subject(number),
        credential: format!("key:k{}", number % USERS),
        method: method(number / 3),
        permission: "application.sync".to_owned(),
        runtime: runtime(number / USERS),
        target: format!("applications/argocd/app-{}", number % 5_000),
        request_id: format!("{number:032x}"),
        trace_id: format!("{number:032x}"),
        source_address: format!("10.0.{}.{}", number / 250 % 250, number % 250),
    };
    let at = i64::try_from(number).unwrap_or(i64::MAX);
    let end = |outcome, code| End::new(at, outcome, code, String::new());
    let record = match number % REFUSED {
        0 => AuditRecord::denied(account.clone(), intent, end(Outcome::Failed, 7)),
        _ => AuditRecord {
            end: Some(end(Outcome::Succeeded, 0)),
            ..AuditRecord::allowed(account.clone(), intent, at)
        },
    };
    Entry::Open(Box::new(record))
}

fn subject(number: u64) -> String {
    format!("user:u{}", number % USERS)
}

fn runtime(number: u64) -> String {
    format!("edge-{}", number % RUNTIMES)
}

fn method(number: u64) -> String {
    format!(
        "/causeway.proxy.v1.ApplicationService/Method{}",
        number % METHODS
    )
}
