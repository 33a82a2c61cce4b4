//! A process is killed at each point of each change, and another one is asked the same again: one effect, one outcome. Where no
//! request leaves a mark the same does not hold, so that what is seen here are the marks.

use causeway_app_proxy::Handler;
use causeway_argocd::ArgocdArgs;
use causeway_proto::proxy::v1::{
    self as pb, application_action_service_server::ApplicationActionService as _,
};
use serde_json::json;
use tonic::Status;

use crate::{
    stage::{ALL, Stage, by_admin, delete, new_id, refresh, rollback, sync, terminate},
    wire::{Lost, RequestRecords, Wire},
};

/// Something that a user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestIdentity {
    Sync,
    Rollback,
    Refresh,
    Terminate,
    Delete,
}

impl RequestIdentity {
    /// Whether it was a repeat.
    async fn ask(self, handler: &Handler, id: &str, uid: &str) -> Result<bool, Status> {
        let answered = match self {
            Self::Sync => {
                let answer = handler.sync_application(by_admin(sync("web", id))).await?;
                answer.into_inner().repeated_request
            }
            Self::Rollback => {
                let request = by_admin(rollback("web", id));
                let answer = handler.rollback_application(request).await?;
                answer.into_inner().repeated_request
            }
            Self::Refresh => {
                let request = by_admin(refresh("web", id));
                let answer = handler.refresh_application(request).await?;
                answer.into_inner().repeated_request
            }
            Self::Terminate => {
                let request = by_admin(terminate("held", id));
                let answer = handler.terminate_operation(request).await?;
                answer.into_inner().repeated_request
            }
            Self::Delete => {
                let request = by_admin(delete("web", id, uid));
                let answer = handler.delete_application(request).await?;
                answer.into_inner().repeated_request
            }
        };
        Ok(answered)
    }
}

fn handler(wire: &Wire) -> Handler {
    Stage::handler_on(wire.client.clone(), ALL, &ArgocdArgs::default())
}

fn wire(stage: &Stage, point: Lost, marks: RequestRecords) -> Wire {
    Wire::new(&stage.sandbox.kube().client(), point, marks)
}

/// What the second process answered, and how many changes both asked the cluster for.
async fn again(
    stage: &Stage,
    asked: RequestIdentity,
    point: Lost,
    marks: RequestRecords,
) -> (Result<bool, Status>, usize) {
    let (id, uid) = (new_id(), uid(stage, "web"));
    let first = wire(stage, point, marks);
    let dying = handler(&first);
    let killed = first.killed(asked.ask(&dying, &id, &uid)).await;
    assert!(killed.is_none(), "{asked:?} {point:?}: {killed:?}");
    if point == Lost::After(0) && matches!(asked, RequestIdentity::Sync | RequestIdentity::Rollback)
    {
        stage.idle("web").await;
    }
    let second = wire(stage, Lost::Never, marks);
    let answer = asked.ask(&handler(&second), &id, &uid).await;
    (answer, first.changes() + second.changes())
}

fn uid(stage: &Stage, name: &str) -> String {
    let live = stage.live(name);
    live["metadata"]["uid"].as_str().unwrap().to_owned()
}

/// With one deployment of `web`, and an operation on `held` that waits.
async fn stage() -> Stage {
    let stage = Stage::set().await;
    let (first, held) = (new_id(), new_id());
    let handler = stage.by_patch();
    handler
        .sync_application(by_admin(sync("web", &first)))
        .await
        .unwrap();
    stage.ended("web", &first).await;
    stage.idle("web").await;
    stage.hold("held").await;
    handler
        .sync_application(by_admin(sync("held", &held)))
        .await
        .unwrap();
    stage.held("held", &held).await;
    stage
}

#[tokio::test]
async fn r_53_what_was_not_sent_is_done_by_the_next_process() {
    for asked in [
        RequestIdentity::Sync,
        RequestIdentity::Rollback,
        RequestIdentity::Refresh,
        RequestIdentity::Terminate,
        RequestIdentity::Delete,
    ] {
        let stage = stage().await;
        let (answer, _) = again(&stage, asked, Lost::Before(0), RequestRecords::Kept).await;
        assert!(!answer.unwrap(), "{asked:?}");
    }
}

