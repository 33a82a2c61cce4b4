//! The commands' way to the platform.

use std::fs;

use anyhow::Context as _;
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::{
    git::v1::{
        commit_service_client::CommitServiceClient,
        integration_service_client::IntegrationServiceClient,
        pull_request_service_client::PullRequestServiceClient,
    },
    gitops::v1::git_source_service_client::GitSourceServiceClient,
    inventory::v1::{
        ListApplicationsRequest, application_service_client::ApplicationServiceClient,
        reporter_service_client::ReporterServiceClient,
        resource_service_client::ResourceServiceClient, search_service_client::SearchServiceClient,
        summary_service_client::SummaryServiceClient, view_service_client::ViewServiceClient,
    },
    platform::v1::{
        account_service_client::AccountServiceClient, api_key_service_client::ApiKeyServiceClient,
        audit_service_client::AuditServiceClient,
        authorization_service_client::AuthorizationServiceClient,
        identity_provider_service_client::IdentityProviderServiceClient,
        info_service_client::InfoServiceClient, key_service_client::KeyServiceClient,
        part_service_client::PartServiceClient, permission_service_client::PermissionServiceClient,
        preference_service_client::PreferenceServiceClient, role_service_client::RoleServiceClient,
        runtime_service_client::RuntimeServiceClient,
        service_account_service_client::ServiceAccountServiceClient,
        session_service_client::SessionServiceClient, sign_in_service_client::SignInServiceClient,
        user_service_client::UserServiceClient,
    },
    proxy::v1::{
        application_action_service_client::ApplicationActionServiceClient,
        exec_service_client::ExecServiceClient, log_service_client::LogServiceClient,
        resource_action_service_client::ResourceActionServiceClient,
        rollout_action_service_client::RolloutActionServiceClient,
        workflow_action_service_client::WorkflowActionServiceClient,
    },
    webhook::v1::webhook_service_client::WebhookServiceClient,
};

use http::uri::PathAndQuery;
use prost::Message;
use tonic::{Request, Status, client::Grpc};
use tonic_prost::ProstCodec;

use crate::{
    context::{Entry, Session},
    transport,
};

const LIST_APPLICATIONS: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";

/// Clients of the services that commands call, over one connection.
#[derive(Clone)]
pub(crate) struct Connection {
    peer: Peer,
    address: String,
}

impl Connection {
    pub(crate) fn open(entry: &Entry) -> anyhow::Result<Self> {
        Self::with(entry, Credential::api_key(&shown(entry)?))
    }

    /// Connects without a credential, for public calls.
    pub(crate) fn anonymous(entry: &Entry) -> anyhow::Result<Self> {
        Self::with(entry, Credential::None)
    }

    fn with(entry: &Entry, credential: Credential) -> anyhow::Result<Self> {
        let ca = entry
            .ca_file
            .as_ref()
            .map(fs::read)
            .transpose()
            .context("cannot read --ca-file")?;
        let url = PeerUrl::parse(&entry.address, ca)
            .with_context(|| format!("the address '{}'", entry.address))?;
        let url = url.with_proxy(&transport::environment_proxy());
        let peer = Peer::new(&url, credential);
        let address = entry.address.clone();
        Ok(Self { peer, address })
    }

