//! A sign-in with a browser on this machine.

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use causeway_oidc::RandomToken;
use causeway_proto::platform::v1 as pb;
use http::Uri;

use super::{SignedIn, callback::Callback, shown};
use crate::{connection::Connection, output};

/// A sign-in that begins.
pub(super) struct Start {
    account: String,
    provider: String,
    verifier: RandomToken,
}

impl Start {
    pub(super) fn new(account: String, provider: String) -> Self {
        let verifier = RandomToken::generate();
        Self {
            account,
            provider,
            verifier,
        }
    }

    pub(super) async fn sign_in(
        self,
        connection: &Connection,
        no_browser: bool,
    ) -> anyhow::Result<SignedIn> {
        let callback = Callback::listen(&self.account, &self.provider).await;
        let callback = callback.context("cannot listen on 127.0.0.1 for the browser")?;
        let request = pb::StartSignInRequest {
            account: self.account,
            provider: self.provider,
            redirect_uri: callback.redirect_uri(),
            challenge: self.verifier.challenge(),
        };
        let started = connection.sign_in().start_sign_in(request).await?;
        let started = started.into_inner();
        show(&started.authorization_url, no_browser)?;
        let brought = callback.brought(&started.state).await?;
        let request = pb::FinishSignInRequest {
            state: started.state,
            code: brought.code,
            issuer: brought.issuer,
            verifier: self.verifier.expose().to_owned(),
        };
        let finished = connection.sign_in().finish_sign_in(request).await?;
        let finished = finished.into_inner();
        SignedIn::new(finished.session_token, finished.session)
    }
}

/// Opens the address, or at least shows it.
fn show(address: &str, no_browser: bool) -> anyhow::Result<()> {
    if !is_page(address) {
        bail!("the platform named a page that is none, so no browser is opened");
    }
    let address = shown(address);
    let opened = !no_browser && open(&address);
    output::note(if opened {
        "a browser should open now; if it does not, open this address on this machine:"
    } else {
        "open this address in a browser on this machine (elsewhere: causeway login --device):"
    });
    output::note(address);
    Ok(())
}

/// True if an address is a page, and not a script or a file, which a browser would open too.
fn is_page(address: &str) -> bool {
    let scheme = address.parse::<Uri>();
    let scheme = scheme.ok().and_then(|uri| uri.into_parts().scheme);
    scheme.is_some_and(|scheme| matches!(scheme.as_str(), "https" | "http"))
}

fn open(address: &str) -> bool {
    let program = match std::env::consts::OS {
        "macos" => "open",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn n_27_only_pages_are_opened() {
        assert!(is_page("https://dex.example.com/auth?client_id=causeway"));
        assert!(is_page("http://127.0.0.1:5556/auth"));
        for text in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "--help",
            "",
            "/auth",
            "data:text/html,x",
            "dex.example.com",
        ] {
            assert!(!is_page(text), "{text}");
        }
    }
}
