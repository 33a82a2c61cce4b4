use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_shell::Notices;
use http::Response;
use kube::{Client, client::Body};
use serde_json::{Value, json};

use super::{OwnerLookup, Ownership};
use crate::{
    Applications,
    object::{self, OwnerChain, OwnerNode, TypeName},
    owners::ApplicationName,
    watch::Home,
};

/// Lookup in a cluster with scripted responses.
fn owner_lookup(answers: Vec<Value>, home: &str) -> (OwnerLookup, Notices) {
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let service = tower::service_fn(move |_: http::Request<Body>| {
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.pop_front().unwrap();
        let status = answer["code"].as_u64().unwrap_or(200);
        let answer = Response::builder()
            .status(u16::try_from(status).unwrap())
            .body(Body::from(answer.to_string().into_bytes()));
        std::future::ready(Ok::<_, Infallible>(answer.unwrap()))
    });
    let notices = Notices::default();
    let client = Client::new(service, "default");
    let remembered = Duration::ZERO;
    let argocds = vec!["argocd".to_owned(), "argocd-two".to_owned()];
    let applications = Applications::new(client.clone(), argocds, notices.clone(), remembered);
    let home = Home {
        cluster: home.to_owned(),
        applications,
    };
    let owner_lookup =
        OwnerLookup::new(client, "west".to_owned(), home, notices.clone(), remembered);
    (owner_lookup, notices)
}

fn below(api_version: &str, kind: &str) -> OwnerChain {
    OwnerChain {
        above: Some(OwnerNode {
            of: TypeName::of(api_version, kind),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
            uid: "u".to_owned(),
        }),
        ..OwnerChain::default()
    }
}

/// Origin of the Rollout shop/web with these annotations and labels.
fn marked(annotations: &Value, labels: &Value) -> OwnerChain {
    let metadata = json!({
        "namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7",
        "annotations": annotations, "labels": labels,
    });
    let of = TypeName::of("argoproj.io/v1alpha1", "Rollout");
    object::owner_chain_of(&of, "shop", &metadata).unwrap()
}

fn tracked(application: &str) -> OwnerChain {
    let id = format!("{application}:argoproj.io/Rollout:shop/web");
    marked(&json!({"argocd.argoproj.io/tracking-id": id}), &json!({}))
}

/// Application that deploys into a namespace and lists the Rollout web there.
fn application(namespace: &str) -> Value {
    let has = json!([
        {"version": "v1", "kind": "Service", "namespace": namespace, "name": "web"},
        {"group": "argoproj.io", "version": "v1alpha1", "kind": "Rollout", "namespace": namespace, "name": "web"},
    ]);
    json!({"spec": {"destination": {"namespace": namespace}}, "status": {"resources": has}})
}

