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

use super::{Ancestry, Belonging};
use crate::{
    kin::ApplicationName,
    object::{Ancestor, Lineage, TypeName},
    watch::Home,
};

/// Something in a cluster that answers so, one after the other.
fn ancestry(answers: Vec<Value>, home: &str) -> (Ancestry, Notices) {
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
    let home = Home {
        cluster: home.to_owned(),
        argocd_namespace: "argocd".to_owned(),
    };
    let client = Client::new(service, "default");
    let remembered = Duration::ZERO;
    let ancestry = Ancestry::new(
        (client, "west".to_owned()),
        home,
        notices.clone(),
        remembered,
    );
    (ancestry, notices)
}

fn below(api_version: &str, kind: &str) -> Lineage {
    Lineage {
        tracking: None,
        above: Some(Ancestor {
            of: TypeName::of(api_version, kind),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
            uid: "u".to_owned(),
        }),
    }
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
async fn what_may_not_be_read_is_complained_of_until_it_may() {
    for last in [pod(), refusal(404)] {
        let (ancestry, notices) = ancestry(vec![refusal(403), last], "");
        let answer = ancestry.application(below("v1", "Pod")).await.unwrap();
        assert_eq!(answer, Belonging::Unsaid);
        let told = lines(&notices);
        assert!(
            told[0].contains("west") && told[0].contains("pods"),
            "{told:?}"
        );
        ancestry.application(below("v1", "Pod")).await.unwrap();
        assert_eq!(lines(&notices), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_cluster_that_does_not_answer_is_complained_of_until_it_does() {
    let (ancestry, notices) = ancestry(vec![refusal(500), pod()], "");
    ancestry.application(below("v1", "Pod")).await.unwrap_err();
    let told = lines(&notices);
    assert!(told[0].contains("cannot ask for the owner"), "{told:?}");
    let answer = ancestry.application(below("v1", "Pod")).await.unwrap();
    assert_eq!(answer, Belonging::Nowhere);
    assert_eq!(lines(&notices), Vec::<String>::new());
}

#[tokio::test]
async fn of_what_may_be_read_in_one_namespace_the_others_are_complained_of() {
    let (ancestry, notices) = ancestry(vec![refusal(403), pod(), pod()], "");
    let beyond = Lineage {
        above: below("v1", "Pod").above.map(|above| Ancestor {
            namespace: "beyond".to_owned(),
            ..above
        }),
        ..below("v1", "Pod")
    };
    ancestry.application(beyond.clone()).await.unwrap();
    let told = lines(&notices);
    assert!(told[0].contains("pods"), "{told:?}");
    ancestry.application(below("v1", "Pod")).await.unwrap();
    assert_eq!(lines(&notices), told);
    ancestry.application(beyond).await.unwrap();
    assert_eq!(lines(&notices), Vec::<String>::new());
}

#[tokio::test]
async fn a_kind_that_does_not_answer_is_complained_of_whatever_other_kinds_do() {
    let (ancestry, notices) = ancestry(vec![refusal(500), pod(), pod()], "");
    ancestry.application(below("v1", "Pod")).await.unwrap_err();
    let told = lines(&notices);
    assert!(told[0].contains("pods"), "{told:?}");
    let other = below("v1", "Service");
    ancestry.application(other).await.unwrap();
    assert_eq!(lines(&notices), told);
    ancestry.application(below("v1", "Pod")).await.unwrap();
    assert_eq!(lines(&notices), Vec::<String>::new());
}

#[tokio::test]
async fn what_happens_to_an_application_belongs_to_it_where_applications_are() {
    let of_application = || below("argoproj.io/v1alpha1", "Application");
    let (here, _) = ancestry(Vec::new(), "");
    let answer = here.application(of_application()).await.unwrap();
    let itself = ApplicationName {
        cluster: String::new(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
    };
    assert_eq!(answer, Belonging::To(itself));
    let (there, _) = ancestry(vec![refusal(404)], "in-cluster");
    let answer = there.application(of_application()).await.unwrap();
    assert_eq!(answer, Belonging::Unsaid);
}
