//! A platform on a port, and calls to it as its callers make them.

use std::{fs, path::Path, sync::Arc, time::Duration};

use causeway_assertion::SigningKey;
use causeway_client::{Credential, Peer, PeerUrl, RuntimeIdentity};
use causeway_platform::Args;
use causeway_proto::{
    ids::RequestId,
    platform::v1::{
        self as pb, api_key_service_client::ApiKeyServiceClient,
        audit_service_client::AuditServiceClient,
        authorization_service_client::AuthorizationServiceClient,
        key_service_client::KeyServiceClient, part_service_client::PartServiceClient,
        runtime_service_client::RuntimeServiceClient,
    },
};
use causeway_shell::{Shell, TestStop};
use prost::Message;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tonic::{Request, Status};

const DRAIN: Duration = Duration::from_secs(60);

/// Stage of the call that is authorized.
pub(crate) struct CallStage {
    pub(crate) folder: TempDir,
    pub(crate) url: PeerUrl,
    stop: TestStop,
    served: JoinHandle<anyhow::Result<()>>,
}

pub(crate) fn args(folder: &Path) -> Args {
    Args {
        new_root_key: false,
        data: folder.join("data"),
        admin_key_file: None,
        tunnel_url: Some("wss://localhost:7401/tunnel/v1".to_owned()),
        tunnel_ca: None,
        audit_retention: None,
        session_age: "12h".parse().unwrap(),
        public_url: None,
        loopback_issuers: true,
        database: Default::default(),
        keys: None,
        signing_key_age: "30d".parse().unwrap(),
    }
}

/// The reason of a refusal.
pub(crate) fn reason(status: &Status) -> String {
    use tonic_types::StatusExt as _;
    status
        .get_details_error_info()
        .map(|info| info.reason)
        .unwrap_or_default()
}

pub(crate) fn new_id() -> String {
    RequestId::generate().to_string()
}

/// What the router asks before it sends a message on.
pub(crate) fn question(secret: &str, method: &str, message: &impl Message) -> pb::AuthorizeRequest {
    pb::AuthorizeRequest {
        credential: secret.to_owned(),
        method: method.to_owned(),
        request_digest: Sha256::digest(message.encode_to_vec()).to_vec().into(),
        request_id: new_id(),
        ..Default::default()
    }
}

