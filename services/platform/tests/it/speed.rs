//! Not a bench: many decisions at once are all made, and each change has its audit row on the disk.

use std::time::Duration;

use causeway_proto::platform::v1 as pb;
use futures::{StreamExt as _, stream};
use tokio::time::Instant;

use crate::stage::{CallStage, question};

const READ: &str = "/causeway.platform.v1.ApiKeyService/ListApiKeys";
const MUTATION: &str = "/causeway.platform.v1.ApiKeyService/CreateApiKey";
const CALLS: usize = 400;
const AT_ONCE: usize = 8;
const LOCKED: Duration = Duration::from_secs(10);

async fn times(stage: &CallStage, method: &str) -> Vec<Duration> {
    let (secret, router) = (stage.admin_key(), stage.authorization());
    let calls = stream::iter(0..CALLS).map(|_| {
        let mut router = router.clone();
        let question = question(&secret, method, &pb::ListApiKeysRequest::default());
        async move {
            let begin = Instant::now();
            router.authorize(question).await.unwrap();
            begin.elapsed()
        }
    });
    let mut times: Vec<_> = calls.buffer_unordered(AT_ONCE).collect().await;
    times.sort();
    times
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decisions_queue_behind_no_lock_with_and_without_an_audit_row() {
    let stage = CallStage::start().await;
    for method in [READ, MUTATION] {
        let times = times(&stage, method).await;
        let (median, slowest) = (times[CALLS / 2], times[CALLS - 1]);
        tracing::info!(method, ?median, ?slowest, "decisions");
        // what waits for a lock of the store waits for as long as the store allows before it fails
        assert!(
            slowest < LOCKED,
            "{method}: median {median:?}, slowest {slowest:?}"
        );
    }
    assert_eq!(stage.audit(500, "").await.unwrap().records.len(), CALLS);
}
