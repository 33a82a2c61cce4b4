//! `ApiKeyService`.

use causeway_proto::{
    error::v1::Reason,
    ids::KeyId,
    platform::v1::{self as pb, api_key_service_server::ApiKeyService},
};
use causeway_shell::status::status;
use tonic::{Code, Request, Response, Status};

use super::{Handler, reused, user_of};
use crate::{
    convert::{self, FieldError},
    platform::now,
    request::Recorded,
    store::KeyRevokeOutcome,
};

#[tonic::async_trait]
impl ApiKeyService for Handler {
    async fn create_api_key(
        &self,
        request: Request<pb::CreateApiKeyRequest>,
    ) -> Result<Response<pb::CreateApiKeyResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = convert::user_request(caller, user, "CreateApiKey", request.get_ref())?;
        let key = convert::new_api_key(caller, user, request.get_ref(), now())?;
        let (recorded, secret) = self.0.create_api_key(&asked, &key).await?;
        match recorded {
            Recorded::First(key) => Ok(Response::new(convert::created(key, secret.expose()))),
            Recorded::Repeated(key) => Ok(Response::new(convert::created(key, ""))),
            Recorded::Reused => Err(reused()),
        }
    }

    async fn list_api_keys(
        &self,
        request: Request<pb::ListApiKeysRequest>,
    ) -> Result<Response<pb::ListApiKeysResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let keys = self.0.list_api_keys(&caller.account).await?;
        let api_keys = keys.into_iter().map(pb::ApiKey::from).collect();
        Ok(Response::new(pb::ListApiKeysResponse { api_keys }))
    }

    async fn revoke_api_key(
        &self,
        request: Request<pb::RevokeApiKeyRequest>,
    ) -> Result<Response<pb::RevokeApiKeyResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = convert::user_request(caller, user, "RevokeApiKey", request.get_ref())?;
        let key_id: KeyId = convert::id("key_id", &request.get_ref().key_id)?;
        match self.0.revoke_api_key(&asked, &key_id).await? {
            KeyRevokeOutcome::Revoked(Recorded::First(key) | Recorded::Repeated(key)) => {
                let api_key = Some(key.into());
                Ok(Response::new(pb::RevokeApiKeyResponse { api_key }))
            }
            KeyRevokeOutcome::Revoked(Recorded::Reused) => Err(reused()),
            KeyRevokeOutcome::Unknown => {
                let text = FieldError::new("key_id", "there is no such key").to_string();
                Err(status(Code::NotFound, Reason::FieldInvalid, text))
            }
        }
    }
}
