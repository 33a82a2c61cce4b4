//! One dial: the assertion of this moment, the seat, and what the server answered.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use causeway_client::Credential;
use causeway_proto::ids::PartName;
use causeway_websocket::{self as websocket, DialError, DialOptions, Dialed, Proxy};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use jiff::SignedDuration;
use rustls::ClientConfig;

pub(crate) const PATH: &str = "/tunnel/v1";
const CLIENT: HeaderName = HeaderName::from_static("causeway-client");
const SLOT: HeaderName = HeaderName::from_static("causeway-slot");
const GENERATION: HeaderName = HeaderName::from_static("causeway-generation");
const SERVER: &str = "causeway-server";
const SERVER_PART: &str = "tunnel-server";

const CONNECT_WAIT: Duration = Duration::from_secs(10);
const UPGRADE_WAIT: Duration = Duration::from_secs(10);
/// What the verifying end allows.
const LEEWAY: SignedDuration = SignedDuration::from_secs(60);

/// Dials for all slots of this client.
pub(crate) struct Dialler {
    pub(crate) url: Uri,
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) credential: Credential,
    /// Names this run of the client.
    pub(crate) instance: String,
}

impl Dialler {
    pub(crate) async fn dial(&self, slot: u8, generation: u64) -> anyhow::Result<Dialed> {
        let options = DialOptions {
            url: self.url.clone(),
            tls: Arc::clone(&self.tls),
            authorization: self.authorization()?,
            headers: self.seat(slot, generation)?,
            proxy: self.proxy.clone(),
            connect_timeout: CONNECT_WAIT,
            upgrade_timeout: UPGRADE_WAIT,
        };
        Ok(websocket::connect(options).await?)
    }

    fn seat(&self, slot: u8, generation: u64) -> anyhow::Result<HeaderMap> {
        let instance = HeaderValue::from_str(&self.instance).context("the client's instance")?;
        let seat = [
            (CLIENT, instance),
            (SLOT, HeaderValue::from(u16::from(slot))),
            (GENERATION, HeaderValue::from(generation)),
        ];
        Ok(HeaderMap::from_iter(seat))
    }

    fn authorization(&self) -> anyhow::Result<HeaderValue> {
        let part: PartName = SERVER_PART.parse().context("the part's name")?;
        let Credential::Signed(signer) = &self.credential else {
            anyhow::bail!("a tunnel needs the runtime's key");
        };
        let assertion = signer.for_path(PATH, &part)?;
        let mut value =
            HeaderValue::from_str(&format!("Bearer {assertion}")).context("the assertion")?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Which replica answered.
pub(crate) fn server(dialed: &Dialed) -> String {
    let value = dialed
        .headers
        .get(SERVER)
        .and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// Says by how much this machine's clock is wrong, where that explains a refusal.
pub(crate) fn clock_warning(offset: Option<SignedDuration>) -> Option<String> {
    let offset = offset.filter(|offset| offset.abs() > LEEWAY)?;
    Some(format!(
        "clock off by {} s against the server: set this machine's clock",
        offset.as_secs()
    ))
}

/// What to log of a dial that failed.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    let warning = match error.downcast_ref::<DialError>() {
        Some(DialError::Refused { clock_offset, .. }) => clock_warning(*clock_offset),
        _ => None,
    };
    warning.map_or_else(
        || format!("{error:#}"),
        |warning| format!("{error:#}; {warning}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_within_the_leeway_is_not_worth_a_word() {
        assert_eq!(clock_warning(None), None);
        assert_eq!(clock_warning(Some(SignedDuration::from_secs(-60))), None);
    }

    #[test]
    fn a_wrong_clock_is_named_with_its_offset() {
        let text = clock_warning(Some(SignedDuration::from_secs(-310))).unwrap();
        assert!(text.contains("clock off by -310 s"), "{text}");
    }
}
