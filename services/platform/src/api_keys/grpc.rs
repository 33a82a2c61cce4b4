//! gRPC handlers of `ApiKeyService`.

use causeway_proto::{ids::KeyId, platform::v1 as pb};
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, PAGES, sees, user_of};
use crate::{
    api_keys::model::ApiKey, api_keys::service::ApiKeyService, convert, platform::now,
    secret::Secret,
};

#[tonic::async_trait]
impl pb::api_key_service_server::ApiKeyService for Handler<ApiKeyService> {
    async fn create_api_key(
        &self,
        request: Request<pb::CreateApiKeyRequest>,
    ) -> Result<Response<pb::CreateApiKeyResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateApiKey", asked)?;
        let new = convert::new_api_key(asked, now())?;
        let made = self
            .0
            .create_api_key(&requester, &unique, new, now())
            .await?;
        Ok(Response::new(pb::CreateApiKeyResponse {
            api_key: Some(made.0.into()),
            secret: shown(made.1),
        }))
    }

    async fn rotate_api_key(
        &self,
        request: Request<pb::RotateApiKeyRequest>,
    ) -> Result<Response<pb::RotateApiKeyResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "RotateApiKey", asked)?;
        let key_id: KeyId = convert::id("key_id", &asked.key_id)?;
        let rotation = convert::rotation(asked.overlap_seconds, now())?;
        let rotated = self
            .0
            .rotate_api_key(&requester, &unique, &key_id, rotation);
        let (key, secret) = rotated.await?;
        Ok(Response::new(pb::RotateApiKeyResponse {
            api_key: Some(key.into()),
            secret: shown(secret),
        }))
    }

    async fn list_api_keys(
        &self,
        request: Request<pb::ListApiKeysRequest>,
    ) -> Result<Response<pb::ListApiKeysResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let page = Page::from_request(request.get_ref(), caller, PAGES)?;
        let asked = (page.after().cloned(), page.fetch_limit());
        let found = self
            .0
            .list_api_keys(&requester, asked, |owner| sees(caller, owner))
            .await?;
        let (keys, next_page_token) = page.split_page(found, ApiKey::place);
        Ok(Response::new(pb::ListApiKeysResponse {
            api_keys: keys.into_iter().map(pb::ApiKey::from).collect(),
            next_page_token,
        }))
    }

    async fn revoke_api_key(
        &self,
        request: Request<pb::RevokeApiKeyRequest>,
    ) -> Result<Response<pb::RevokeApiKeyResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "RevokeApiKey", asked)?;
        let key_id: KeyId = convert::id("key_id", &asked.key_id)?;
        let revoked = self.0.revoke_api_key(&requester, &unique, &key_id, now());
        let api_key = Some(revoked.await?.into());
        Ok(Response::new(pb::RevokeApiKeyResponse { api_key }))
    }
}

/// The text of a secret that is shown this once; empty for a repeat.
pub(crate) fn shown(secret: Option<Secret>) -> String {
    secret.map_or_else(String::new, |secret| secret.expose().to_owned())
}
