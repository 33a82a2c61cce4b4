//! `causeway key …`: the platform's signing keys, and keys of parts that cannot make their own.

mod issuer;
pub(crate) mod keep;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use causeway_assertion::{MAX_CERTIFICATE_SECONDS, PartKey, private_file::write_private};
use causeway_proto::{
    ids::{PartName, RequestId},
    platform::v1 as pb,
};

use self::issuer::IssuerArgs;
use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    run::PlatformArgs,
    words,
};

#[derive(clap::Args, Debug)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(clap::Subcommand, Debug)]
pub(crate) enum KeyCommand {
    /// List the platform's signing keys that count
    #[command(visible_alias = "ls")]
    List(PlatformArgs),
    /// Make the next signing key, or with --sign-in the next sealing key: it is published now and used in two minutes
    Rotate(RotateArgs),
    /// Make the key of one part and certify it, for a part that has no access to the key that does so; run it again before half of its life is over
    Issue(IssueArgs),
    /// Give parts in other pods of this cluster their keys, by a Secret for each, and renew them until it is stopped
    Keep(Box<keep::KeepArgs>),
}

#[derive(clap::Args, Debug)]
pub(crate) struct RotateArgs {
    #[command(flatten)]
    pub(crate) platform: PlatformArgs,
    /// Use the new key at once and refuse whatever the others signed, or sealed for a sign-in, because somebody else may have one
    #[arg(long)]
    pub(crate) at_once: bool,
    /// The key that seals sign-ins and the client secrets of identity providers, in the place of the one that signs
    #[arg(long)]
    pub(crate) sign_in: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct IssueArgs {
    /// The part that the key is for, for example inventory
    #[arg(long, value_name = "PART")]
    part: PartName,
    #[command(flatten)]
    issuer: IssuerArgs,
    /// The file to write the key and its certificate to, for the part's --part-key
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How long the certificate holds, at most 24h
    #[arg(long, value_name = "DURATION", default_value = "24h")]
    life: humantime::Duration,
}

/// Lists what counts.
pub(crate) async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let request = pb::ListSigningKeysRequest {};
    let response = connection.keys().list_signing_keys(request).await?;
    output::list::<SigningKeys>(response.into_inner(), format)
}

/// Makes the next one.
pub(crate) async fn rotate(
    connection: &Connection,
    at_once: bool,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::RotateSigningKeyRequest {
        request_id: RequestId::generate().to_string(),
        at_once,
    };
    let response = connection.keys().rotate_signing_key(request).await?;
    let response = response.into_inner();
    match format {
        Format::Table => output::table::<SigningKeys>(&response.keys),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

/// Makes the next one that seals sign-ins.
pub(crate) async fn rotate_sealing(
    connection: &Connection,
    at_once: bool,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::RotateSealingKeyRequest {
        request_id: RequestId::generate().to_string(),
        at_once,
    };
    let response = connection.keys().rotate_sealing_key(request).await?;
    let response = response.into_inner();
    match format {
        Format::Table if at_once => {
            output::line("a new key seals sign-ins from now on; whoever is signing in begins again")
        }
        Format::Table => output::line(
            "a new key seals sign-ins within two minutes; those that were begun before go on",
        ),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

struct SigningKeys;

impl Columns for SigningKeys {
    type Item = pb::SigningKey;
    const HEADINGS: Headings = &["KEY", "STATE", "SIGNS FROM"];

    fn cells(key: &pb::SigningKey) -> Vec<Cell> {
        let state = match key.state() {
            pb::SigningKeyState::Unspecified => "unknown",
            pb::SigningKeyState::Waiting => "waiting",
            pb::SigningKeyState::Signing => "signing",
            pb::SigningKeyState::Leaving => "leaving",
        };
        vec![
            Cell::new(&key.key_id),
            Cell::state(state),
            Cell::new(signs_from(key)),
        ]
    }
}

fn signs_from(key: &pb::SigningKey) -> String {
    if key.state() == pb::SigningKeyState::Waiting {
        return "within two minutes".to_owned();
    }
    format!("{} ago", words::age(key.signs_from.as_ref()))
}

impl IssueArgs {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let life = self.life.as_secs();
        if life == 0 || life > MAX_CERTIFICATE_SECONDS {
            bail!("--life {}: give at least 1s and at most 24h", self.life);
        }
        let issuer = self.issuer.read()?;
        let key = PartKey::issue(&issuer.key, issuer.holder(self.part.clone()), life)?;
        write_private(&self.out, key.to_pem().as_bytes())
            .with_context(|| format!("--out {}", self.out.display()))?;
        let holder = &key.certificate().holder;
        output::line(format!(
            "{}: the key of {holder}, good for {}",
            self.out.display(),
            self.life
        ))
    }
}
