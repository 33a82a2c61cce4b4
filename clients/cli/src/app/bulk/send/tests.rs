use std::{cell::Cell, time::Duration};

use causeway_proto::inventory::v1 as pb;
use tonic::{Code, Response, Status};
use uuid::Uuid;

use super::{id_for, send_after};

fn application(name: &str) -> pb::Application {
    pb::Application {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        ..pb::Application::default()
    }
}

#[test]
fn each_of_many_has_an_id_of_its_own_that_is_the_same_in_the_same_command() {
    let (one, other) = (Uuid::new_v4(), Uuid::new_v4());
    let (web, api) = (application("web"), application("api"));
    assert_eq!(id_for(one, &web, 1), one.to_string());
    assert_eq!(id_for(one, &web, 2), id_for(one, &web, 2));
    assert_ne!(id_for(one, &web, 2), id_for(one, &api, 2));
    assert_ne!(id_for(one, &web, 2), id_for(other, &web, 2));
}

/// How often a call is made that is answered so, and what is said then.
async fn calls(code: Code) -> (usize, String) {
    let number = Cell::new(0);
    let call = async || {
        number.set(number.get() + 1);
        Err::<Response<()>, _>(Status::new(code, "why"))
    };
    let error = send_after(&[Duration::ZERO; 3], "the-id", call)
        .await
        .unwrap_err();
    (number.get(), error.to_string())
}

#[tokio::test]
async fn what_may_have_taken_effect_is_sent_again_with_its_id_and_nothing_else_is() {
    let (number, told) = calls(Code::Unavailable).await;
    assert_eq!(number, 4);
    assert!(told.contains("--request-id the-id"), "{told}");
    let (number, told) = calls(Code::FailedPrecondition).await;
    assert_eq!(number, 1);
    assert!(!told.contains("--request-id"), "{told}");
}
