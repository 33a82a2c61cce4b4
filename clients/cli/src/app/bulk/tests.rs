use std::future::pending;

use anyhow::bail;
use causeway_proto::inventory::v1 as pb;
use futures::FutureExt as _;

use super::{Calls, run_all};

fn targets(names: &[&str]) -> Vec<pb::Application> {
    let target = |name: &&str| pb::Application {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: (*name).to_owned(),
        ..pb::Application::default()
    };
    names.iter().map(target).collect()
}

#[tokio::test]
async fn an_interrupted_bulk_names_what_was_started_and_what_was_not() {
    let calls = Calls::new(5);
    let act = async |target: &pb::Application| match target.name.as_str() {
        "a" | "c" => Ok(()),
        "b" => bail!("refused"),
        _ => pending().await,
    };
    let all = targets(&["a", "b", "c", "d", "e"]);
    let interrupted = run_all(all, 1, &calls, act).now_or_never();
    assert!(interrupted.is_none(), "d does not end");
    assert_eq!(
        calls.lines(),
        [
            "interrupted: 2 of 5 started, which go on: east/argocd/a, east/argocd/c",
            "perhaps started: east/argocd/d",
            "not started: 1",
        ]
    );
}

#[tokio::test]
async fn a_bulk_that_is_interrupted_at_once_started_nothing_for_sure() {
    let calls = Calls::new(1);
    let act = async |_: &pb::Application| pending::<anyhow::Result<()>>().await;
    let interrupted = run_all(targets(&["a"]), 4, &calls, act).now_or_never();
    assert!(interrupted.is_none());
    let lines = calls.lines();
    assert_eq!(lines[0], "interrupted: none of 1 is known to be started");
    assert_eq!(lines[1], "perhaps started: east/argocd/a");
}
