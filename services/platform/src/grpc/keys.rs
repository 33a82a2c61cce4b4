//! `KeyService`.

use causeway_proto::{
    ids::KeyId,
    platform::v1::{self as pb, key_service_server::KeyService},
};
use futures::{StreamExt as _, stream::BoxStream};
use tonic::{Request, Response, Status};

use super::{Handler, internal};
use crate::{convert, revocation};

#[tonic::async_trait]
impl KeyService for Handler {
    async fn get_verification_key(
        &self,
        request: Request<pb::GetVerificationKeyRequest>,
    ) -> Result<Response<pb::GetVerificationKeyResponse>, Status> {
        // A text that cannot be a key id is the id of no key.
        let Ok(key_id) = request.get_ref().key_id.parse::<KeyId>() else {
            return Ok(Response::new(pb::GetVerificationKeyResponse { key: None }));
        };
        let found = self.0.verification_key(&key_id).await.map_err(internal)?;
        let key = found.and_then(|key| convert::verification_key(&key_id, &key));
        Ok(Response::new(pb::GetVerificationKeyResponse { key }))
    }

    type WatchRevocationsStream = BoxStream<'static, Result<pb::WatchRevocationsResponse, Status>>;

    async fn watch_revocations(
        &self,
        _request: Request<pb::WatchRevocationsRequest>,
    ) -> Result<Response<Self::WatchRevocationsStream>, Status> {
        let instance = self.0.instance().to_owned();
        let told = revocation::tell(self.0.revocations(), self.0.hearing());
        let responses = told.map(move |epoch| {
            let instance = instance.clone();
            Ok(pb::WatchRevocationsResponse { instance, epoch })
        });
        Ok(Response::new(responses.boxed()))
    }

    async fn list_signing_keys(
        &self,
        _request: Request<pb::ListSigningKeysRequest>,
    ) -> Result<Response<pb::ListSigningKeysResponse>, Status> {
        let certified = self.0.certified().map_err(internal)?;
        let keys = vec![certified.into()];
        Ok(Response::new(pb::ListSigningKeysResponse { keys }))
    }
}
