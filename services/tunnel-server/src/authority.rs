//! Who calls and who dials, by verified assertions and by nothing else.

use std::sync::Arc;
use std::time::Duration;

use causeway_assertion::Side;
use causeway_assertion::{
    ExpectedAudience, KeySource, Subject, VerifiedAssertion, Verifier, VerifyError,
};
use causeway_proto::ids::PartName;
use causeway_shell::status::status;
use causeway_websocket::{Refusal, UpgradeRequest};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, header};
use tonic::{Code, Status};

use causeway_proto::error::v1::Reason;

use crate::connect::{ConnectAuthority, Dialler, PATH};
use crate::session::RuntimeAddress;

/// The one part of a runtime that opens tunnels.
const DIALLER: &str = "tunnel-client";

/// How long a dialler waits when keys cannot be asked for.
const KEYS_WAIT: Duration = Duration::from_secs(2);

/// Tunnel clients show an assertion made for this part and the tunnel's path, by a key that their runtime certified.
pub(crate) fn of_dialler(keys: Arc<dyn KeySource>, part: PartName) -> ConnectAuthority {
    let verifier = Verifier::new(keys, ExpectedAudience::platform(part));
    Arc::new(move |request: &UpgradeRequest| {
        let verifier = verifier.clone();
        let token = bearer(request.authorization.as_ref()).map(str::to_owned);
        async move {
            let token = token.ok_or_else(|| {
                Refusal::unauthenticated("send authorization: Bearer <assertion>")
            })?;
            let verified = verifier
                .verify(&token, PATH)
                .await
                .map_err(|error| refusal(&error))?;
            let address = runtime(&verified);
            let address =
                address.ok_or_else(|| Refusal::forbidden("only a runtime opens a tunnel"))?;
            let key = verified.trusted_key().clone();
            Ok(Dialler { address, key })
        }
        .boxed()
    })
}

/// Callers show an assertion for a part of the runtime that they call.
#[derive(Clone)]
pub(crate) struct Callers(Verifier);

impl Callers {
    pub(crate) fn new(keys: Arc<dyn KeySource>) -> Self {
        Self(Verifier::new(keys, ExpectedAudience::AnyRuntime))
    }

    /// For which runtime this caller calls the method of this path, where its assertion was
    /// verified before.
    pub(crate) fn known(
        &self,
        head: &HeaderMap,
        method: &str,
    ) -> Option<Result<RuntimeAddress, Status>> {
        let known = self
            .0
            .verify_cached(bearer(head.get(header::AUTHORIZATION))?, method)?;
        Some(known.map_err(Status::from).and_then(|known| target(&known)))
    }

    /// The same for any caller.
    pub(crate) fn verify<B>(
        &self,
        request: &Request<B>,
    ) -> BoxFuture<'static, Result<RuntimeAddress, Status>> {
        let verifier = self.0.clone();
        let token = bearer(request.headers().get(header::AUTHORIZATION)).map(str::to_owned);
        let method = request.uri().path().to_owned();
        async move {
            let token = token.ok_or_else(missing)?;
            let verified = verifier.verify(&token, &method).await?;
            target(&verified)
        }
        .boxed()
    }
}

fn bearer(value: Option<&HeaderValue>) -> Option<&str> {
    let (scheme, token) = value?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

fn runtime(verified: &VerifiedAssertion) -> Option<RuntimeAddress> {
    match &verified.claims().sub {
        Subject::Runtime { account, runtime } => Some(RuntimeAddress {
            account: account.clone(),
            runtime: runtime.clone(),
        }),
        Subject::Part { side, part } if *side == Side::Runtime && part.as_str() == DIALLER => {
            Some(RuntimeAddress {
                account: verified.caller().account.clone(),
                runtime: verified.caller().runtime.clone()?,
            })
        }
        Subject::User(_) | Subject::Part { .. } => None,
    }
}

/// A runtime does not call itself through the platform.
fn target(verified: &VerifiedAssertion) -> Result<RuntimeAddress, Status> {
    let claims = verified.claims();
    let platform_side = match &claims.sub {
        Subject::User(_) => true,
        Subject::Part { side, .. } => *side == Side::Platform,
        Subject::Runtime { .. } => false,
    };
    let runtime = claims.aud.runtime.clone().filter(|_| platform_side);
    let runtime = runtime.ok_or_else(|| {
        let text = "only users and parts of the platform call through the tunnel";
        status(Code::PermissionDenied, Reason::PermissionDenied, text)
    })?;
    Ok(RuntimeAddress {
        account: claims.aud.account.clone(),
        runtime,
    })
}

fn missing() -> Status {
    let text = "this call needs an assertion: send authorization: Bearer <assertion>";
    status(Code::Unauthenticated, Reason::CredentialMissing, text)
}

/// A runtime whose key was revoked, or whose clock is off, reads here what to do.
fn refusal(error: &VerifyError) -> Refusal {
    if let VerifyError::Keys(error) = error {
        tracing::warn!(%error, "keys of runtimes cannot be asked for");
        return Refusal::unavailable("the keys of runtimes are not at hand", KEYS_WAIT);
    }
    Refusal::unauthenticated(&error.to_string())
}
