//! A server of two services of the contract, whose handlers do what their requests say.

use std::{net::SocketAddr, pin::Pin, sync::Arc, time::Duration};

use causeway_assertion::{
    Authority, Claims, ExpectedAudience, Scope, SigningKey, StaticKeys, TrustedKey, Verifier,
};
use causeway_proto::{
    ids::RequestId,
    inventory::v1::{
        self as inventory,
        application_service_server::{ApplicationService, ApplicationServiceServer},
    },
    platform::v1::{
        self as pb,
        api_key_service_server::{ApiKeyService, ApiKeyServiceServer},
    },
};
use causeway_shell::{Access, Caller, Server, Shell, TestStop};
use tokio::{net::TcpListener, sync::Semaphore};
use tonic::{Request, Response, Status, transport::Channel};

pub(crate) const CREATE: &str = "/causeway.platform.v1.ApiKeyService/CreateApiKey";
pub(crate) const LIST: &str = "/causeway.platform.v1.ApiKeyService/ListApiKeys";
pub(crate) const REVOKE: &str = "/causeway.platform.v1.ApiKeyService/RevokeApiKey";
pub(crate) const WATCH: &str = "/causeway.inventory.v1.ApplicationService/WatchApplications";

pub(crate) struct Stage {
    pub(crate) key: SigningKey,
    /// Certifies parts of the platform.
    pub(crate) parts: SigningKey,
    pub(crate) shell: Shell,
    pub(crate) stop: TestStop,
    pub(crate) address: SocketAddr,
    /// Each permit lets one `ListApiKeys` answer.
    pub(crate) gate: Arc<Semaphore>,
    /// Each permit is a `ListApiKeys` that came to the gate.
    pub(crate) waiting: Arc<Semaphore>,
}

pub(crate) fn access(key: &SigningKey) -> Access {
    access_with(key, &SigningKey::generate().unwrap())
}

fn access_with(key: &SigningKey, parts: &SigningKey) -> Access {
    let trusted = |key: &SigningKey, authority| TrustedKey {
        key: *key.public_key(),
        authority,
    };
    let keys = StaticKeys::new([
        trusted(key, Authority::Platform),
        trusted(parts, Authority::PlatformParts),
    ]);
    let recipient = ExpectedAudience::platform("platform".parse().unwrap());
    Access::from_contract(Verifier::new(Arc::new(keys), recipient))
}

impl Stage {
    pub(crate) async fn start() -> Self {
        Self::start_with(|server| server).await
    }

    pub(crate) async fn start_with(change: impl FnOnce(Server) -> Server) -> Self {
        let [key, parts] = std::array::from_fn(|_| SigningKey::generate().unwrap());
        let (shell, stop) = Shell::for_test("platform");
        let [gate, waiting] = std::array::from_fn(|_| Arc::new(Semaphore::new(0)));
        let server = shell
            .server(access_with(&key, &parts))
            .add(ApiKeyServiceServer::new(Keys {
                gate: gate.clone(),
                waiting: waiting.clone(),
            }))
            .add(ApplicationServiceServer::new(Applications));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        shell
            .tasks()
            .spawn_essential("server", change(server).serve(listener));
        Self {
            key,
            parts,
            shell,
            stop,
            address,
            gate,
            waiting,
        }
    }

    pub(crate) async fn channel(&self) -> Channel {
        Channel::from_shared(format!("http://{}", self.address))
            .unwrap()
            .connect()
            .await
            .unwrap()
    }

    pub(crate) fn read<T>(&self, method: &str, message: T) -> Request<T> {
        authorized(message, &self.key.sign(&claims(method)).unwrap())
    }

    pub(crate) fn mutation<T: prost::Message>(&self, method: &str, message: T) -> Request<T> {
        let claims = claims(method);
        let claims = claims.for_one_request(&message.encode_to_vec(), RequestId::generate());
        authorized(message, &self.key.sign(&claims).unwrap())
    }
}

