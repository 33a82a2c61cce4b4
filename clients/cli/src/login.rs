//! `causeway login`: a session for a person by a browser here or elsewhere, or for a service account by the ID token of a CI system.
//! The verifier that ends a sign-in never leaves this process before its end.

mod browser;
mod callback;
mod device;
mod exchange;

use anyhow::bail;
use causeway_proto::platform::v1 as pb;

use crate::{
    connection::Connection,
    context::{Session, Target},
    output::{self, Format},
    words,
};

/// How to sign in.
#[derive(clap::Args, Debug)]
pub(crate) struct LoginArgs {
    /// The account to sign in to
    #[arg(
        long,
        env = "CAUSEWAY_ACCOUNT",
        value_name = "ACCOUNT",
        default_value = "default"
    )]
    account: String,
    /// The identity provider to sign in with; needed only where the account has several
    #[arg(long, env = "CAUSEWAY_SIGN_IN_PROVIDER", value_name = "PROVIDER")]
    provider: Option<String>,
    /// Show an address and a code for a browser on another device
    #[arg(long, conflicts_with = "no_browser")]
    device: bool,
    /// Show the address for a browser on this machine, and open none
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    exchange: exchange::ExchangeArgs,
}

/// How a sign-in ended.
struct SignedIn {
    token: String,
    session: pb::UserSession,
}

impl LoginArgs {
    pub(crate) async fn run(self, target: Target, format: Format) -> anyhow::Result<()> {
        let address = &target.entry.address;
        if !is_private(address) {
            bail!(
                "--server {address}: others on the network could take the session over; use https"
            );
        }
        let connection = Connection::anonymous(&target.entry)?;
        let signed_in = self.sign_in(&connection).await?;
        let (name, address) = (target.name.clone(), target.entry.address.clone());
        let session = &signed_in.session;
        target.keep(Session::new(signed_in.token, self.account.clone(), session))?;
        if format != Format::Table {
            return output::document(session, format);
        }
        output::line(format!(
            "signed in to {address} as {} of the account {} until {}; the context '{name}' is the current one",
            session.user,
            self.account,
            words::moment(session.expires_at.as_ref()),
        ))
    }

    async fn sign_in(&self, connection: &Connection) -> anyhow::Result<SignedIn> {
        let account = self.account.clone();
        if let Some(service_account) = &self.exchange.service_account {
            let token = self.exchange.id_token(connection.address()).await?;
            return exchange::sign_in(connection, account, service_account.clone(), token).await;
        }
        let provider = self.provider(connection).await?;
        if self.device {
            device::sign_in(connection, account, provider).await
        } else {
            let start = browser::Start::new(account, provider);
            start.sign_in(connection, self.no_browser).await
        }
    }

    /// The provider that was named, or the only one that there is.
    async fn provider(&self, connection: &Connection) -> anyhow::Result<String> {
        if let Some(provider) = &self.provider {
            return Ok(provider.clone());
        }
        let request = pb::ListSignInProvidersRequest {
            account: self.account.clone(),
        };
        let response = connection.sign_in().list_sign_in_providers(request).await?;
        let mut providers = response.into_inner().providers;
        match providers.len() {
            1 => Ok(providers.remove(0).provider),
            0 => bail!(
                "the account '{}' has no identity provider: check --account, or an admin adds one with 'causeway sign-in-provider create'",
                self.account
            ),
            _ => {
                let names: Vec<_> = providers.into_iter().map(|known| known.provider).collect();
                bail!("--provider: name one of {}", names.join(", "))
            }
        }
    }
}

impl SignedIn {
    fn new(token: String, session: Option<pb::UserSession>) -> anyhow::Result<Self> {
        match session {
            Some(session) if !token.is_empty() => Ok(Self { token, session }),
            _ => bail!("the platform answered without a session: is it of another version?"),
        }
    }
}

/// True for HTTPS and loopback addresses: others cannot read the traffic.
fn is_private(address: &str) -> bool {
    let Ok(uri) = address.parse::<http::Uri>() else {
        // The connection reports a bad address with a better error.
        return true;
    };
    let here = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    here || uri.scheme_str() != Some("http")
}

/// What another program says, on one line and without what moves a terminal.
fn shown(text: &str) -> String {
    let plain = text.chars().filter(|character| !character.is_control());
    plain.take(2_000).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_private, shown};

    #[test]
    fn a_session_is_asked_for_over_tls_or_on_this_machine_only() {
        for address in [
            "https://causeway.example.com",
            "http://127.0.0.1:7400",
            "http://localhost:7400",
            "http://[::1]:7400",
        ] {
            assert!(is_private(address), "{address}");
        }
        for address in [
            "http://causeway.example.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://127.0.0.1@example.com",
        ] {
            assert!(!is_private(address), "{address}");
        }
    }

    #[test]
    fn what_a_provider_says_moves_no_terminal() {
        assert_eq!(shown("AB-CD\u{1b}[2J\r\n"), "AB-CD[2J");
    }
}
