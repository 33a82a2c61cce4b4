//! Signing in with a real OpenID Connect provider.

mod browser;
mod code;
mod device;
mod program;

use causeway_cluster::{IdentityProvider, Person};
use causeway_oidc::{Provider, ProviderConfig};

use crate::stage::is_possible;

pub(crate) const REDIRECT: &str = "http://127.0.0.1:1/callback";

pub(crate) fn ada() -> Person {
    Person {
        id: "u-1".to_owned(),
        name: "ada".to_owned(),
        email: "ada@example.com".to_owned(),
        password: "lovelace".to_owned(),
        groups: vec!["ops".to_owned(), "developers".to_owned()],
    }
}

/// Ada's provider, where it can be had.
pub(crate) async fn dex() -> Option<IdentityProvider> {
    if !is_possible() {
        return None;
    }
    let started = IdentityProvider::start(&[ada()], "causeway", &[]).await;
    Some(started.unwrap())
}

pub(crate) fn provider(dex: &IdentityProvider) -> Provider {
    Provider::new(ProviderConfig::public(dex.issuer(), "causeway")).unwrap()
}

pub(crate) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs()
}
