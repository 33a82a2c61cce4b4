mod certificates;
mod claims;
mod forgeries;
mod keys;
mod mutations;
mod replay_cache;

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_proto::ids::RequestId;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::{
    replay_cache::{ReplayCache, UseResult},
    *,
};
use crate::Side;

const METHOD: &str = "/causeway.inventory.v1.ApplicationService/GetApplication";

struct Stage {
    platform: SigningKey,
    runtime: SigningKey,
    parts: SigningKey,
    verifier: Verifier,
}

/// `inventory` of the platform, with the platform's signing key, its key for its parts, and the key of runtime `r1` of `acme`.
fn stage() -> Stage {
    let [platform, runtime, parts] = std::array::from_fn(|_| SigningKey::generate().unwrap());
    let trusted = |key: &SigningKey, authority| TrustedKey {
        key: *key.public_key(),
        authority,
    };
    let keys = StaticKeys::new([
        trusted(&platform, Authority::Platform),
        trusted(&parts, Authority::PlatformParts),
        trusted(&runtime, r1()),
    ]);
    let recipient = ExpectedAudience::platform(id("inventory"));
    Stage {
        verifier: Verifier::new(Arc::new(keys), recipient),
        platform,
        runtime,
        parts,
    }
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn r1() -> Authority {
    Authority::Runtime {
        account: id("acme"),
        runtime: id("r1"),
    }
}

fn claims(subject: &str, audience: &str) -> Claims {
    let life = Duration::from_secs(60);
    let issuer = if subject.starts_with("user:") {
        "platform"
    } else {
        subject
    };
    Claims::for_read(issuer, id(subject), id(audience), METHOD, life)
}

fn part_of_platform(part: &str) -> KeyHolder {
    KeyHolder::platform(id(part))
}

fn part_of_r1(part: &str) -> KeyHolder {
    KeyHolder::runtime(id("acme"), id("r1"), id(part))
}

/// A part's key for an hour.
fn issue(issuer: &SigningKey, holder: KeyHolder) -> PartKey {
    PartKey::issue(issuer, holder, 3600).unwrap()
}

fn read() -> Claims {
    claims("user:ada", "acme/-/inventory").with_scope(Scope::everything("admin"))
}

async fn refusal(stage: &Stage, token: &str) -> String {
    let status: Status = stage
        .verifier
        .verify(token, METHOD)
        .await
        .unwrap_err()
        .into();
    assert_eq!(status.code(), Code::Unauthenticated, "{status:?}");
    let reason = status.get_details_error_info().unwrap().reason;
    format!("{reason}: {}", status.message())
}
