//! Messages of the contract that commands print, with their full names and the items of lists.

use anyhow::Context as _;
use causeway_proto as proto;
use prost::Message;
use prost_reflect::{DynamicMessage, SerializeOptions};
use serde_json::Value;

/// A message that can be printed as JSON.
pub(crate) trait NamedMessage: Message + Default {
    /// Full name in the contract.
    const NAME: &'static str;
}

/// A response that is a list of items.
pub(crate) trait ListResponse: NamedMessage {
    type Item: NamedMessage;

    fn items_mut(&mut self) -> &mut Vec<Self::Item>;
}

/// A list response that comes in pages.
pub(crate) trait PageResponse: ListResponse {
    fn next_page_token_mut(&mut self) -> &mut String;
}

/// Converts a message to JSON.
pub(crate) fn to_json<M: NamedMessage>(message: &M) -> anyhow::Result<Value> {
    let descriptor = proto::descriptor_pool()
        .get_message_by_name(M::NAME)
        .with_context(|| format!("the contract has no {}", M::NAME))?;
    let message = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice())
        .context("reading a message by its descriptor")?;
    let options = SerializeOptions::new().skip_default_fields(true);
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .context("writing JSON")
}

macro_rules! messages {
    ($($package:ident::$version:ident { $($message:ident)* })*) => { $($(
        impl NamedMessage for proto::$package::$version::$message {
            const NAME: &'static str = concat!(
                "causeway.", stringify!($package), ".", stringify!($version), ".", stringify!($message)
            );
        }
    )*)* };
}

macro_rules! pages {
    ($($package:ident::$version:ident { $($response:ident.$items:ident: $item:ident)* })*) => {
        $($(
            impl ListResponse for proto::$package::$version::$response {
                type Item = proto::$package::$version::$item;

                fn items_mut(&mut self) -> &mut Vec<Self::Item> {
                    &mut self.$items
                }
            }

            impl PageResponse for proto::$package::$version::$response {
                fn next_page_token_mut(&mut self) -> &mut String {
                    &mut self.next_page_token
                }
            }
        )*)*
        messages! { $($package::$version { $($response)* })* }
    };
}

pages! {
    inventory::v1 {
        ListApplicationsResponse.applications: Application
        ListApplicationStatesResponse.states: AcceptedState
        ListDeploymentsResponse.deployments: DeploymentRecord
        ListEventsResponse.events: ReportedEvent
        ListImagesResponse.images: ImageInUse
        ListReportersResponse.groups: ReporterGroup
        ListResourcesResponse.resources: LiveResource
    }
    platform::v1 {
        ListAccountsResponse.accounts: Account
        ListApiKeysResponse.api_keys: ApiKey
        ListAuditRecordsResponse.records: AuditRecord
        ListIdentitiesResponse.identities: Identity
        ListIdentityProvidersResponse.providers: IdentityProvider
        ListJoinTokensResponse.join_tokens: JoinToken
        ListPartsResponse.parts: PartStatus
        ListRolesResponse.roles: Role
        ListRuntimesResponse.runtimes: Runtime
        ListSavedViewsResponse.views: SavedView
        ListServiceAccountsResponse.service_accounts: ServiceAccount
        ListSessionsResponse.sessions: UserSession
        ListUsersResponse.users: User
    }
    proxy::v1 {
        ListResourceActionsResponse.actions: ResourceAction
    }
    webhook::v1 {
        ListWebhookDeliveriesResponse.deliveries: WebhookDelivery
    }
}

messages! {
    git::v1 {
        ClosePullRequestResponse CommitChangeResponse CreateIntegrationResponse
        DeleteIntegrationResponse Integration ListIntegrationsResponse ListPullRequestsResponse
        MergePullRequestResponse OpenPullRequestResponse PlannedChange PreviewChangeResponse
        PullRequest TestIntegrationResponse
    }
    gitops::v1 {
        CreateGitSourceResponse DeleteGitSourceResponse GitSource ListGitSourcesResponse
    }
    inventory::v1 {
        AcceptedState Application CountDeploymentsResponse Deployment DeploymentRecord
        DiffApplicationResponse GetSummaryResponse ImageInUse ListApplicationFacetsResponse LiveResource
        Operation ReportedEvent ReporterGroup Resource SearchResponse WatchApplicationsResponse WatchResourcesResponse
    }
    platform::v1 {
        Account ApiKey AuditRecord CheckPermissionResponse CheckPermissionsResponse
        CreateAccountResponse CreateApiKeyResponse
        CreateJoinTokenResponse CreateRejoinTokenResponse
        DeleteIdentityProviderResponse DeleteRoleResponse DeleteSavedViewResponse DeleteUserResponse
        GetPlatformInfoResponse GetPreferencesResponse Identity IdentityProvider JoinToken
        IssueAssertionResponse ListSigningKeysResponse PartStatus Role RotateApiKeyResponse
        RevokeApiKeyResponse RevokeJoinTokenResponse RevokeRuntimeResponse RevokeSessionResponse
        RotateSealingKeyResponse RotateSigningKeyResponse Runtime SavedView ServiceAccount SigningKey User
        UnlinkIdentityResponse UserSession WhoAmIResponse
    }
    proxy::v1 {
        DeleteApplicationResponse DeleteResourceResponse ExecResponse RefreshApplicationResponse
        ResourceAction RollbackApplicationResponse RolloutOutcome RunResourceActionResponse
        SetApplicationSourceResponse StreamLogsResponse SyncApplicationResponse
        TerminateOperationResponse WorkflowOutcome
    }
    webhook::v1 {
        ListWebhookRoutesResponse ReplayWebhookDeliveryResponse TestWebhookRouteResponse
        WebhookDelivery WebhookRoute
    }
}

impl ListResponse for proto::git::v1::ListIntegrationsResponse {
    type Item = proto::git::v1::Integration;

    fn items_mut(&mut self) -> &mut Vec<Self::Item> {
        &mut self.integrations
    }
}

impl ListResponse for proto::git::v1::ListPullRequestsResponse {
    type Item = proto::git::v1::PullRequest;

    fn items_mut(&mut self) -> &mut Vec<Self::Item> {
        &mut self.pull_requests
    }
}

impl ListResponse for proto::webhook::v1::ListWebhookRoutesResponse {
    type Item = proto::webhook::v1::WebhookRoute;

    fn items_mut(&mut self) -> &mut Vec<Self::Item> {
        &mut self.routes
    }
}

impl ListResponse for proto::gitops::v1::ListGitSourcesResponse {
    type Item = proto::gitops::v1::GitSource;

    fn items_mut(&mut self) -> &mut Vec<Self::Item> {
        &mut self.git_sources
    }
}

impl ListResponse for proto::platform::v1::ListSigningKeysResponse {
    type Item = proto::platform::v1::SigningKey;

    fn items_mut(&mut self) -> &mut Vec<Self::Item> {
        &mut self.keys
    }
}
