use causeway_shell::assertion::Revoker;
use futures::StreamExt as _;
use tokio::time::Instant;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_revocation_is_told_at_once_and_the_number_every_second() {
    let revoker = Revoker::default();
    let mut told = Box::pin(tell(revoker.revocations()));
    assert_eq!(told.next().await, Some(0));
    revoker.revoked();
    revoker.revoked();
    let begun = Instant::now();
    assert_eq!(told.next().await, Some(2));
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(told.next().await, Some(2));
    assert_eq!(begun.elapsed(), EVERY);
}