    /// The platform's address.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn audit(&self) -> AuditServiceClient<Peer> {
        AuditServiceClient::new(self.peer.clone())
    }

    pub(crate) fn applications(&self) -> ApplicationServiceClient<Peer> {
        ApplicationServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    /// A page of applications, read as far as its caller wants it.
    pub(crate) async fn listed_applications<M: Message + Default + 'static>(
        &self,
        request: ListApplicationsRequest,
    ) -> Result<M, Status> {
        let mut grpc = Grpc::new(self.peer.clone()).max_decoding_message_size(64 << 20);
        grpc.ready().await?;
        let path = PathAndQuery::from_static(LIST_APPLICATIONS);
        let answer = grpc.unary(Request::new(request), path, ProstCodec::default());
        Ok(answer.await?.into_inner())
    }

    pub(crate) fn resources(&self) -> ResourceServiceClient<Peer> {
        ResourceServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) fn views(&self) -> ViewServiceClient<Peer> {
        ViewServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) fn search(&self) -> SearchServiceClient<Peer> {
        SearchServiceClient::new(self.peer.clone())
    }

    pub(crate) fn summaries(&self) -> SummaryServiceClient<Peer> {
        SummaryServiceClient::new(self.peer.clone())
    }

    pub(crate) fn actions(&self) -> ApplicationActionServiceClient<Peer> {
        ApplicationActionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn rollout_actions(&self) -> RolloutActionServiceClient<Peer> {
        RolloutActionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn git_sources(&self) -> GitSourceServiceClient<Peer> {
        GitSourceServiceClient::new(self.peer.clone())
    }

    pub(crate) fn integrations(&self) -> IntegrationServiceClient<Peer> {
        IntegrationServiceClient::new(self.peer.clone())
    }

    pub(crate) fn webhooks(&self) -> WebhookServiceClient<Peer> {
        WebhookServiceClient::new(self.peer.clone())
    }

    pub(crate) fn commits(&self) -> CommitServiceClient<Peer> {
        CommitServiceClient::new(self.peer.clone())
    }

    pub(crate) fn pull_requests(&self) -> PullRequestServiceClient<Peer> {
        PullRequestServiceClient::new(self.peer.clone())
    }

    pub(crate) fn workflow_actions(&self) -> WorkflowActionServiceClient<Peer> {
        WorkflowActionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn resource_actions(&self) -> ResourceActionServiceClient<Peer> {
        ResourceActionServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) fn logs(&self) -> LogServiceClient<Peer> {
        LogServiceClient::new(self.peer.clone())
    }

    pub(crate) fn commands(&self) -> ExecServiceClient<Peer> {
        ExecServiceClient::new(self.peer.clone())
    }

    pub(crate) fn runtimes(&self) -> RuntimeServiceClient<Peer> {
        RuntimeServiceClient::new(self.peer.clone())
    }

    pub(crate) fn reporters(&self) -> ReporterServiceClient<Peer> {
        ReporterServiceClient::new(self.peer.clone())
    }

    pub(crate) fn keys(&self) -> KeyServiceClient<Peer> {
        KeyServiceClient::new(self.peer.clone())
    }

    pub(crate) fn parts(&self) -> PartServiceClient<Peer> {
        PartServiceClient::new(self.peer.clone())
    }

    pub(crate) fn authorization(&self) -> AuthorizationServiceClient<Peer> {
        AuthorizationServiceClient::new(self.peer.clone())
    }

    pub(crate) fn accounts(&self) -> AccountServiceClient<Peer> {
        AccountServiceClient::new(self.peer.clone())
    }

    pub(crate) fn api_keys(&self) -> ApiKeyServiceClient<Peer> {
        ApiKeyServiceClient::new(self.peer.clone())
    }

    pub(crate) fn info(&self) -> InfoServiceClient<Peer> {
        InfoServiceClient::new(self.peer.clone())
    }

    pub(crate) fn preferences(&self) -> PreferenceServiceClient<Peer> {
        PreferenceServiceClient::new(self.peer.clone())
    }

    pub(crate) fn permissions(&self) -> PermissionServiceClient<Peer> {
        PermissionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn roles(&self) -> RoleServiceClient<Peer> {
        RoleServiceClient::new(self.peer.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) fn users(&self) -> UserServiceClient<Peer> {
        UserServiceClient::new(self.peer.clone())
    }

    pub(crate) fn sessions(&self) -> SessionServiceClient<Peer> {
        SessionServiceClient::new(self.peer.clone())
    }

    pub(crate) fn sign_in(&self) -> SignInServiceClient<Peer> {
        SignInServiceClient::new(self.peer.clone())
    }

    pub(crate) fn identity_providers(&self) -> IdentityProviderServiceClient<Peer> {
        IdentityProviderServiceClient::new(self.peer.clone())
    }

    pub(crate) fn service_accounts(&self) -> ServiceAccountServiceClient<Peer> {
        ServiceAccountServiceClient::new(self.peer.clone())
    }
}

/// What is shown: the session, or else the API key.
pub(crate) fn shown(entry: &Entry) -> anyhow::Result<String> {
    let address = &entry.address;
    if let Some(session) = &entry.session {
        if session.is_over() {
            return Err(SignedOut::of(session, address).into());
        }
        return Ok(session.token.clone());
    }
    let Some(file) = &entry.api_key_file else {
        return Err(SignedOut::not_signed_in(address).into());
    };
    let key = fs::read_to_string(file);
    let key = key.with_context(|| format!("cannot read the API key in {}", file.display()))?;
    Ok(key.trim().to_owned())
}

/// Nobody is signed in any more.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct SignedOut(String);

impl SignedOut {
    fn not_signed_in(address: &str) -> Self {
        Self(format!(
            "not signed in at {address}: sign in with 'causeway login', or give --api-key-file"
        ))
    }

    fn of(session: &Session, address: &str) -> Self {
        let Session {
            user, expires_at, ..
        } = session;
        Self(format!(
            "the session of {user} at {address} ended at {expires_at}: sign in again with 'causeway login'"
        ))
    }
}
