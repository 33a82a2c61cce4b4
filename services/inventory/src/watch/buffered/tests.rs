use futures::{StreamExt as _, stream};

use super::*;

#[tokio::test]
async fn a_watch_that_breaks_is_told_as_broken_and_one_that_ends_as_ended() {
    let one = || stream::iter([Ok(1)]);
    let ended: Vec<_> = handed(one(), PATIENCE).collect().await;
    assert!(matches!(ended[..], [Ok(1)]), "{ended:?}");
    let breaks = one().chain(stream::once(async { panic!("as a fault of ours would") }));
    let broken: Vec<_> = handed(breaks, PATIENCE).collect().await;
    assert!(
        matches!(broken[..], [Ok(1), Err(WatchError::Broken)]),
        "{broken:?}"
    );
}
