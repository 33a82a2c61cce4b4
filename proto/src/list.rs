//! Common interface of paginated list requests.

use prost::Message as _;

/// List request with page size and page token.
pub trait ListRequest: Sized {
    /// Unique name, which binds page tokens to the request type.
    const NAME: &'static str;

    /// Requested page size; 0 for the default.
    fn page_size(&self) -> u32;

    /// Token of the previous page; empty for the first page.
    fn page_token(&self) -> &str;

    /// Replaces the page token.
    #[must_use]
    fn with_token(self, token: String) -> Self;

    /// Returns the encoded request without its page fields.
    fn query(&self) -> Vec<u8>;
}

macro_rules! list_requests {
    ($($area:ident::$request:ident),* $(,)?) => {
        $(impl ListRequest for crate::$area::v1::$request {
            const NAME: &'static str = concat!(stringify!($area), ".", stringify!($request));

            fn page_size(&self) -> u32 {
                self.page_size
            }

            fn page_token(&self) -> &str {
                &self.page_token
            }

            fn with_token(self, token: String) -> Self {
                let mut request = self;
                request.page_token = token;
                request
            }

            fn query(&self) -> Vec<u8> {
                let mut query = self.clone();
                query.page_size = 0;
                query.page_token.clear();
                query.encode_to_vec()
            }
        })*
    };
}

list_requests!(
    inventory::ListApplicationStatesRequest,
    inventory::ListApplicationsRequest,
    inventory::ListDeploymentsRequest,
    inventory::ListEventsRequest,
    inventory::ListImagesRequest,
    inventory::ListReportersRequest,
    inventory::ListResourcesRequest,
    platform::ListAccountsRequest,
    platform::ListApiKeysRequest,
    platform::ListAuditRecordsRequest,
    platform::ListIdentitiesRequest,
    platform::ListIdentityProvidersRequest,
    platform::ListJoinTokensRequest,
    platform::ListPartsRequest,
    platform::ListPermissionsRequest,
    platform::ListRolesRequest,
    platform::ListRuntimesRequest,
    platform::ListSavedViewsRequest,
    platform::ListServiceAccountsRequest,
    platform::ListSessionsRequest,
    platform::ListUsersRequest,
    proxy::ListResourceActionsRequest,
    tunnel::ListSessionsRequest,
    webhook::ListWebhookDeliveriesRequest,
);

#[cfg(test)]
mod tests;