/// What user `ada` of `acme` may ask of `platform`.
pub(crate) fn claims(method: &str) -> Claims {
    Claims::for_read(
        "platform",
        "user:ada".parse().unwrap(),
        "acme/-/platform".parse().unwrap(),
        method,
        Duration::from_secs(60),
    )
    .with_scope(Scope::everything("admin"))
}

pub(crate) fn authorized<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let bearer = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    request
}

pub(crate) fn named(display_name: &str) -> pb::CreateApiKeyRequest {
    pb::CreateApiKeyRequest {
        display_name: display_name.to_owned(),
        ..Default::default()
    }
}

struct Keys {
    gate: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

#[tonic::async_trait]
impl ApiKeyService for Keys {
    /// Answers with who called and what for.
    async fn create_api_key(
        &self,
        request: Request<pb::CreateApiKeyRequest>,
    ) -> Result<Response<pb::CreateApiKeyResponse>, Status> {
        let subject = Caller::from_request(&request)?.subject.to_string();
        let api_key = pb::ApiKey {
            display_name: request.into_inner().display_name,
            subject,
            ..Default::default()
        };
        Ok(Response::new(pb::CreateApiKeyResponse {
            api_key: Some(api_key),
            ..Default::default()
        }))
    }

    /// Answers when the gate opens.
    async fn list_api_keys(
        &self,
        _: Request<pb::ListApiKeysRequest>,
    ) -> Result<Response<pb::ListApiKeysResponse>, Status> {
        self.waiting.add_permits(1);
        self.gate.acquire().await.unwrap().forget();
        Ok(Response::new(Default::default()))
    }

    async fn rotate_api_key(
        &self,
        _: Request<pb::RotateApiKeyRequest>,
    ) -> Result<Response<pb::RotateApiKeyResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn revoke_api_key(
        &self,
        _: Request<pb::RevokeApiKeyRequest>,
    ) -> Result<Response<pb::RevokeApiKeyResponse>, Status> {
        panic!("a bug");
    }
}

struct Applications;

type Events = Pin<
    Box<dyn futures::Stream<Item = Result<inventory::WatchApplicationsResponse, Status>> + Send>,
>;

#[tonic::async_trait]
impl ApplicationService for Applications {
    async fn batch_get_manifests(
        &self,
        _: Request<inventory::BatchGetManifestsRequest>,
    ) -> Result<Response<inventory::BatchGetManifestsResponse>, Status> {
        Err(Status::unimplemented("batch_get_manifests"))
    }

    type WatchApplicationsStream = Events;

    /// One event, then nothing for ever, whatever the shell does.
    async fn watch_applications(
        &self,
        _: Request<inventory::WatchApplicationsRequest>,
    ) -> Result<Response<Events>, Status> {
        use futures::StreamExt as _;
        let first = futures::stream::iter([Ok(inventory::WatchApplicationsResponse::default())]);
        Ok(Response::new(
            first.chain(futures::stream::pending()).boxed(),
        ))
    }

    async fn list_applications(
        &self,
        _: Request<inventory::ListApplicationsRequest>,
    ) -> Result<Response<inventory::ListApplicationsResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn list_deployments(
        &self,
        _: Request<inventory::ListDeploymentsRequest>,
    ) -> Result<Response<inventory::ListDeploymentsResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn list_application_facets(
        &self,
        _: Request<inventory::ListApplicationFacetsRequest>,
    ) -> Result<Response<inventory::ListApplicationFacetsResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn list_application_states(
        &self,
        _: Request<inventory::ListApplicationStatesRequest>,
    ) -> Result<Response<inventory::ListApplicationStatesResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn diff_application(
        &self,
        _: Request<inventory::DiffApplicationRequest>,
    ) -> Result<Response<inventory::DiffApplicationResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn get_application(
        &self,
        _: Request<inventory::GetApplicationRequest>,
    ) -> Result<Response<inventory::GetApplicationResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn get_manifest(
        &self,
        _: Request<inventory::GetManifestRequest>,
    ) -> Result<Response<inventory::GetManifestResponse>, Status> {
        Ok(Response::new(Default::default()))
    }
}
