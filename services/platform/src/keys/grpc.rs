//! gRPC handlers of `KeyService`.

use causeway_proto::{
    error::v1::Reason, ids::KeyId, platform::v1 as pb, time::millis_to_timestamp,
};
use causeway_shell::status::status;
use futures::{StreamExt as _, stream::BoxStream};
use tonic::{Code, Request, Response, Status};

use crate::grpc::{Handler, internal, reused, user_of};
use crate::{
    authorization::revocation,
    convert,
    keys::ring::{Handover, RotateError},
    keys::service::KeyService,
    sign_in::{sealing, sealing::SealError},
};

#[tonic::async_trait]
impl pb::key_service_server::KeyService for Handler<KeyService> {
    async fn get_verification_key(
        &self,
        request: Request<pb::GetVerificationKeyRequest>,
    ) -> Result<Response<pb::GetVerificationKeyResponse>, Status> {
        // A text that cannot be a key id is the id of no key.
        let Ok(key_id) = request.get_ref().key_id.parse::<KeyId>() else {
            return Ok(Response::new(pb::GetVerificationKeyResponse { key: None }));
        };
        let found = self.0.verification_key(&key_id).await?;
        let key = found.and_then(|key| convert::verification_key(&key_id, &key));
        Ok(Response::new(pb::GetVerificationKeyResponse { key }))
    }

    type WatchRevocationsStream = BoxStream<'static, Result<pb::WatchRevocationsResponse, Status>>;

    async fn watch_revocations(
        &self,
        _request: Request<pb::WatchRevocationsRequest>,
    ) -> Result<Response<Self::WatchRevocationsStream>, Status> {
        let instance = self.0.instance.clone();
        let feed = self.0.subscribe_to_feed();
        let epochs = revocation::stream_epochs(self.0.revocations(), feed);
        let responses = epochs.map(move |epoch| {
            let instance = instance.clone();
            Ok(pb::WatchRevocationsResponse { instance, epoch })
        });
        Ok(Response::new(responses.boxed()))
    }

    async fn list_signing_keys(
        &self,
        _request: Request<pb::ListSigningKeysRequest>,
    ) -> Result<Response<pb::ListSigningKeysResponse>, Status> {
        let keys = self.0.signing_keys().map_err(internal)?;
        let keys = keys.into_iter().map(Into::into).collect();
        Ok(Response::new(pb::ListSigningKeysResponse { keys }))
    }

    async fn rotate_signing_key(
        &self,
        request: Request<pb::RotateSigningKeyRequest>,
    ) -> Result<Response<pb::RotateSigningKeyResponse>, Status> {
        user_of(&request)?;
        let asked = request.get_ref();
        let request_id = convert::id("request_id", &asked.request_id)?;
        let handover = handover(asked.at_once);
        let keys = self.0.rotate_signing_key(request_id, handover)?;
        let keys = keys.into_iter().map(Into::into).collect();
        Ok(Response::new(pb::RotateSigningKeyResponse { keys }))
    }

    async fn rotate_sealing_key(
        &self,
        request: Request<pb::RotateSealingKeyRequest>,
    ) -> Result<Response<pb::RotateSealingKeyResponse>, Status> {
        user_of(&request)?;
        let asked = request.get_ref();
        let request_id = convert::id("request_id", &asked.request_id)?;
        let handover = handover(asked.at_once);
        let begins = self.0.rotate_sealing_key(request_id, handover)?;
        let seals_from = Some(millis_to_timestamp(begins.saturating_mul(1000)));
        Ok(Response::new(pb::RotateSealingKeyResponse { seals_from }))
    }
}

fn handover(at_once: bool) -> Handover {
    if at_once {
        Handover::AtOnce
    } else {
        Handover::Overlapping
    }
}

/// What to do where the folder of the keys is a copy.
fn unchanged(error: impl Into<anyhow::Error>, kind: &str) -> Status {
    let text = format!("{:#}", error.into());
    Status::failed_precondition(format!(
        "the key files cannot be changed here: {text}; put a new file {kind}-<seconds since 1970>.pem where they come from"
    ))
}

impl From<RotateError> for Status {
    fn from(error: RotateError) -> Self {
        match error {
            RotateError::Files(error) => unchanged(error, "signing"),
            RotateError::Signing(error) => internal(error),
            RotateError::Reused => reused(),
        }
    }
}

impl From<sealing::RotateError> for Status {
    fn from(error: sealing::RotateError) -> Self {
        let text = error.to_string();
        match error {
            sealing::RotateError::Reused => reused(),
            sealing::RotateError::TooMany => {
                status(Code::ResourceExhausted, Reason::TooLarge, text)
            }
            sealing::RotateError::Seal(error) => match error {
                SealError::File { .. } => unchanged(error, "sign-in"),
                SealError::NoKey(_) | SealError::None(_) | SealError::Foreign => internal(error),
            },
        }
    }
}
