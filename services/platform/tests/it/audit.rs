use causeway_proto::platform::v1 as pb;
use tonic::Code;

use crate::stage::{CallStage, new_id, question};

const REVOKE: &str = "/causeway.platform.v1.RuntimeService/RevokeRuntime";

fn outcome(audit_id: &str, outcome: pb::Outcome, message: &str) -> pb::RecordOutcomeRequest {
    pb::RecordOutcomeRequest {
        audit_id: audit_id.to_owned(),
        outcome: outcome.into(),
        code: 0,
        message: message.to_owned(),
    }
}

#[tokio::test]
async fn an_intent_is_there_before_its_outcome_and_the_first_outcome_stays() {
    let stage = CallStage::start().await;
    let mut question = question(
        &stage.admin_key(),
        REVOKE,
        &pb::RevokeRuntimeRequest::default(),
    );
    question.target = "runtimes/edge".to_owned();
    question.source_address = "10.1.2.3".to_owned();
    let permit = stage.authorize(question.clone()).await.unwrap();
    let row = stage.audit(10, "").await.unwrap().records.remove(0);
    assert_eq!(
        (row.audit_id.as_str(), row.request_id),
        (permit.audit_id.as_str(), question.request_id)
    );
    assert_eq!(
        (row.subject.as_str(), row.target.as_str()),
        ("user:admin", "runtimes/edge")
    );
    assert_eq!(
        (row.outcome, row.ended_at),
        (pb::Outcome::Unspecified.into(), None)
    );

    let mut router = stage.authorization();
    let long = "m".repeat(5000);
    router
        .record_outcome(outcome(&permit.audit_id, pb::Outcome::Unknown, &long))
        .await
        .unwrap();
    router
        .record_outcome(outcome(&permit.audit_id, pb::Outcome::Succeeded, ""))
        .await
        .unwrap();
    let row = stage.audit(10, "").await.unwrap().records.remove(0);
    assert_eq!(
        (row.outcome(), row.message.len()),
        (pb::Outcome::Unknown, 1024)
    );
    assert!(row.ended_at.is_some());
}

#[tokio::test]
async fn an_outcome_without_a_row_or_a_meaning_is_refused() {
    let stage = CallStage::start().await;
    let mut router = stage.authorization();
    let cases = [
        (
            Code::NotFound,
            outcome(&new_id(), pb::Outcome::Succeeded, ""),
        ),
        (
            Code::InvalidArgument,
            outcome("row", pb::Outcome::Succeeded, ""),
        ),
        (
            Code::InvalidArgument,
            outcome(&new_id(), pb::Outcome::Unspecified, ""),
        ),
    ];
    for (code, request) in cases {
        assert_eq!(
            router.record_outcome(request).await.unwrap_err().code(),
            code
        );
    }
}

#[tokio::test]
async fn rows_come_in_pages_newest_first_and_pages_have_a_bound() {
    let stage = CallStage::start().await;
    for _ in 0..5 {
        let question = question(
            &stage.admin_key(),
            REVOKE,
            &pb::RevokeRuntimeRequest::default(),
        );
        stage.authorize(question).await.unwrap();
    }
    let (mut token, mut ids) = (String::new(), Vec::new());
    loop {
        let page = stage.audit(2, &token).await.unwrap();
        ids.extend(page.records.into_iter().map(|row| row.audit_id));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(ids.len(), 5);
    assert!(ids.is_sorted_by(|newer, older| newer > older));
    let most = stage.audit(u32::MAX, "").await.unwrap();
    assert_eq!(
        most.records.len(),
        5,
        "a size that is too large is the largest"
    );
    assert_eq!(
        stage.audit(1, "elsewhere").await.unwrap_err().code(),
        Code::InvalidArgument
    );
}
