//! `causeway runtime token` and `runtime revoke`.

use causeway_proto::{
    ids::{RequestId, RuntimeName},
    platform::v1 as pb,
};

use crate::{
    connection::Connection,
    output::{self, Format},
    request,
};

async fn create(
    connection: &Connection,
    name: &RuntimeName,
) -> anyhow::Result<pb::CreateJoinTokenResponse> {
    let request = pb::CreateJoinTokenRequest {
        runtime: name.to_string(),
        request_id: RequestId::generate().to_string(),
    };
    request::change(request, async |request| {
        connection.runtimes().create_join_token(request).await
    })
    .await
}

/// Creates a token with which a runtime can join.
pub(super) async fn join_token(
    connection: &Connection,
    name: &RuntimeName,
) -> anyhow::Result<String> {
    Ok(create(connection, name).await?.token)
}

pub(super) async fn print(
    connection: &Connection,
    name: &RuntimeName,
    format: Format,
) -> anyhow::Result<()> {
    let response = create(connection, name).await?;
    match format {
        Format::Table => output::line(&response.token),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

pub(super) async fn print_rejoin(
    connection: &Connection,
    name: &RuntimeName,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::CreateRejoinTokenRequest {
        name: name.to_string(),
        request_id: RequestId::generate().to_string(),
    };
    let response = request::change(request, async |request| {
        connection.runtimes().create_rejoin_token(request).await
    })
    .await?;
    match format {
        Format::Table => output::line(&response.token),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

pub(super) async fn revoke(
    connection: &Connection,
    name: &RuntimeName,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::RevokeRuntimeRequest {
        name: name.to_string(),
        request_id: RequestId::generate().to_string(),
    };
    let revoked = request::change(request, async |request| {
        connection.runtimes().revoke_runtime(request).await
    })
    .await?;
    output::show(&revoked, format, |_| {
        output::line(format!("{name}: revoked"))
    })
}