fn to(namespace: &str, name: &str) -> Ownership {
    Ownership::Application(ApplicationName {
        cluster: String::new(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

fn refusal(code: u16) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": "Refused", "message": "no"})
}

fn pod() -> Value {
    let metadata = json!({"namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7"});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata})
}

fn lines(notices: &Notices) -> Vec<String> {
    notices.watch().borrow().values().cloned().collect()
}

#[tokio::test]
async fn forbidden_kind_raises_a_notice_until_readable() {
    for last in [pod(), refusal(404)] {
        let (owner_lookup, notices) = owner_lookup(vec![refusal(403), last], "");
        let answer = owner_lookup.application(below("v1", "Pod")).await.unwrap();
        assert_eq!(answer, Ownership::Unknown);
        let reported = lines(&notices);
        assert!(
            reported[0].contains("west") && reported[0].contains("pods"),
            "{reported:?}"
        );
        owner_lookup.application(below("v1", "Pod")).await.unwrap();
        assert_eq!(lines(&notices), Vec::<String>::new());
    }
}

#[tokio::test]
async fn unresponsive_cluster_raises_a_notice_until_it_responds() {
    let (owner_lookup, notices) = owner_lookup(vec![refusal(500), pod()], "");
    owner_lookup
        .application(below("v1", "Pod"))
        .await
        .unwrap_err();
    let reported = lines(&notices);
    assert!(
        reported[0].contains("cannot ask for the owner"),
        "{reported:?}"
    );
    let answer = owner_lookup.application(below("v1", "Pod")).await.unwrap();
    assert_eq!(answer, Ownership::Unowned);
    assert_eq!(lines(&notices), Vec::<String>::new());
}

#[tokio::test]
async fn forbidden_namespaces_raise_a_notice() {
    let (owner_lookup, notices) = owner_lookup(vec![refusal(403), pod(), pod()], "");
    let beyond = OwnerChain {
        above: below("v1", "Pod").above.map(|above| OwnerNode {
            namespace: "beyond".to_owned(),
            ..above
        }),
        ..below("v1", "Pod")
    };
    owner_lookup.application(beyond.clone()).await.unwrap();
    let reported = lines(&notices);
    assert!(reported[0].contains("pods"), "{reported:?}");
    owner_lookup.application(below("v1", "Pod")).await.unwrap();
    assert_eq!(lines(&notices), reported);
    owner_lookup.application(beyond).await.unwrap();
    assert_eq!(lines(&notices), Vec::<String>::new());
}

#[tokio::test]
async fn unresponsive_kind_raises_its_own_notice() {
    let (owner_lookup, notices) = owner_lookup(vec![refusal(500), pod(), pod()], "");
    owner_lookup
        .application(below("v1", "Pod"))
        .await
        .unwrap_err();
    let reported = lines(&notices);
    assert!(reported[0].contains("pods"), "{reported:?}");
    let other = below("v1", "Service");
    owner_lookup.application(other).await.unwrap();
    assert_eq!(lines(&notices), reported);
    owner_lookup.application(below("v1", "Pod")).await.unwrap();
    assert_eq!(lines(&notices), Vec::<String>::new());
}

#[tokio::test]
async fn application_events_belong_to_it_in_the_home_cluster() {
    let of_application = || below("argoproj.io/v1alpha1", "Application");
    let there = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7"},
    });
    let (here, _) = owner_lookup(vec![there], "");
    let answer = here.application(of_application()).await.unwrap();
    let itself = ApplicationName {
        cluster: String::new(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
    };
    assert_eq!(answer, Ownership::Application(itself));
    let (there, _) = owner_lookup(vec![refusal(404)], "in-cluster");
    let answer = there.application(of_application()).await.unwrap();
    assert_eq!(answer, Ownership::Unknown);
}

#[tokio::test]
async fn tracking_id_without_namespace_counts_only_if_listed() {
    for (answers, expected) in [
        (vec![application("shop")], to("argocd", "web-app")),
        (
            vec![application("other"), refusal(404)],
            Ownership::Unconfirmed,
        ),
        (
            vec![json!({"status": {"resources": null}}), refusal(404)],
            Ownership::Unconfirmed,
        ),
        (vec![refusal(404), refusal(404)], Ownership::Unconfirmed),
        (
            vec![application("other"), application("shop")],
            to("argocd-two", "web-app"),
        ),
        (
            vec![refusal(404), application("shop")],
            to("argocd-two", "web-app"),
        ),
    ] {
        let (owner_lookup, _) = owner_lookup(answers.clone(), "");
        let answer = owner_lookup.application(tracked("web-app")).await.unwrap();
        assert_eq!(answer, expected, "{answers:?}");
    }
}

