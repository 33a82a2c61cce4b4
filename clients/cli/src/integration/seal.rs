//! Sealing of a credential to the key of a runtime.

use anyhow::{Context as _, bail};
use causeway_assertion::{PublicKey, SealPurpose};
use causeway_proto::{git::v1 as pb, platform::v1 as platform};
use prost::Message as _;

use crate::connection::Connection;

/// What the credential is bound to. It opens nowhere else.
pub(super) struct Place<'a> {
    pub(super) runtime: &'a str,
    pub(super) name: &'a str,
    pub(super) provider: pb::Provider,
    pub(super) url: &'a str,
}

/// Seals a credential. The platform tells the key, so a caller who knows its id from elsewhere may give it.
pub(super) async fn seal(
    connection: &Connection,
    place: &Place<'_>,
    credential: &pb::Credential,
    expected: Option<&str>,
) -> anyhow::Result<pb::SealedCredential> {
    let request = platform::GetRuntimeRequest {
        name: place.runtime.to_owned(),
    };
    let found = connection.runtimes().get_runtime(request).await?;
    let runtime = found.into_inner().runtime.unwrap_or_default();
    let key = PublicKey::from_bytes(&runtime.sealing_key);
    let key = key.context("the platform does not tell the runtime's sealing key: update it")?;
    if let Some(expected) = expected.filter(|expected| *expected != key.id().as_str()) {
        bail!(
            "the sealing key of {} is {}, not {expected}: ask the runtime's admin which is right",
            place.runtime,
            key.id()
        );
    }
    let number = i32::from(place.provider);
    let id = runtime.runtime_id;
    let context = format!("{id}\0{}\0{number}\0{}", place.name, place.url);
    let purpose = SealPurpose {
        info: b"causeway.git.v1.Credential",
        context: context.as_bytes(),
    };
    let sealed = key.seal(purpose, &credential.encode_to_vec())?;
    Ok(pb::SealedCredential {
        encapsulated_key: sealed.encapsulated_key.into(),
        ciphertext: sealed.ciphertext.into(),
    })
}
