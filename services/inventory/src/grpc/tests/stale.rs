//! Applications of runtimes that are not heard.

use super::*;

async fn watched(stream: &mut Streaming<pb::WatchApplicationsResponse>) -> pb::Application {
    loop {
        let response = soon(stream.message()).await.unwrap().unwrap();
        if let Some(pb::watch_applications_response::Event::Updated(application)) = response.event {
            return application;
        }
    }
}

async fn listed(served: &Served, view: pb::ApplicationView) -> pb::Application {
    let request = pb::ListApplicationsRequest {
        view: view.into(),
        ..pb::ListApplicationsRequest::default()
    };
    let listed = served.applications();
    let listed = { listed }
        .list_applications(from("user@default", request))
        .await;
    listed.unwrap().into_inner().applications.remove(0)
}

async fn got(served: &Served) -> pb::Application {
    let request = pb::GetApplicationRequest {
        runtime: "rt-one".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        ..pb::GetApplicationRequest::default()
    };
    let mut client = served.applications();
    let got = client.get_application(from("user@default", request)).await;
    got.unwrap().into_inner().application.unwrap()
}

#[tokio::test]
async fn applications_are_stale_while_nobody_reports_them() {
    let served = Served::start().await;
    let mut tasks = JoinSet::new();
    tasks.spawn(served.inventory.keep_members());
    let (up, mut down) = served.report().await;
    send(&up, pb::report_request::Message::Report(bare(1)));
    while !matches!(
        next(&mut down).await,
        pb::report_response::Message::Acknowledged(_)
    ) {}
    let mut client = served.applications();
    let request = from("user@default", pb::WatchApplicationsRequest::default());
    let mut watch = client
        .watch_applications(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(watched(&mut watch).await.stale_since, None);
    let views = [pb::ApplicationView::Row, pb::ApplicationView::Basic];
    for view in views {
        assert_eq!(listed(&served, view).await.stale_since, None);
    }
    assert_eq!(got(&served).await.stale_since, None);

    drop((up, down));
    let stale = watched(&mut watch).await;
    assert!(stale.stale_since.is_some(), "{stale:?}");
    for view in views {
        assert_eq!(listed(&served, view).await.stale_since, stale.stale_since);
    }
    assert_eq!(got(&served).await.stale_since, stale.stale_since);

    let _again = served.report().await;
    assert_eq!(watched(&mut watch).await.stale_since, None);
    assert_eq!(got(&served).await.stale_since, None);
}

#[tokio::test]
async fn applications_are_stale_until_it_is_known_that_they_are_reported() {
    let served = Served::start().await;
    let (up, mut down) = served.report().await;
    send(&up, pb::report_request::Message::Report(bare(1)));
    while !matches!(
        next(&mut down).await,
        pb::report_response::Message::Acknowledged(_)
    ) {}
    // Another replica has not read who reports.
    let replica = served.inventory.clone().as_replica(uuid::Uuid::nil());
    let other = Served::over(&replica).await;
    let stale = got(&other).await;
    assert_eq!(stale.stale_since, stale.received_at);
}
