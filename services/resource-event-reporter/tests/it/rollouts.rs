//! Rollouts with their dependents, and other kinds.

use causeway_proto::inventory::v1 as pb;
use causeway_reporting::Kind;
use serde_json::json;

use crate::stage::{
    Stage, TRACKING_ID, analysis_run, application, create, define, delete, owned_by, patch,
    replica_set, rollout,
};

const ROLLOUT: (&str, &str) = ("argoproj.io/v1alpha1", "Rollout");
const RUN: (&str, &str) = ("argoproj.io/v1alpha1", "AnalysisRun");

fn web_app() -> Option<(String, String, String)> {
    Some((String::new(), "argocd".to_owned(), "web-app".to_owned()))
}

#[tokio::test]
async fn rollout_is_reported_with_revisions_and_analyses() {
    let mut stage = Stage::set().await;
    let uid = create(&stage.kube, rollout("web")).await;
    create(&stage.kube, replica_set("web-bbb", "web", &uid)).await;
    stage.report().await;
    let reported = stage
        .inventory
        .until("the rollout", |seen| {
            let rollout = seen.rollout("web")?;
            (!rollout.revisions.is_empty()).then(|| rollout.clone())
        })
        .await;
    assert_eq!(
        (
            reported.current_step,
            reported.step_count,
            reported.desired_weight
        ),
        (Some(1), 2, Some(25))
    );
    assert_eq!(reported.pause.unwrap().reason, "CanaryPauseStep");
    let revision = &reported.revisions[0];
    assert_eq!(
        (revision.number, revision.images.as_slice()),
        (2, &["web:2".to_owned()][..])
    );
    assert_eq!(
        revision.roles().collect::<Vec<_>>(),
        [pb::RolloutRole::Canary]
    );

    create(&stage.kube, analysis_run("run", "web", &uid, "Running")).await;
    let phase = |wanted: &'static str| {
        move |seen: &causeway_testkit::Seen| {
            let run = seen
                .rollout("web")?
                .revisions
                .first()?
                .analysis_runs
                .first()?;
            (run.phase == wanted).then_some(())
        }
    };
    stage
        .inventory
        .until("the analysis run", phase("Running"))
        .await;
    patch(
        &stage.kube,
        RUN,
        "run",
        json!({"status": {"phase": "Successful"}}),
    )
    .await;
    stage.inventory.until("its end", phase("Successful")).await;
    let belongs = |kind: &'static str, name: &'static str| {
        move |seen: &causeway_testkit::Seen| (seen.belongs(kind, name) == web_app()).then_some(())
    };
    for (kind, name) in [
        ("rollouts.argoproj.io", "web"),
        ("replicasets.apps", "web-bbb"),
        ("analysisruns.argoproj.io", "run"),
    ] {
        stage.inventory.until(name, belongs(kind, name)).await;
    }
}