impl CallStage {
    pub(crate) async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap()).await
    }

    pub(crate) async fn start_in(folder: TempDir) -> Self {
        let args = args(folder.path());
        Self::start_with(folder, args).await
    }

    pub(crate) async fn start_with(folder: TempDir, args: Args) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (shell, stop) = Shell::for_test("platform");
        let mut health = shell.health();
        let serving = causeway_platform::serve(args, listener, shell);
        #[expect(
            clippy::disallowed_methods,
            reason = "the stage waits for it in its end"
        )]
        let served = tokio::spawn(serving);
        let ready = |health: &causeway_shell::Health| *health == causeway_shell::Health::Ready;
        tokio::time::timeout(DRAIN, health.wait_for(ready))
            .await
            .unwrap()
            .unwrap();
        let url = PeerUrl::parse(&format!("http://{address}"), None).unwrap();
        Self {
            folder,
            url,
            stop,
            served,
        }
    }

    /// Drains and gives back the folder.
    pub(crate) async fn end(self) -> TempDir {
        self.stop.stop().await.unwrap();
        tokio::time::timeout(DRAIN, self.served)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        self.folder
    }

    pub(crate) async fn restart(self) -> Self {
        Self::start_in(self.end().await).await
    }

    pub(crate) fn admin_key(&self) -> String {
        let text = fs::read_to_string(args(self.folder.path()).admin_key_file()).unwrap();
        text.trim().to_owned()
    }

    /// A peer that shows a text as its bearer.
    pub(crate) fn bearer(&self, text: &str) -> Peer {
        Peer::new(&self.url, Credential::api_key(text))
    }

    /// A part of the platform.
    pub(crate) fn part(&self, name: &str) -> Peer {
        let pem = fs::read_to_string(args(self.folder.path()).part_issuer_key_file()).unwrap();
        let key = Arc::new(SigningKey::from_pem(&pem).unwrap());
        Peer::new(
            &self.url,
            Credential::platform_part(key, name.parse().unwrap()),
        )
    }

    pub(crate) fn authorization(&self) -> AuthorizationServiceClient<Peer> {
        AuthorizationServiceClient::new(self.part("request-router"))
    }

    pub(crate) async fn authorize(
        &self,
        request: pb::AuthorizeRequest,
    ) -> Result<pb::AuthorizeResponse, Status> {
        Ok(self.authorization().authorize(request).await?.into_inner())
    }

    /// A peer that may make one call of a method with one message, for the holder of an API key.
    pub(crate) async fn allowed(
        &self,
        secret: &str,
        method: &str,
        message: &impl Message,
    ) -> Result<Peer, Status> {
        let permit = self.authorize(question(secret, method, message)).await?;
        Ok(self.bearer(&permit.assertion))
    }

    pub(crate) async fn create_api_key(
        &self,
        secret: &str,
        request: pb::CreateApiKeyRequest,
    ) -> Result<pb::CreateApiKeyResponse, Status> {
        let path = "/causeway.platform.v1.ApiKeyService/CreateApiKey";
        let peer = self.allowed(secret, path, &request).await?;
        Ok(ApiKeyServiceClient::new(peer)
            .create_api_key(request)
            .await?
            .into_inner())
    }

    pub(crate) async fn list_api_keys(&self, secret: &str) -> Result<Vec<pb::ApiKey>, Status> {
        let request = pb::ListApiKeysRequest::default();
        let path = "/causeway.platform.v1.ApiKeyService/ListApiKeys";
        let peer = self.allowed(secret, path, &request).await?;
        Ok(ApiKeyServiceClient::new(peer)
            .list_api_keys(request)
            .await?
            .into_inner()
            .api_keys)
    }

    pub(crate) async fn revoke_api_key(
        &self,
        secret: &str,
        key_id: &str,
    ) -> Result<pb::ApiKey, Status> {
        let request = pb::RevokeApiKeyRequest {
            key_id: key_id.to_owned(),
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.ApiKeyService/RevokeApiKey";
        let peer = self.allowed(secret, path, &request).await?;
        Ok(ApiKeyServiceClient::new(peer)
            .revoke_api_key(request)
            .await?
            .into_inner()
            .api_key
            .unwrap())
    }

    pub(crate) async fn create_join_token(
        &self,
        name: &str,
        request_id: &str,
    ) -> Result<pb::CreateJoinTokenResponse, Status> {
        let request = pb::CreateJoinTokenRequest {
            runtime: name.to_owned(),
            request_id: request_id.to_owned(),
        };
        let path = "/causeway.platform.v1.RuntimeService/CreateJoinToken";
        let peer = self.allowed(&self.admin_key(), path, &request).await?;
        Ok(RuntimeServiceClient::new(peer)
            .create_join_token(request)
            .await?
            .into_inner())
    }

    pub(crate) fn runtimes(&self, credential: Credential) -> RuntimeServiceClient<Peer> {
        RuntimeServiceClient::new(Peer::new(&self.url, credential))
    }

    /// Joins a runtime as one does, with its keys in a folder of its own.
    pub(crate) async fn join(&self, name: &str) -> RuntimeIdentity {
        let token = self.create_join_token(name, &new_id()).await.unwrap().token;
        self.use_token(name, &token).await.unwrap()
    }

    pub(crate) async fn use_token(
        &self,
        folder: &str,
        token: &str,
    ) -> anyhow::Result<RuntimeIdentity> {
        let folder = self.folder.path().join(folder);
        let peer = Peer::new(&self.url, Credential::None);
        RuntimeIdentity::join(&folder, &self.url, peer, token).await
    }

    pub(crate) async fn get_runtime(&self, name: &str) -> Result<pb::Runtime, Status> {
        let request = pb::GetRuntimeRequest {
            name: name.to_owned(),
        };
        let path = "/causeway.platform.v1.RuntimeService/GetRuntime";
        let peer = self.allowed(&self.admin_key(), path, &request).await?;
        Ok(RuntimeServiceClient::new(peer)
            .get_runtime(request)
            .await?
            .into_inner()
            .runtime
            .unwrap())
    }

    pub(crate) async fn revoke_runtime(&self, name: &str) -> Result<pb::Runtime, Status> {
        let request = pb::RevokeRuntimeRequest {
            name: name.to_owned(),
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.RuntimeService/RevokeRuntime";
        let peer = self.allowed(&self.admin_key(), path, &request).await?;
        Ok(RuntimeServiceClient::new(peer)
            .revoke_runtime(request)
            .await?
            .into_inner()
            .runtime
            .unwrap())
    }

    pub(crate) async fn audit(
        &self,
        page_size: u32,
        token: &str,
    ) -> Result<pb::ListAuditRecordsResponse, Status> {
        let request = pb::ListAuditRecordsRequest {
            page_size,
            page_token: token.to_owned(),
            ..Default::default()
        };
        let path = "/causeway.platform.v1.AuditService/ListAuditRecords";
        let peer = self.allowed(&self.admin_key(), path, &request).await?;
        Ok(AuditServiceClient::new(peer)
            .list_audit_records(request)
            .await?
            .into_inner())
    }

    pub(crate) async fn parts(&self) -> Vec<pb::PartStatus> {
        let request = pb::ListPartsRequest::default();
        let path = "/causeway.platform.v1.PartService/ListParts";
        let peer = self
            .allowed(&self.admin_key(), path, &request)
            .await
            .unwrap();
        PartServiceClient::new(peer)
            .list_parts(request)
            .await
            .unwrap()
            .into_inner()
            .parts
    }

    pub(crate) async fn verification_key(&self, key_id: &str) -> Option<pb::VerificationKey> {
        let request = pb::GetVerificationKeyRequest {
            key_id: key_id.to_owned(),
        };
        let mut keys = KeyServiceClient::new(self.part("inventory"));
        keys.get_verification_key(Request::new(request))
            .await
            .unwrap()
            .into_inner()
            .key
    }
}
