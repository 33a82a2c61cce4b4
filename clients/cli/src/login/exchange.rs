//! A sign-in of a service account by the ID token of a CI system.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use causeway_oidc::{actions_token, token::MAX_TOKEN_BYTES};
use causeway_proto::platform::v1 as pb;

use super::SignedIn;
use crate::{connection::Connection, secret_input};

const REQUEST_URL: &str = "ACTIONS_ID_TOKEN_REQUEST_URL";
const REQUEST_TOKEN: &str = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";

/// Who signs in by what. The token is never an argument: others on the machine can see those.
#[derive(clap::Args, Debug)]
pub(crate) struct ExchangeArgs {
    /// Sign in as this service account by the ID token of a CI system: of --id-token-file, of --id-token-variable, or of GitHub Actions
    #[arg(
        long,
        env = "CAUSEWAY_SERVICE_ACCOUNT",
        value_name = "USER",
        conflicts_with_all = ["provider", "device", "no_browser"]
    )]
    pub(super) service_account: Option<String>,
    /// The file with the ID token, or - for stdin
    #[arg(
        long,
        env = "CAUSEWAY_ID_TOKEN_FILE",
        value_name = "FILE",
        requires = "service_account",
        conflicts_with = "id_token_variable"
    )]
    id_token_file: Option<PathBuf>,
    /// The environment variable with the ID token, by the name that the job's id_tokens of GitLab gives it
    #[arg(
        long,
        env = "CAUSEWAY_ID_TOKEN_VARIABLE",
        value_name = "NAME",
        requires = "service_account"
    )]
    id_token_variable: Option<String>,
    /// The audience to ask GitHub Actions for [default: the platform's address]
    #[arg(
        long,
        env = "CAUSEWAY_ID_TOKEN_AUDIENCE",
        value_name = "AUDIENCE",
        requires = "service_account"
    )]
    id_token_audience: Option<String>,
}

impl ExchangeArgs {
    /// The token from where the flags, or else the CI system, say.
    pub(super) async fn id_token(&self, address: &str) -> anyhow::Result<String> {
        let token = match (&self.id_token_file, &self.id_token_variable) {
            (Some(file), _) => secret_input::read("--id-token-file", file, MAX_TOKEN_BYTES)?,
            (None, Some(name)) => variable(name).with_context(|| {
                format!("--id-token-variable {name}: it is not set; check id_tokens of the job")
            })?,
            (None, None) => self.actions(address).await?,
        };
        let token = token.trim();
        if token.is_empty() || token.len() > MAX_TOKEN_BYTES {
            bail!(
                "the ID token has {} bytes: 1 to {MAX_TOKEN_BYTES} are expected",
                token.len()
            );
        }
        Ok(token.to_owned())
    }

    async fn actions(&self, address: &str) -> anyhow::Result<String> {
        let (Some(url), Some(token)) = (variable(REQUEST_URL), variable(REQUEST_TOKEN)) else {
            bail!(
                "no ID token: give --id-token-file or --id-token-variable; a job of GitHub Actions needs 'permissions: id-token: write'"
            );
        };
        let audience = self.id_token_audience.as_deref().unwrap_or(address);
        let token = actions_token(&url, &token, audience).await;
        token.context("asking GitHub Actions for an ID token")
    }
}

/// Changes the token into a session.
pub(super) async fn sign_in(
    connection: &Connection,
    account: String,
    service_account: String,
    id_token: String,
) -> anyhow::Result<SignedIn> {
    let request = pb::ExchangeTokenRequest {
        account,
        service_account,
        id_token,
    };
    let response = connection.sign_in().exchange_token(request).await?;
    let response = response.into_inner();
    SignedIn::new(response.session_token, response.session)
}

#[expect(
    clippy::disallowed_methods,
    reason = "CI systems hand tokens over in variables that they or a flag name, which is no setting of ours"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
