//! How often, and how many at a time, Argo CD is asked.

use std::sync::atomic::Ordering::SeqCst;

use causeway_proto::source::v1::source_service_server::SourceService as _;
use causeway_sandbox::{KubeApi, KubeOptions};
use causeway_source_server::Handler;
use futures::future::join_all;
use tonic::Code;

use crate::{
    counted::{Counted, Served},
    stage::{handler, tree},
};

async fn stage() -> (Served, Handler, tempfile::TempDir) {
    causeway_shell::install_crypto();
    let served = Counted::start().await;
    let kube = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let handler = handler(&kube, &served.url, Some((folder.path(), "a token")));
    (served, handler, folder)
}

#[tokio::test]
async fn callers_who_ask_the_same_share_one_question() {
    let (served, handler, _folder) = stage().await;
    served.counted.open.send_replace(false);
    let calls = join_all((0..20).map(|_| handler.get_resource_tree(tree("web", "1"))));
    let opening = async {
        let mut under_way = served.counted.under_way.subscribe();
        under_way.wait_for(|count| *count == 1).await.unwrap();
        served.counted.open.send_replace(true);
    };
    let (answers, ()) = tokio::join!(calls, opening);
    for answer in answers {
        assert_eq!(answer.unwrap().into_inner().nodes[0].name, "p");
    }
    assert_eq!(served.counted.asked.load(SeqCst), 1);
    handler.get_resource_tree(tree("web", "1")).await.unwrap();
    assert_eq!(served.counted.asked.load(SeqCst), 1);
    handler.get_resource_tree(tree("web", "2")).await.unwrap();
    assert_eq!(served.counted.asked.load(SeqCst), 2);
}

#[tokio::test]
async fn no_more_than_sixteen_questions_are_under_way() {
    let (served, handler, _folder) = stage().await;
    served.counted.open.send_replace(false);
    let names: Vec<String> = (0..40).map(|number| format!("app-{number}")).collect();
    let calls = join_all(
        names
            .iter()
            .map(|name| handler.get_resource_tree(tree(name, "1"))),
    );
    let opening = async {
        let mut under_way = served.counted.under_way.subscribe();
        under_way.wait_for(|count| *count == 16).await.unwrap();
        assert_eq!(served.counted.asked.load(SeqCst), 16);
        served.counted.open.send_replace(true);
    };
    let (answers, ()) = tokio::join!(calls, opening);
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(served.counted.asked.load(SeqCst), 40);
}

#[tokio::test]
async fn a_failure_is_not_kept() {
    let (served, handler, _folder) = stage().await;
    served.counted.broken.send_replace(true);
    let down = handler
        .get_resource_tree(tree("web", "1"))
        .await
        .unwrap_err();
    assert_eq!(down.code(), Code::Unavailable);
    served.counted.broken.send_replace(false);
    handler.get_resource_tree(tree("web", "1")).await.unwrap();
}

#[tokio::test]
async fn an_application_that_hangs_takes_four_places_and_delays_no_other() {
    let (served, handler, _folder) = stage().await;
    served.counted.unstuck.send_replace(false);
    let states: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    let hanging = join_all(
        states
            .iter()
            .map(|state| handler.get_resource_tree(tree("stuck", state))),
    );
    let others = async {
        let mut under_way = served.counted.under_way.subscribe();
        under_way.wait_for(|count| *count == 4).await.unwrap();
        let names: Vec<String> = (0..40).map(|number| format!("app-{number}")).collect();
        let calls = names
            .iter()
            .map(|name| handler.get_resource_tree(tree(name, "1")));
        let answers = join_all(calls).await;
        assert!(answers.into_iter().all(|answer| answer.is_ok()));
        assert_eq!(
            *under_way.borrow_and_update(),
            4,
            "all others were answered meanwhile"
        );
        served.counted.unstuck.send_replace(true);
    };
    let (answers, ()) = tokio::join!(hanging, others);
    assert!(answers.into_iter().all(|answer| answer.is_ok()));
}
