//! Who reports, as users are told.

use pb::reporter_service_client::ReporterServiceClient;

use super::*;

async fn list(
    served: &Served,
    caller: &'static str,
    runtime: &str,
) -> Result<Vec<pb::ReporterGroup>, Status> {
    let mut client = ReporterServiceClient::new(served.channel.clone());
    let request = pb::ListReportersRequest {
        runtime: runtime.to_owned(),
        ..pb::ListReportersRequest::default()
    };
    let answer = client.list_reporters(from(caller, request)).await?;
    Ok(answer.into_inner().groups)
}

#[tokio::test]
async fn users_are_told_who_reports_for_their_runtimes_and_others_are_not() {
    let served = Served::start().await;
    let (up, mut down) = served.report().await;
    send(&up, pb::report_request::Message::Report(bare(1)));
    while !matches!(
        next(&mut down).await,
        pb::report_response::Message::Acknowledged(_)
    ) {}
    let groups = list(&served, "user@default", "rt-one").await.unwrap();
    let [group] = &groups[..] else {
        panic!("{groups:?}");
    };
    assert_eq!(
        (&*group.runtime, &*group.kind, &*group.cluster),
        ("rt-one", "applications.argoproj.io", "in-cluster")
    );
    assert_eq!((group.objects, group.objects_complete), (1, true));
    let [reporter] = &group.reporters[..] else {
        panic!("{group:?}");
    };
    assert_eq!(reporter.instance, hello().instance);
    assert_eq!((reporter.version.as_str(), reporter.objects), ("1.2.3", 1));
    assert!(reporter.since.is_some());
    assert_eq!(reporter.last_heard_at, reporter.since, "nobody beats here");
    let last = group.last_move.as_ref().unwrap();
    assert_eq!(last.kind(), pb::ReporterMoveKind::Joined);
    assert_eq!((&*last.instance, last.objects), (&*hello().instance, 1));

    let absent = list(&served, "user@default", "rt-two").await.unwrap_err();
    assert_eq!(reason(&absent), Some(Reason::RuntimeUnknown));
    for stranger in [
        "user@other",
        r#"user@default [{"projects":["default"]}]"#,
        r#"user@default [{"runtimes":["west"]}]"#,
    ] {
        let refused = list(&served, stranger, "rt-one").await.unwrap_err();
        assert_eq!(refused.code(), absent.code());
        let text = absent.message().replace("rt-two", "rt-one");
        assert_eq!(refused.message(), text, "{stranger}");
    }
    let nothing = list(&served, "user@default", "").await.unwrap_err();
    assert_eq!(reason(&nothing), Some(Reason::FieldInvalid));
}