#[tokio::test]
async fn rollout_manifest_is_sent_once() {
    let mut stage = Stage::set().await;
    let mut secret = rollout("web");
    secret["spec"]["template"]["spec"]["containers"][0]["env"] =
        json!([{"name": "PASSWORD", "value": "hunter2hunter2"}]);
    create(&stage.kube, secret).await;
    stage.report().await;
    let manifest = |seen: &causeway_testkit::Seen| {
        let digest = &seen.state("rollouts.argoproj.io", "web")?.manifest_digest;
        Some(String::from_utf8_lossy(seen.manifests.get(digest)?).into_owned())
    };
    let reported = stage.inventory.until("the manifest", manifest).await;
    assert!(reported.contains(r#""image":"web:2""#), "{reported}");
    assert!(
        !reported.contains("hunter2hunter2") && !reported.contains("managedFields"),
        "{reported}"
    );
    let change = json!({"spec": {"replicas": 7}});
    patch(&stage.kube, ROLLOUT, "web", change).await;
    let changed = |seen: &causeway_testkit::Seen| {
        manifest(seen).filter(|reported| reported.contains(r#""replicas":7"#))
    };
    stage.inventory.until("the next manifest", changed).await;
    let before = stage.inventory.seen().wire.len();
    stage.report().await;
    create(&stage.kube, rollout("other")).await;
    let other = |seen: &causeway_testkit::Seen| seen.rollout("other").map(|_| ());
    stage.inventory.until("the other", other).await;
    let wire = stage.inventory.seen().wire[before..].to_vec();
    assert!(!String::from_utf8_lossy(&wire).contains(r#""replicas":7"#));
}

#[tokio::test]
async fn children_follow_their_owner_to_another_application() {
    let mut stage = Stage::set().await;
    let uid = create(&stage.kube, rollout("web")).await;
    create(&stage.kube, replica_set("web-bbb", "web", &uid)).await;
    stage.report().await;
    let belongs = |wanted: &'static str| {
        move |seen: &causeway_testkit::Seen| {
            let (_, _, name) = seen.belongs("replicasets.apps", "web-bbb")?;
            (name == wanted).then_some(())
        }
    };
    stage.inventory.until("the first", belongs("web-app")).await;
    let web = ("argoproj.io", "Rollout", "web");
    application(&stage.kube, "argocd", "other-app", &[web]);
    let moved = json!({TRACKING_ID: "other-app:argoproj.io/Rollout:shop/web"});
    let moved = json!({"metadata": {"annotations": moved}});
    patch(&stage.kube, ROLLOUT, "web", moved).await;
    // The next complete list finds it.
    let faults = stage.kube.faults();
    faults.gone_410("replicasets", 1);
    faults.close_watches("replicasets");
    stage
        .inventory
        .until("the other", belongs("other-app"))
        .await;
}

#[tokio::test]
async fn ambiguous_names_belong_to_the_application_that_lists_the_object() {
    let mut stage = Stage::set().await;
    stage.argocds.push("argocd-two".to_owned());
    for name in ["web", "strange"] {
        create(&stage.kube, rollout(name)).await;
    }
    application(&stage.kube, "argocd-two", "web-app", &[]);
    stage.report().await;
    let belongs = |name: &'static str, to: Option<&'static str>| {
        move |seen: &causeway_testkit::Seen| {
            seen.rollout(name)?;
            let namespace = seen.belongs("rollouts.argoproj.io", name);
            (namespace.map(|it| it.1).as_deref() == to).then_some(())
        }
    };
    let until = async |name, to| {
        stage.inventory.until(name, belongs(name, to)).await;
    };
    until("web", Some("argocd")).await;
    until("strange", None).await;
    let strange = ("argoproj.io", "Rollout", "strange");
    application(&stage.kube, "argocd-two", "web-app", &[strange]);
    let change = json!({"spec": {"replicas": 7}});
    patch(&stage.kube, ROLLOUT, "strange", change).await;
    until("strange", Some("argocd-two")).await;
}

#[tokio::test]
async fn incomplete_states_are_not_sent_and_restart_resends_nothing() {
    let mut stage = Stage::set().await;
    let uid = create(&stage.kube, rollout("web")).await;
    create(&stage.kube, replica_set("web-bbb", "web", &uid)).await;
    stage.report().await;
    stage
        .inventory
        .until("the rollout", |seen| seen.rollout("web").map(|_| ()))
        .await;
    let count = |stage: &Stage| {
        let seen = stage.inventory.seen();
        let web = seen.reports.iter().filter(|report| report.name == "web");
        let web = web.map(|report| &report.change);
        assert!(web.clone().all(|change| matches!(
            change,
            Some(pb::report::Change::Resource(state)) if state.application.is_some()
        )));
        web.count()
    };
    assert_eq!(count(&stage), 1);
    stage.report().await;
    create(&stage.kube, rollout("other")).await;
    stage
        .inventory
        .until("the other", |seen| seen.rollout("other").map(|_| ()))
        .await;
    assert_eq!(count(&stage), 1);
}

#[tokio::test]
async fn deletions_are_reported_even_if_missed_by_the_watch() {
    let mut stage = Stage::set().await;
    for name in ["first", "second"] {
        create(&stage.kube, rollout(name)).await;
    }
    stage.report().await;
    for name in ["first", "second"] {
        stage
            .inventory
            .until(name, |seen| seen.rollout(name).map(|_| ()))
            .await;
    }
    delete(&stage.kube, ROLLOUT, "first").await;
    let gone = |name: &'static str| {
        move |seen: &causeway_testkit::Seen| seen.rollout(name).is_none().then_some(())
    };
    stage
        .inventory
        .until("the first deletion", gone("first"))
        .await;
    stage.stop().await;
    delete(&stage.kube, ROLLOUT, "second").await;
    stage.report().await;
    stage
        .inventory
        .until("the second deletion", gone("second"))
        .await;
}

#[tokio::test]
async fn absent_kind_is_reported_once_it_exists() {
    let mut stage = Stage::set().await;
    let uid = create(&stage.kube, rollout("web")).await;
    stage.report().await;
    stage
        .inventory
        .until("the rollout", |seen| seen.rollout("web").map(|_| ()))
        .await;
    define(&stage.kube, "Workflow", "workflows").await;
    let workflow = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
        "metadata": {
            "namespace": "shop", "name": "build",
            "ownerReferences": owned_by("argoproj.io/v1alpha1", "Rollout", "web", &uid),
        },
        "status": {"phase": "Running", "progress": "1/2", "nodes": {"a": {"displayName": "a", "type": "Pod"}}},
    });
    create(&stage.kube, workflow).await;
    stage
        .inventory
        .until("the workflow", |seen| {
            let state = seen.state("workflows.argoproj.io", "build")?;
            (state.application.is_some()).then_some(())
        })
        .await;
}

#[tokio::test]
async fn unreadable_object_blocks_no_other_and_is_not_deleted() {
    let mut stage = Stage::set().await;
    for name in ["good", "turns-bad"] {
        create(&stage.kube, rollout(name)).await;
    }
    stage.report().await;
    for name in ["good", "turns-bad"] {
        stage
            .inventory
            .until(name, |seen| seen.rollout(name).map(|_| ()))
            .await;
    }
    patch(
        &stage.kube,
        ROLLOUT,
        "turns-bad",
        json!({"spec": {"replicas": "many"}}),
    )
    .await;
    stage.report().await;
    patch(
        &stage.kube,
        ROLLOUT,
        "good",
        json!({"spec": {"replicas": 7}}),
    )
    .await;
    let look =
        |seen: &causeway_testkit::Seen| (seen.rollout("good")?.desired_replicas == 7).then_some(());
    stage.inventory.until("the good one", look).await;
    assert!(stage.inventory.seen().rollout("turns-bad").is_some());
}

#[tokio::test]
async fn additional_kinds_are_reported() {
    let mut stage = Stage::set().await;
    stage.kinds = vec![Kind::new("apps", "v1", "deployments")];
    let labels = json!({"app": "web"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "shop", "name": "web", "labels": labels},
        "spec": {
            "replicas": 0, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}},
        },
    });
    create(&stage.kube, deployment).await;
    stage.report().await;
    let state = stage
        .inventory
        .until("the deployment", |seen| {
            seen.state("deployments.apps", "web").cloned()
        })
        .await;
    assert_eq!(
        (
            state.kind.as_str(),
            state.group.as_str(),
            state.version.as_str()
        ),
        ("Deployment", "apps", "v1")
    );
    assert_eq!(state.images, ["web:1"]);
}
