//! What the audit costs: a filtered page of many entries, the verification of all of them, and a call that changes something with
//! its own assertion, its intent and its outcome.

use std::{io::Write, path::PathBuf};

use anyhow::ensure;
use causeway_client::{AuditVerifier, ChainStart};
use causeway_database::DatabaseArgs;
use causeway_platform::AuditTrail;
use causeway_proto::{
    ids::RequestId,
    platform::v1::{self as pb, api_key_service_client::ApiKeyServiceClient},
};
use futures::TryStreamExt as _;
use tokio::time::Instant;

use crate::{figure::quantile, place::beside, up::Up};

/// Entries of the audit, and calls.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Calls in the audit; each but one of 50 has two entries
    #[arg(long, default_value = "500000")]
    calls: u64,
    /// Pages that are read
    #[arg(long, default_value = "1000")]
    pages: u64,
    /// Calls that change something
    #[arg(long, default_value = "500")]
    changes: usize,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            calls: 500_000,
            pages: 1_000,
            changes: 500,
            binary: None,
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    crate::tunnel::runtime(2)?.block_on(measure(args))
}

async fn measure(args: &Args) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let trail = AuditTrail::write(&DatabaseArgs::default(), folder.path(), args.calls).await?;
    let pages = pages(&trail, args.pages).await?;
    let (entries, alone, read) = verify(&trail).await?;
    let changes = changes(args).await?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| the audit, {entries} entries | | goal |\n|---|---|---|"
    )?;
    let p = |values: &[f64], at| quantile(values, at);
    writeln!(
        out,
        "| filtered page of 100, p50 in ms | {:.2} | – |",
        p(&pages, 0.5)
    )?;
    writeln!(
        out,
        "| filtered page of 100, p99 in ms | {:.2} | 50 or less |",
        p(&pages, 0.99)
    )?;
    writeln!(
        out,
        "| verified in a second, from memory | {alone:.0} | 200000 or more |"
    )?;
    writeln!(
        out,
        "| verified in a second, with reading them | {read:.0} | 200000 or more |"
    )?;
    writeln!(
        out,
        "| a new API key, own assertion, intent and outcome on disk, p50 in ms | {:.2} | – |",
        p(&changes, 0.5)
    )?;
    writeln!(
        out,
        "| the same, p99 in ms | {:.2} | 10 or less |\n",
        p(&changes, 0.99)
    )?;
    Ok(())
}

/// Milliseconds.
async fn pages(trail: &AuditTrail, pages: u64) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::new();
    for question in 0..pages {
        let begin = Instant::now();
        let held = trail.page(question).await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        ensure!(held > 0, "question {question} found nothing");
    }
    Ok(times)
}

/// How many entries there are, and how many are verified in a second: from memory, and with reading them.
async fn verify(trail: &AuditTrail) -> anyhow::Result<(u64, f64, f64)> {
    let chain = trail.chain();
    let mut verifier = AuditVerifier::new(&chain, *trail.root_key(), ChainStart::Whole);
    let (mut entries, mut alone) = (0, 0.0);
    let begin = Instant::now();
    let mut batches = trail.entries();
    while let Some(batch) = batches.try_next().await? {
        let verifying = Instant::now();
        for entry in &batch {
            verifier.add(entry)?;
        }
        alone += verifying.elapsed().as_secs_f64();
        entries += batch.len() as u64;
    }
    let verified = verifier.end()?;
    ensure!(verified.entries == entries, "{verified:?} of {entries}");
    let all = begin.elapsed().as_secs_f64();
    Ok((entries, entries as f64 / alone, entries as f64 / all))
}

/// Milliseconds of each call, as an administrator makes it through the platform's router.
async fn changes(args: &Args) -> anyhow::Result<Vec<f64>> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    let up = Up::start(&binary, &[]).await?;
    up.settle().await?;
    let mut keys = ApiKeyServiceClient::new(up.peer().clone());
    let mut times = Vec::new();
    for number in 0..args.changes {
        let begin = Instant::now();
        let request = pb::CreateApiKeyRequest {
            request_id: RequestId::generate().to_string(),
            display_name: format!("measured {number}"),
            ..pb::CreateApiKeyRequest::default()
        };
        keys.create_api_key(request).await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}
