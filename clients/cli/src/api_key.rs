//! `causeway api-key …`.

use std::time::{Duration, SystemTime};

use anyhow::bail;
use causeway_proto::{ids::RequestId, platform::v1 as pb, time};
use prost_types::Timestamp;

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

/// Number of keys that are asked for at once.
const PAGE: u32 = 500;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ApiKeyCommand {
    /// List API keys: those of the account, or your own where you may not see others
    #[command(visible_alias = "ls")]
    List,
    /// Make an API key and show its secret once
    Create(CreateArgs),
    /// Give an API key a new secret, shown once
    Rotate {
        /// The key's id
        #[arg(value_name = "KEY")]
        key_id: String,
        /// How long the former secret goes on, at most 7d; without it, it ends now
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "0s")]
        overlap: Duration,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
    /// End an API key now
    Revoke {
        /// The key's id
        #[arg(value_name = "KEY")]
        key_id: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// What the key will be.
#[derive(clap::Args, Debug)]
pub(crate) struct CreateArgs {
    /// What to call it
    #[arg(value_name = "NAME")]
    name: String,
    /// The role that limits it, beside what its user may
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Whose it will be, if not yours
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// When it ends, for example 90d; without it, it does not
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    expires_in: Option<Duration>,
}

impl ApiKeyCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List => list(connection, format).await,
            Self::Create(args) => create(connection, args, format).await,
            Self::Rotate {
                key_id,
                overlap,
                confirm,
            } => {
                if overlap.is_zero() {
                    confirm.confirm(&format!(
                        "Replace the secret of {key_id} now? Without --overlap the former one ends."
                    ))?;
                }
                rotate(connection, key_id, overlap, format).await
            }
            Self::Revoke { key_id, confirm } => {
                confirm.confirm(&format!("Revoke the API key {key_id}?"))?;
                revoke(connection, key_id, format).await
            }
        }
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.api_keys();
    let keys = pages::read_all(async |page_token| {
        let request = pb::ListApiKeysRequest {
            page_size: PAGE,
            page_token,
        };
        client.list_api_keys(request).await
    });
    output::list::<ApiKeys>(keys.await?, format)
}

struct ApiKeys;

impl Columns for ApiKeys {
    type Item = pb::ApiKey;
    const HEADINGS: Headings = &[
        "KEY",
        "NAME",
        "USER",
        "ROLE",
        "STATE",
        "CREATED",
        "EXPIRES",
        "LAST USED",
    ];

    fn cells(key: &pb::ApiKey) -> Vec<Cell> {
        let user = key.subject.strip_prefix("user:").unwrap_or(&key.subject);
        vec![
            Cell::new(&key.key_id),
            Cell::new(&key.display_name),
            Cell::new(user),
            Cell::new(words::or_dash(&key.role)),
            Cell::state(state(key)),
            Cell::new(words::ago(key.created_at.as_ref())),
            Cell::new(words::moment(key.expires_at.as_ref())),
            Cell::new(words::ago(key.last_used_at.as_ref())),
        ]
    }
}

fn state(key: &pb::ApiKey) -> &'static str {
    let over = |end: &Timestamp| time::timestamp_to_millis(end) <= now();
    match key {
        key if key.revoked_at.is_some() => "revoked",
        key if key.expires_at.as_ref().is_some_and(over) => "expired",
        key if key
            .former_secret_ends_at
            .as_ref()
            .is_some_and(|end| !over(end)) =>
        {
            "rotating"
        }
        _ => "good",
    }
}

fn now() -> i64 {
    time::to_millis(SystemTime::now())
}

async fn create(connection: &Connection, args: CreateArgs, format: Format) -> anyhow::Result<()> {
    let end = |life: Duration| {
        let life = i64::try_from(life.as_millis()).unwrap_or(i64::MAX);
        time::millis_to_timestamp(now().saturating_add(life))
    };
    let request = pb::CreateApiKeyRequest {
        display_name: args.name,
        role: args.role.unwrap_or_default(),
        expires_at: args.expires_in.map(end),
        request_id: RequestId::generate().to_string(),
        user: args.user.unwrap_or_default(),
    };
    let response = request::change(request, async |request| {
        connection.api_keys().create_api_key(request).await
    })
    .await?;
    match format {
        Format::Table => show(response.api_key.as_ref(), &response.secret),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

/// The secret alone on stdout, so that it can go into a file.
fn show(key: Option<&pb::ApiKey>, secret: &str) -> anyhow::Result<()> {
    let id = key.map_or("the key", |key| key.key_id.as_str());
    if secret.is_empty() {
        bail!("{id}: the answer with its secret was lost; run 'causeway api-key rotate {id}'");
    }
    output::note(format!("{id}: this is its secret, shown only now"));
    output::line(secret)
}

async fn rotate(
    connection: &Connection,
    key_id: String,
    overlap: Duration,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::RotateApiKeyRequest {
        key_id,
        overlap_seconds: u32::try_from(overlap.as_secs()).unwrap_or(u32::MAX),
        request_id: RequestId::generate().to_string(),
    };
    let response = request::change(request, async |request| {
        connection.api_keys().rotate_api_key(request).await
    })
    .await?;
    match format {
        Format::Table => show(response.api_key.as_ref(), &response.secret),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

async fn revoke(connection: &Connection, key_id: String, format: Format) -> anyhow::Result<()> {
    let request = pb::RevokeApiKeyRequest {
        key_id: key_id.clone(),
        request_id: RequestId::generate().to_string(),
    };
    let revoked = request::change(request, async |request| {
        connection.api_keys().revoke_api_key(request).await
    })
    .await?;
    output::show(&revoked, format, |_| {
        output::line(format!("{key_id}: revoked"))
    })
}
