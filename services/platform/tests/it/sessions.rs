use causeway_proto::platform::v1::{
    self as pb, part_service_client::PartServiceClient,
    runtime_service_client::RuntimeServiceClient,
};
use tonic::Code;

use crate::stage::{CallStage, reason};

fn session(id: &str) -> pb::RuntimeSession {
    pb::RuntimeSession {
        account: "default".to_owned(),
        runtime_id: id.to_owned(),
        session: Some(pb::Session {
            client: "client".to_owned(),
            generation: 3,
            version: "9.9.9".to_owned(),
            ..Default::default()
        }),
        key_id: String::new(),
    }
}

fn report(sessions: Vec<pb::RuntimeSession>) -> pb::ReportSessionsRequest {
    pb::ReportSessionsRequest {
        server: "server-1".to_owned(),
        sessions,
    }
}

#[tokio::test]
async fn a_reported_session_makes_a_runtime_online_until_it_is_revoked() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let id = runtime.runtime_id.as_str();
    let mut tunnel = RuntimeServiceClient::new(stage.part("tunnel-server"));
    let answer = tunnel
        .report_sessions(report(vec![session(id)]))
        .await
        .unwrap()
        .into_inner();
    assert!(answer.revoked_runtime_ids.is_empty());
    let shown = stage.get_runtime("edge").await.unwrap();
    assert_eq!(
        (shown.connection(), shown.version.as_str()),
        (pb::Connection::Online, "9.9.9")
    );
    assert_eq!(
        (
            shown.sessions[0].server.as_str(),
            shown.sessions[0].generation
        ),
        ("server-1", 3)
    );

    stage.revoke_runtime("edge").await.unwrap();
    let answer = tunnel
        .report_sessions(report(vec![session(id), session("rt-none")]))
        .await
        .unwrap();
    assert_eq!(answer.into_inner().revoked_runtime_ids, [id, "rt-none"]);
    let shown = stage.get_runtime("edge").await.unwrap();
    assert_eq!(
        (shown.connection(), shown.sessions.len()),
        (pb::Connection::Revoked, 0)
    );
}

#[tokio::test]
async fn sessions_that_a_former_key_let_in_must_end() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let by_key = |key: &str| pb::RuntimeSession {
        key_id: key.to_owned(),
        ..session(runtime.runtime_id.as_str())
    };
    let present = runtime.identity_key.id();
    let sessions = vec![by_key(present.as_str()), by_key("former")];
    let mut tunnel = RuntimeServiceClient::new(stage.part("tunnel-server"));
    let answer = tunnel.report_sessions(report(sessions)).await;
    let answer = answer.unwrap().into_inner();
    assert_eq!(answer.revoked_key_ids, ["former"]);
    assert!(answer.revoked_runtime_ids.is_empty());
    let shown = stage.get_runtime("edge").await.unwrap();
    assert_eq!(shown.sessions.len(), 1);
}

#[tokio::test]
async fn a_runtimes_name_is_found_by_its_id_within_its_account() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let mut parts = RuntimeServiceClient::new(stage.part("inventory"));
    let mut resolve = async |account: &str| {
        let runtime_id = runtime.runtime_id.to_string();
        let request = pb::ResolveRuntimeRequest {
            account: account.to_owned(),
            runtime_id,
        };
        parts.resolve_runtime(request).await
    };
    assert_eq!(resolve("default").await.unwrap().into_inner().name, "edge");
    let refused = resolve("other").await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::NotFound, "RUNTIME_UNKNOWN")
    );
}

#[tokio::test]
async fn a_runtime_without_a_session_is_reporting_while_its_parts_tell_of_themselves() {
    let stage = CallStage::start().await;
    let (edge, _other) = (stage.join("edge").await, stage.join("other").await);
    let states = async || {
        let edge = stage.get_runtime("edge").await.unwrap().connection();
        let other = stage.get_runtime("other").await.unwrap().connection();
        (edge, other)
    };
    let (online, offline) = (pb::Connection::Online, pb::Connection::Offline);
    assert_eq!(states().await, (offline, offline));
    let announcement = |leaving| pb::AnnounceRequest {
        part: "request-router".to_owned(),
        instance: "one".to_owned(),
        health: pb::Health::Serving.into(),
        leaving,
        ..Default::default()
    };
    let mut parts = PartServiceClient::new(edge.platform());
    parts.announce(announcement(false)).await.unwrap();
    assert_eq!(states().await, (pb::Connection::Reporting, offline));
    let mut tunnel = RuntimeServiceClient::new(stage.part("tunnel-server"));
    let id = edge.runtime_id.as_str();
    let sessions = report(vec![session(id)]);
    tunnel.report_sessions(sessions).await.unwrap();
    assert_eq!(states().await, (online, offline));
    tunnel.report_sessions(report(vec![])).await.unwrap();
    assert_eq!(states().await, (pb::Connection::Reporting, offline));
    parts.announce(announcement(true)).await.unwrap();
    assert_eq!(states().await, (offline, offline));
}

#[tokio::test]
async fn parts_are_listed_where_their_key_says_that_they_run() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let announcement = |part: &str| pb::AnnounceRequest {
        part: part.to_owned(),
        instance: "one".to_owned(),
        version: "1.0.0".to_owned(),
        health: pb::Health::Serving.into(),
        notices: vec![format!("{part} leaves something out")],
        ..Default::default()
    };
    let mut of_runtime = PartServiceClient::new(runtime.platform());
    let answer = of_runtime
        .announce(announcement("app-proxy"))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.interval_seconds, 5);
    let mut of_platform = PartServiceClient::new(stage.part("inventory"));
    of_platform
        .announce(announcement("inventory"))
        .await
        .unwrap();
    let parts = stage.parts().await;
    assert_eq!(parts[2].notices, ["app-proxy leaves something out"]);
    let listed: Vec<_> = parts
        .into_iter()
        .map(|part| (part.part, part.runtime))
        .collect();
    let expected = [("inventory", ""), ("platform", ""), ("app-proxy", "edge")];
    assert_eq!(
        listed,
        expected.map(|(part, runtime)| (part.to_owned(), runtime.to_owned()))
    );

    let leaving = pb::AnnounceRequest {
        leaving: true,
        ..announcement("inventory")
    };
    of_platform.announce(leaving).await.unwrap();
    assert_eq!(stage.parts().await.len(), 2);
    let long = pb::AnnounceRequest {
        notices: vec!["x".repeat(2000)],
        ..announcement("inventory")
    };
    let long = of_platform.announce(long).await.unwrap_err();
    assert!(long.message().starts_with("notices: "), "{long}");
    let unnamed = of_platform
        .announce(announcement("No Name"))
        .await
        .unwrap_err();
    assert!(unnamed.message().starts_with("part: "), "{unnamed}");
}

#[tokio::test]
async fn a_revoked_runtime_may_not_tell_of_its_parts() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let announcement = pb::AnnounceRequest {
        part: "app-proxy".to_owned(),
        instance: "one".to_owned(),
        ..Default::default()
    };
    let mut parts = PartServiceClient::new(runtime.platform());
    parts.announce(announcement.clone()).await.unwrap();
    stage.revoke_runtime("edge").await.unwrap();
    let refused = parts.announce(announcement).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated, "{refused}");
}
