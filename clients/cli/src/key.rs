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
    prompt::ConfirmArgs,
    request,
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
    /// List the platform's valid signing keys
    #[command(visible_alias = "ls")]
    List(PlatformArgs),
    /// Create the next signing key, or sealing key with --sign-in; it is used after two minutes
    Rotate(RotateArgs),
    /// Create and certify the key of one part; repeat it before half of its lifetime
    Issue(IssueArgs),
    /// Keep the keys of parts in Secrets of this cluster and renew them
    Keep(Box<keep::KeepArgs>),
}

#[derive(clap::Args, Debug)]
pub(crate) struct RotateArgs {
    #[command(flatten)]
    pub(crate) platform: PlatformArgs,
    /// Use the new key at once and reject what others signed or sealed, for a leaked key
    #[arg(long)]
    pub(crate) at_once: bool,
    /// Rotate the key that seals sign-ins and client secrets, not the signing key
    #[arg(long)]
    pub(crate) sign_in: bool,
    #[command(flatten)]
    confirm: ConfirmArgs,
}

impl RotateArgs {
    /// Asks before what was signed or sealed so far is rejected.
    pub(crate) fn confirm(&self) -> anyhow::Result<()> {
        if !self.at_once {
            return Ok(());
        }
        self.confirm.confirm(if self.sign_in {
            "Reject at once what the former key sealed? Users who are signing in must start again."
        } else {
            "Reject at once what the former key signed? Calls under way fail."
        })
    }
}

#[derive(clap::Args, Debug)]
pub(crate) struct IssueArgs {
    /// Part that gets the key, for example inventory
    #[arg(long, value_name = "PART")]
    part: PartName,
    #[command(flatten)]
    issuer: IssuerArgs,
    /// File to write the key and its certificate to, for --part-key of the part
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Lifetime of the certificate, at most 24h
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
    let response = request::change(request, async |request| {
        connection.keys().rotate_signing_key(request).await
    })
    .await?;
    output::show(&response, format, |_| {
        output::table::<SigningKeys>(&response.keys)
    })
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
    let response = request::change(request, async |request| {
        connection.keys().rotate_sealing_key(request).await
    })
    .await?;
    match format {
        Format::Table if at_once => output::line(
            "a new key seals sign-ins from now on; users who are signing in must begin again",
        ),
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
