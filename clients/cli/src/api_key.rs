//! `causeway api-key …`.

use std::time::{Duration, SystemTime};

use causeway_proto::{ids::RequestId, platform::v1 as pb, time};
use comfy_table::Cell;
use prost_types::Timestamp;

use crate::{
    connection::Connection,
    output::{self, Columns, Format, state_cell},
    words,
};

/// How many keys are asked for at once.
const PAGE: u32 = 500;
const LIST: &str = "causeway.platform.v1.ListApiKeysResponse";
const CREATED: &str = "causeway.platform.v1.CreateApiKeyResponse";
const ROTATED: &str = "causeway.platform.v1.RotateApiKeyResponse";

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
    },
    /// End an API key now
    Revoke {
        /// The key's id
        #[arg(value_name = "KEY")]
        key_id: String,
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
            Self::Rotate { key_id, overlap } => rotate(connection, key_id, overlap, format).await,
            Self::Revoke { key_id } => revoke(connection, key_id).await,
        }
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut response = pb::ListApiKeysResponse::default();
    let mut request = pb::ListApiKeysRequest {
        page_size: PAGE,
        ..Default::default()
    };
    loop {
        let page = connection.api_keys().list_api_keys(request.clone()).await?;
        let page = page.into_inner();
        response.api_keys.extend(page.api_keys);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    let response = output::arranged(LIST, response)?;
    if format != Format::Table {
        return output::document(LIST, &response, format);
    }
    let headings = [
        "KEY",
        "NAME",
        "USER",
        "ROLE",
        "STATE",
        "CREATED",
        "EXPIRES",
        "LAST USED",
    ];
    let mut columns = Columns::new(&headings);
    for key in &response.api_keys {
        let user = key.subject.strip_prefix("user:").unwrap_or(&key.subject);
        columns.row(vec![
            Cell::new(&key.key_id),
            Cell::new(&key.display_name),
            Cell::new(user),
            Cell::new(words::or_dash(&key.role)),
            state_cell(state(key)),
            Cell::new(format!("{} ago", words::age(key.created_at.as_ref()))),
            Cell::new(words::moment(key.expires_at.as_ref())),
            Cell::new(words::ago(key.last_used_at.as_ref())),
        ]);
    }
    columns.print()
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
    let response = connection.api_keys().create_api_key(request).await?;
    let response = response.into_inner();
    match format {
        Format::Table => show(response.api_key.as_ref(), &response.secret),
        Format::Json | Format::Yaml => output::document(CREATED, &response, format),
    }
}

/// The secret alone on stdout, so that it can go into a file.
fn show(key: Option<&pb::ApiKey>, secret: &str) -> anyhow::Result<()> {
    let id = key.map_or("the key", |key| key.key_id.as_str());
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
    let response = connection.api_keys().rotate_api_key(request).await?;
    let response = response.into_inner();
    match format {
        Format::Table => show(response.api_key.as_ref(), &response.secret),
        Format::Json | Format::Yaml => output::document(ROTATED, &response, format),
    }
}

async fn revoke(connection: &Connection, key_id: String) -> anyhow::Result<()> {
    let request = pb::RevokeApiKeyRequest {
        key_id: key_id.clone(),
        request_id: RequestId::generate().to_string(),
    };
    connection.api_keys().revoke_api_key(request).await?;
    output::line(format!("{key_id}: revoked"))
}