#[tokio::test]
async fn tracking_id_with_namespace_counts_only_if_listed() {
    for (answer, expected) in [
        (application("shop"), to("team-a", "web-app")),
        (application("other"), Ownership::Unconfirmed),
        (refusal(404), Ownership::Unconfirmed),
        (refusal(403), Ownership::Unconfirmed),
    ] {
        let (owner_lookup, notices) = owner_lookup(vec![answer.clone()], "");
        let claim = tracked("team-a_web-app");
        let found = owner_lookup.application(claim).await.unwrap();
        assert_eq!(found, expected, "{answer}");
        assert_eq!(lines(&notices), Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_owner_reference_to_an_application_counts_only_with_its_uid() {
    let application = |uid: &str| {
        let metadata =
            json!({"namespace": "shop", "name": "web", "uid": uid, "resourceVersion": "7"});
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata})
    };
    for (answer, expected) in [
        (application("u"), to("shop", "web")),
        (application("another"), Ownership::Unknown),
        (refusal(404), Ownership::Unknown),
    ] {
        let (owner_lookup, _) = owner_lookup(vec![answer.clone()], "");
        let claim = below("argoproj.io/v1alpha1", "Application");
        let found = owner_lookup.application(claim).await.unwrap();
        assert_eq!(found, expected, "{answer}");
    }
}

#[tokio::test]
async fn invalid_application_names_are_not_looked_up() {
    for name in ["../web", "a/b", "Web", ".web", "a?b"] {
        let (owner_lookup, _) = owner_lookup(Vec::new(), "");
        let answer = owner_lookup.application(tracked(name)).await.unwrap();
        assert_eq!(answer, Ownership::Unconfirmed, "{name}");
    }
}

#[tokio::test]
async fn hook_belongs_to_its_application_in_its_namespaces() {
    let id = "web-app:argoproj.io/Rollout:shop/web";
    let hook = json!({"argocd.argoproj.io/tracking-id": id, "argocd.argoproj.io/hook": "PreSync"});
    let deploys = |namespace: &str| json!({"spec": {"destination": {"namespace": namespace}}});
    for (namespace, expected) in [
        ("shop", to("argocd", "web-app")),
        ("other", Ownership::Unconfirmed),
    ] {
        let (owner_lookup, _) = owner_lookup(vec![deploys(namespace), refusal(404)], "");
        let answer = owner_lookup.application(marked(&hook, &json!({}))).await;
        assert_eq!(answer.unwrap(), expected, "{namespace}");
    }
}

#[tokio::test]
async fn label_counts_only_if_the_application_lists_the_object() {
    let label = json!({"app.kubernetes.io/instance": "web-app"});
    let labelled = || marked(&json!({}), &label);
    let mut elsewhere = application("shop");
    elsewhere["spec"]["destination"]["server"] = json!("https://east.example.com");
    for (answers, expected) in [
        (vec![application("shop")], to("argocd", "web-app")),
        (vec![elsewhere, refusal(404)], Ownership::Unconfirmed),
        (vec![refusal(404), refusal(404)], Ownership::Unowned),
        (
            vec![application("other"), refusal(404)],
            Ownership::Unconfirmed,
        ),
    ] {
        let (owner_lookup, _) = owner_lookup(answers.clone(), "");
        let answer = owner_lookup.application(labelled()).await.unwrap();
        assert_eq!(answer, expected, "{answers:?}");
    }
}

#[tokio::test]
async fn labels_in_managed_clusters_are_ignored() {
    let label = json!({"app.kubernetes.io/instance": "web-app"});
    let (owner_lookup, _) = owner_lookup(vec![application("shop")], "home");
    let answer = owner_lookup.application(marked(&json!({}), &label)).await;
    assert_eq!(answer.unwrap(), Ownership::Unowned);
}

#[tokio::test]
async fn unreadable_applications_disable_short_tracking_ids_with_a_notice() {
    let answers = vec![refusal(403), refusal(403), application("shop")];
    let (owner_lookup, notices) = owner_lookup(answers, "");
    let answer = owner_lookup.application(tracked("web-app")).await.unwrap();
    assert_eq!(answer, Ownership::Unconfirmed);
    let reported = lines(&notices).concat();
    assert!(
        reported.contains("may not read applications.argoproj.io in the namespace argocd"),
        "{reported}"
    );
    let answer = owner_lookup.application(tracked("web-app")).await.unwrap();
    assert_eq!(answer, to("argocd", "web-app"));
}