#[tokio::test]
async fn r_53_what_was_done_without_an_answer_is_not_done_again() {
    for asked in [
        RequestIdentity::Sync,
        RequestIdentity::Rollback,
        RequestIdentity::Refresh,
        RequestIdentity::Terminate,
    ] {
        let stage = stage().await;
        let (answer, changes) = again(&stage, asked, Lost::After(0), RequestRecords::Kept).await;
        assert!(answer.unwrap(), "{asked:?}");
        assert_eq!(changes, 1, "{asked:?}");
    }
}

#[tokio::test]
async fn r_53_without_marks_the_next_process_does_it_again() {
    for asked in [RequestIdentity::Rollback, RequestIdentity::Refresh] {
        let stage = stage().await;
        let (answer, changes) = again(&stage, asked, Lost::After(0), RequestRecords::Dropped).await;
        match answer {
            Ok(repeated) => assert!(!repeated && changes == 2, "{asked:?}: {changes}"),
            // A rollback that nobody remembers began after the one that is asked for now.
            Err(status) => {
                assert_eq!(asked, RequestIdentity::Rollback, "{status:?}");
                assert_eq!((status.code(), changes), (tonic::Code::Aborted, 1));
            }
        }
    }
}

/// The second operation is another one: who asked for the end of the first did not mean it.
async fn ends_the_next_one(marks: RequestRecords) -> bool {
    let stage = stage().await;
    let id = new_id();
    let first = wire(&stage, Lost::After(0), marks);
    let dying = handler(&first);
    let ended = first
        .killed(RequestIdentity::Terminate.ask(&dying, &id, ""))
        .await;
    assert!(ended.is_none(), "{ended:?}");
    stage.idle("held").await;
    let next = new_id();
    let later = crate::stage::next_second(sync("held", &next)).await;
    stage.by_patch().sync_application(later).await.unwrap();
    stage.held("held", &next).await;
    let second = wire(&stage, Lost::Never, marks);
    RequestIdentity::Terminate
        .ask(&handler(&second), &id, "")
        .await
        .unwrap();
    second.changes() > 0
}

#[tokio::test]
async fn r_53_an_end_that_was_asked_for_does_not_end_what_came_after() {
    assert!(!ends_the_next_one(RequestRecords::Kept).await);
    assert!(ends_the_next_one(RequestRecords::Dropped).await);
}

#[tokio::test]
async fn r_53_a_deletion_goes_on_from_wherever_it_was_left() {
    for (point, repeated) in [
        (Lost::After(0), false),
        (Lost::Before(1), false),
        (Lost::After(1), true),
    ] {
        let stage = stage().await;
        let (answer, _) = again(&stage, RequestIdentity::Delete, point, RequestRecords::Kept).await;
        assert_eq!(answer.unwrap(), repeated, "{point:?}");
        stage.gone("web").await;
    }
}

/// An application is asked to be rendered with what it is rendered with already; then somebody changes that.
async fn takes_back_what_came_after(marks: RequestRecords) -> bool {
    let stage = Stage::set().await;
    let request = pb::SetApplicationSourceRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: new_id(),
        target_revision: "main".to_owned(),
        ..pb::SetApplicationSourceRequest::default()
    };
    let first = wire(&stage, Lost::After(0), marks);
    let dying = handler(&first);
    let set = dying.set_application_source(by_admin(request.clone()));
    let set = first.killed(set).await;
    assert!(set.is_none(), "{set:?}");
    let other = json!({"spec": {"source": {"targetRevision": "other"}}});
    stage.patch("web", &other).await;
    let again = handler(&wire(&stage, Lost::Never, marks));
    let again = again.set_application_source(by_admin(request)).await;
    let repeated = again.unwrap().into_inner().repeated_request;
    let taken_back = stage.live("web")["spec"]["source"]["targetRevision"] == "main";
    assert_eq!(repeated, !taken_back);
    taken_back
}

#[tokio::test]
async fn r_53_what_was_so_already_takes_nothing_back_that_came_after() {
    assert!(!takes_back_what_came_after(RequestRecords::Kept).await);
    assert!(takes_back_what_came_after(RequestRecords::Dropped).await);
}
