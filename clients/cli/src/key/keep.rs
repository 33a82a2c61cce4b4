//! `causeway key keep`: gives parts in other pods their keys, by one Secret for each, and renews them for as long as it runs.
//!
//! It alone needs the key that certifies. Where it is away for half a day, nothing happens.

use std::{path::Path, process::ExitCode, str::FromStr, time::Duration};

use anyhow::Context as _;
use causeway_argocd::{Cluster, KubeArgs};
use causeway_assertion::Side;
use causeway_assertion::{KeyHolder, MAX_CERTIFICATE_SECONDS, PartKey, SigningKey, now};
use causeway_client::Backoff;
use causeway_proto::ids::PartName;
use causeway_shell::{ProcessArgs, Shell};
use tokio::time::sleep;

use super::issuer::{Issuer, IssuerArgs};
use crate::cluster_secret::{ClusterSecret, Files, StoredSecret};

/// What the part's key and certificate are called in its Secret.
const PART_KEY: &str = "part.pem";
/// What a part of a runtime needs beside its key.
const OF_RUNTIME: [&str; 2] = ["runtime.json", "redaction.key"];
/// The key that credentials of Git integrations are sealed to, which `app-proxy` alone needs.
const SEALING: &str = "sealing.pem";
const SEALED_FOR: &str = "app-proxy";
/// How often it is looked whether the key that certifies was exchanged.
const LOOK: Duration = Duration::from_secs(10);
/// After so many looks the Secrets are looked at, too.
const LOOKS: u32 = 6;
const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// Which parts, and by which key.
#[derive(clap::Args, Debug)]
pub(crate) struct KeepArgs {
    #[command(flatten)]
    process: ProcessArgs,
    #[command(flatten)]
    issuer: IssuerArgs,
    /// A part and the Secret for its key, in the namespace of this pod; may be repeated. The Secret must be there: it takes get and
    /// patch on it and nothing else
    #[arg(long = "secret", value_name = "PART=SECRET", required = true)]
    secrets: Vec<PartSecret>,
    #[command(flatten)]
    kube: KubeArgs,
}

/// A part and the Secret for its key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PartSecret {
    part: PartName,
    secret: String,
}

/// A text that is none.
#[derive(Debug, thiserror::Error)]
#[error("write PART=SECRET, for example inventory=causeway-inventory-key")]
struct MalformedPartSecret;

impl FromStr for PartSecret {
    type Err = MalformedPartSecret;

    fn from_str(text: &str) -> Result<Self, MalformedPartSecret> {
        let (part, secret) = text.split_once('=').ok_or(MalformedPartSecret)?;
        let part = part.parse().map_err(|_| MalformedPartSecret)?;
        if secret.is_empty() {
            Err(MalformedPartSecret)
        } else {
            Ok(Self {
                part,
                secret: secret.to_owned(),
            })
        }
    }
}

impl KeepArgs {
    /// Runs until it is asked to stop.
    pub(crate) fn run(self) -> ExitCode {
        let process = self.process.clone();
        causeway_shell::run(&process, move |process| {
            Box::pin(async move {
                let shell = process.part("key-keeper", self.issuer.side());
                let stop = shell.shutdown();
                tokio::select! {
                    kept = self.keep(&shell) => kept,
                    () = stop.requested() => Ok(()),
                }
            })
        })
    }

    async fn keep(&self, shell: &Shell) -> anyhow::Result<()> {
        let mut first = Some(shell.ready_handle("keys of all parts"));
        let cluster = Cluster::open(&self.kube).await?;
        let mut backoff = Backoff::new(FIRST_DELAY, LONGEST_DELAY);
        loop {
            match self.round(&cluster).await {
                Ok(issuer) => {
                    drop(first.take());
                    backoff.reset();
                    self.unchanged(&issuer).await;
                }
                Err(error) => {
                    tracing::warn!(error = %format!("{error:#}"), "not every part has its key; trying again");
                    sleep(backoff.next_delay()).await;
                }
            }
        }
    }

    /// Waits until it is time to look at the Secrets again.
    async fn unchanged(&self, issuer: &SigningKey) {
        for _ in 0..LOOKS {
            sleep(LOOK).await;
            let read = self.issuer.read();
            if read.is_ok_and(|read| read.key.kid() != issuer.kid()) {
                return;
            }
        }
    }

    /// Sees to it that every part has a key that holds; with the key that certified them.
    async fn round(&self, cluster: &Cluster) -> anyhow::Result<SigningKey> {
        let issuer = self.issuer.read()?;
        let common = self.common()?;
        for PartSecret { part, secret } in &self.secrets {
            let secret = ClusterSecret::of(cluster, secret);
            let mut held = secret.read().await?;
            let holder = issuer.holder(part.clone());
            let files = files_for(part, self.issuer.runtime_folder.as_deref(), &common)?;
            let wanted = due(&held, &issuer, holder, &files)?;
            if !wanted.is_empty() {
                secret.write(&mut held, wanted).await?;
                tracing::info!(%part, "the part has a new key");
            }
        }
        Ok(issuer.key)
    }

    /// What every part of the runtime gets.
    fn common(&self) -> anyhow::Result<Files> {
        let Some(folder) = &self.issuer.runtime_folder else {
            return Ok(Files::new());
        };
        let read = |name: &str| read(folder, name).map(|content| (name.to_owned(), content));
        OF_RUNTIME.into_iter().map(read).collect()
    }
}

/// What a part gets. A runtime that joined before it had a sealing key has none.
fn files_for(part: &PartName, folder: Option<&Path>, common: &Files) -> anyhow::Result<Files> {
    let mut files = common.clone();
    let folder =
        folder.filter(|folder| part.as_str() == SEALED_FOR && folder.join(SEALING).exists());
    if let Some(folder) = folder {
        files.insert(SEALING.to_owned(), read(folder, SEALING)?);
    }
    Ok(files)
}

fn read(folder: &Path, name: &str) -> anyhow::Result<Vec<u8>> {
    let file = folder.join(name);
    std::fs::read(&file).with_context(|| file.display().to_string())
}

/// What the Secret lacks.
fn due(
    held: &StoredSecret,
    issuer: &Issuer,
    holder: KeyHolder,
    common: &Files,
) -> anyhow::Result<Files> {
    let differs = |(name, content): &(&String, &Vec<u8>)| held.files.get(*name) != Some(content);
    let differing = common.iter().filter(differs);
    let mut wanted: Files = differing
        .map(|(name, content)| (name.clone(), content.clone()))
        .collect();
    let there = held.files.get(PART_KEY).map(Vec::as_slice);
    if !holds(there.unwrap_or_default(), issuer, &holder) {
        let made = PartKey::issue(&issuer.key, holder, MAX_CERTIFICATE_SECONDS)?;
        wanted.insert(PART_KEY.to_owned(), made.to_pem().into_bytes());
    }
    Ok(wanted)
}

/// True if what is there is the key of this part, certified by the key that counts, in the first half of its life.
fn holds(there: &[u8], issuer: &Issuer, holder: &KeyHolder) -> bool {
    let key = std::str::from_utf8(there).ok();
    let key = key.and_then(|text| PartKey::from_pem(text).ok());
    key.is_some_and(|key| {
        let certificate = key.certificate();
        certificate.holder == *holder
            && certificate.issuer == *issuer.key.kid()
            && !key.is_due(now())
    })
}

impl IssuerArgs {
    fn side(&self) -> Side {
        match self.runtime_folder {
            Some(_) => Side::Runtime,
            None => Side::Platform,
        }
    }
}

#[cfg(test)]
mod tests;
