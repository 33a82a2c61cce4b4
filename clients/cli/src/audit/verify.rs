//! `causeway audit verify`.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail, ensure};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::PublicKey;
use causeway_client::{AuditVerifier, ChainError, ChainStart, VerifiedChain};
use causeway_proto::{platform::v1 as pb, time::millis_to_timestamp};

use super::{ChainArgs, line::Line, memory::Memory};
use crate::{
    connection::Connection,
    output::{self, Progress},
    words,
};

/// Longest line of a file.
const LONGEST_LINE: usize = 1 << 20;

/// What to verify, and by which key.
#[derive(clap::Args, Debug)]
pub(crate) struct VerifyArgs {
    /// A file with the platform's root key, such as <data>/keys/root.pub; without it the key of the last verify, or at the first
    /// one the key that the platform tells
    #[arg(long, value_name = "FILE")]
    root_key: Option<PathBuf>,
    /// Verify what 'causeway audit export' wrote, without a platform
    #[arg(
        long,
        value_name = "EXPORT",
        requires = "root_key",
        conflicts_with = "platform"
    )]
    from_file: Option<PathBuf>,
    #[command(flatten)]
    chain: ChainArgs,
}

impl VerifyArgs {
    pub(super) fn verify_file(&self) -> Option<anyhow::Result<()>> {
        let file = self.from_file.as_ref()?;
        Some(self.read_file(file))
    }

    fn read_file(&self, file: &Path) -> anyhow::Result<()> {
        let root = self.pinned()?.context("--from-file needs --root-key")?;
        let named = || format!("--from-file {}", file.display());
        let mut lines = BufReader::new(File::open(file).with_context(named)?);
        let (mut verifier, mut text) = (None, String::new());
        while lines.read_line(&mut text).with_context(named)? > 0 {
            ensure!(
                text.len() <= LONGEST_LINE,
                "{}: a line is too long",
                named()
            );
            let line: Line = serde_json::from_str(&text).with_context(named)?;
            let new = || AuditVerifier::new(&line.chain, root, ChainStart::Part);
            let (chain, verifier) = verifier.get_or_insert_with(|| (line.chain.clone(), new()));
            ensure!(
                *chain == line.chain,
                "{}: entries of {chain} and of {}",
                named(),
                line.chain
            );
            let entry = line.into_entry().with_context(named)?;
            verifier.add(&entry).map_err(bad)?;
            text.clear();
        }
        let Some((chain, verifier)) = verifier else {
            bail!("{}: it holds no entries", named());
        };
        print_end(&chain, &verifier.end().map_err(bad)?)
    }

    /// The root key of the file.
    fn pinned(&self) -> anyhow::Result<Option<PublicKey>> {
        let Some(file) = &self.root_key else {
            return Ok(None);
        };
        let named = || format!("--root-key {}", file.display());
        let text = fs::read_to_string(file).with_context(named)?;
        let point = BASE64_STANDARD.decode(text.trim()).ok();
        let key = point.and_then(|point| PublicKey::from_bytes(&point));
        let wrong = || {
            format!(
                "{}: it holds no public key in base64; name <data>/keys/root.pub",
                named()
            )
        };
        key.with_context(wrong).map(Some)
    }
}

pub(super) async fn run(
    connection: &Connection,
    args: &VerifyArgs,
    memory: PathBuf,
) -> anyhow::Result<()> {
    let (memory, platform) = (Memory::open(memory)?, args.chain.platform);
    let head = pb::GetAuditHeadRequest { platform };
    let head = connection.audit().get_audit_head(head).await?.into_inner();
    let (address, chain) = (connection.address(), head.chain.as_str());
    let root = root(args, &memory, address, &head)?;
    let mut verifier = AuditVerifier::new(chain, root, ChainStart::Whole);
    if let Some(mark) = memory.mark(address, chain) {
        verifier.expect(mark);
    }
    verifier.expect_head(&head).map_err(bad)?;
    let request = pb::ExportAuditEntriesRequest {
        platform,
        ..Default::default()
    };
    let entries = connection.audit().export_audit_entries(request).await?;
    let mut entries = entries.into_inner();
    let progress = progress("verifying", &head);
    while let Some(batch) = entries.message().await? {
        for entry in &batch.entries {
            verifier.add(entry).map_err(bad)?;
        }
        progress.advance(batch.entries.len() as u64);
    }
    drop(progress);
    let verified = verifier.end().map_err(bad)?;
    print_end(chain, &verified)?;
    memory.keep(address, chain, &root, &verified)
}

/// How many of a chain's entries have been read.
pub(super) fn progress(what: &str, head: &pb::GetAuditHeadResponse) -> Progress {
    let kept = head.sequence.saturating_sub(head.first_sequence) + 1;
    Progress::items(what, usize::try_from(kept).unwrap_or(usize::MAX))
}

/// The key by which to verify: what was pinned goes before what the platform says.
fn root(
    args: &VerifyArgs,
    memory: &Memory,
    address: &str,
    head: &pb::GetAuditHeadResponse,
) -> anyhow::Result<PublicKey> {
    let told = PublicKey::from_bytes(&head.root_key).context("the platform told no root key")?;
    let pinned = match args.pinned()? {
        Some(pinned) => Some(pinned),
        None => memory.root(address, &head.chain),
    };
    match pinned {
        Some(pinned) if pinned != told => bail!(
            "the platform's root key is {}, but {} was pinned: is it another platform?",
            told.id(),
            pinned.id()
        ),
        Some(pinned) => Ok(pinned),
        None => {
            output::note(format!(
                "the platform's root key is {}; it is pinned from now on",
                told.id()
            ));
            Ok(told)
        }
    }
}

fn bad(flaw: ChainError) -> anyhow::Error {
    anyhow::Error::new(flaw).context("the audit is not what was written")
}

fn print_end(chain: &str, verified: &VerifiedChain) -> anyhow::Result<()> {
    let (first, last) = (verified.first, verified.last);
    if verified.entries == 0 {
        return output::line(format!("{chain}: no entries"));
    }
    let since = words::moment(Some(&millis_to_timestamp(verified.since)));
    let sealed = match verified.sealed {
        0 => "no checkpoint yet".to_owned(),
        sealed => format!("the newest checkpoint is entry {sealed}"),
    };
    output::line(format!(
        "{chain}: {} entries verified, {first} to {last}, from {since} on; {sealed}",
        verified.entries
    ))
}
