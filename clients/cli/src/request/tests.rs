use std::{cell::Cell, time::Duration};

use causeway_proto::{error::v1::Reason, reason::DOMAIN};
use clap::Parser;
use tonic::{Code, Response, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use super::{RequestIdArgs, Requests, may_have_taken_effect, send_after};

#[derive(Parser, Debug)]
struct Typed {
    #[command(flatten)]
    ids: RequestIdArgs,
}

const ID: &str = "5f6d1f0e-8a0b-4c39-9d1e-0a4b6c1d2e3f";

fn typed(id: &str, many: bool) -> Requests {
    let typed = Typed::try_parse_from(["app", "--request-id", id]).unwrap();
    typed.ids.for_many(many).unwrap()
}

#[test]
fn each_of_many_requests_has_its_own_stable_id() {
    let (one, other) = (typed(ID, true), Typed::try_parse_from(["app"]).unwrap());
    let other = other.ids.for_many(true).unwrap();
    assert_eq!(one.request_id("web"), typed(ID, true).request_id("web"));
    assert_ne!(one.request_id("web"), one.request_id("api"));
    assert_ne!(one.request_id("web"), other.request_id("web"));
    assert_eq!(typed(ID, false).request_id("web"), ID);
}

#[test]
fn the_retry_command_has_the_same_request_ids() {
    let first = Typed::try_parse_from(["app"]).unwrap().ids;
    let first = first.for_many(true).unwrap();
    let again = first.retry_command();
    let (_, id) = again.split_once("--request-id ").unwrap();
    for name in ["east/argocd/web", "east/argocd/api"] {
        assert_eq!(typed(id, true).request_id(name), first.request_id(name));
    }
}

/// How often a call is made that is answered so, and what is said then.
async fn calls(code: Code) -> (usize, String) {
    let number = Cell::new(0);
    let call = async || {
        number.set(number.get() + 1);
        Err::<Response<()>, _>(Status::new(code, "why"))
    };
    let error = send_after(&[Duration::ZERO; 3], Some("what is told"), call)
        .await
        .unwrap_err();
    (number.get(), error.to_string())
}

#[tokio::test]
async fn only_requests_with_an_unknown_outcome_are_retried() {
    let (number, told) = calls(Code::Unavailable).await;
    assert_eq!(number, 4);
    assert!(told.contains("what is told finds out"), "{told}");
    let (number, told) = calls(Code::FailedPrecondition).await;
    assert_eq!(number, 1);
    assert!(!told.contains("what is told"), "{told}");
}

/// A lost part, then an answer: as a part that restarts.
#[tokio::test]
async fn a_part_that_is_lost_for_a_moment_is_asked_again_with_the_same_request() {
    for outcome in ["unknown", "not-delivered"] {
        let number = Cell::new(0);
        let call = async || {
            number.set(number.get() + 1);
            match number.get() {
                1 => Err(lost(outcome)),
                _ => Ok(Response::new(number.get())),
            }
        };
        let answer = send_after(&[Duration::ZERO; 3], None, call).await;
        assert_eq!(answer.unwrap(), 2, "{outcome}");
    }
}

/// As the router says that it lost an upstream, or did not reach it.
fn lost(outcome: &str) -> Status {
    let info = [("outcome".to_owned(), outcome.to_owned())];
    let details = ErrorDetails::with_error_info(Reason::UpstreamUnavailable.code(), DOMAIN, info);
    Status::with_error_details(Code::Unavailable, "lost", details)
}

#[test]
fn an_upstream_that_may_have_received_a_request_leaves_its_outcome_unknown() {
    assert!(may_have_taken_effect(&lost("unknown")));
    assert!(!may_have_taken_effect(&lost("not-delivered")));
}
