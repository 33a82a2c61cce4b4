//! Who may come here, and with what.

use causeway_proto::platform::v1 as pb;

use super::names::{Candidate, MOST};
use crate::{connection::Connection, words};

pub(super) async fn users(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListUsersRequest {
        page_size: MOST,
        ..pb::ListUsersRequest::default()
    };
    let response = connection.users().list_users(request).await?;
    let users = response.into_inner().users.into_iter();
    Ok(users.map(|it| (it.user, Some(it.display_name))).collect())
}

pub(super) async fn roles(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListRolesRequest::default();
    let response = connection.roles().list_roles(request).await?;
    let roles = response.into_inner().roles.into_iter();
    Ok(roles.map(|it| (it.name, Some(it.description))).collect())
}

/// Those that still count.
pub(super) async fn api_keys(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListApiKeysRequest {
        page_size: MOST,
        ..pb::ListApiKeysRequest::default()
    };
    let response = connection.api_keys().list_api_keys(request).await?;
    let keys = response.into_inner().api_keys.into_iter();
    let keys = keys.filter(|it| it.revoked_at.is_none());
    Ok(keys
        .map(|it| {
            let of = format!("{} of {}", it.display_name, it.subject);
            (it.key_id, Some(of))
        })
        .collect())
}

pub(super) async fn service_accounts(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListServiceAccountsRequest::default();
    let mut client = connection.service_accounts();
    let response = client.list_service_accounts(request).await?.into_inner();
    let all = response.service_accounts.into_iter();
    Ok(all.map(|it| (it.user, Some(it.display_name))).collect())
}

/// Those that go on.
pub(super) async fn sessions(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListSessionsRequest::default();
    let response = connection.sessions().list_sessions(request).await?;
    let sessions = response.into_inner().sessions.into_iter();
    let sessions = sessions.filter(|it| it.revoked_at.is_none());
    Ok(sessions
        .map(|it| {
            let seen = words::ago(it.last_seen_at.as_ref());
            let of = format!("{} by {}, seen {seen}", it.user, it.provider);
            (it.session_id, Some(of))
        })
        .collect())
}

pub(super) async fn providers(connection: &Connection) -> anyhow::Result<Vec<Candidate>> {
    let request = pb::ListIdentityProvidersRequest::default();
    let mut client = connection.identity_providers();
    let response = client.list_identity_providers(request).await?.into_inner();
    let all = response.providers.into_iter();
    Ok(all.map(|it| (it.provider, Some(it.issuer))).collect())
}
