use causeway_assertion::RevocationNotifier;
use futures::StreamExt as _;
use tokio::time::Instant;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_revocation_is_told_at_once_and_the_number_every_second() {
    let revoker = RevocationNotifier::default();
    let (_hears, hearing) = watch::channel(RevocationFeed::Good);
    let mut told = Box::pin(stream_epochs(revoker.revocations(), hearing));
    assert_eq!(told.next().await, Some(0));
    revoker.notify();
    revoker.notify();
    let begun = Instant::now();
    assert_eq!(told.next().await, Some(2));
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(told.next().await, Some(2));
    assert_eq!(begun.elapsed(), EVERY);
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_does_not_know_any_more_tells_nobody() {
    let revoker = RevocationNotifier::default();
    let (hears, hearing) = watch::channel(RevocationFeed::Good);
    let mut told = Box::pin(stream_epochs(revoker.revocations(), hearing));
    assert_eq!(told.next().await, Some(0));
    hears.send_replace(RevocationFeed::Lost);
    let begun = Instant::now();
    assert_eq!(told.next().await, None);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}
