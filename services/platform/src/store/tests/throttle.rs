//! Buckets of tries.

use super::*;
use crate::throttle::{Bucket, FAILURES, Limit, Throttled};

over_each_store!(
    n_18_buckets_are_counted_for_all_who_share_the_store,
    n_16_tries_at_once_take_no_more_than_there_are,
);

async fn n_18_buckets_are_counted_for_all_who_share_the_store(subject: &Subject) {
    let store = &subject.store;
    let bucket = Bucket::of_source(FAILURES, "10.1.1.1");
    let other = Bucket::of_source(FAILURES, "10.1.1.2");
    for _ in 0..FAILURES.burst {
        assert_eq!(store.check_tries(&bucket, 1_000).await.unwrap(), Ok(()));
        let both = [bucket.clone()];
        assert_eq!(store.take_tries(&both, 1_000).await.unwrap(), Ok(()));
    }
    let empty = Err(Throttled {
        wait: FAILURES.every,
    });
    assert_eq!(store.check_tries(&bucket, 1_000).await.unwrap(), empty);
    let both = [other.clone(), bucket.clone()];
    assert_eq!(store.take_tries(&both, 1_000).await.unwrap(), empty);
    // What was refused took nothing from the other one.
    for _ in 0..FAILURES.burst {
        assert_eq!(
            store
                .take_tries(std::slice::from_ref(&other), 1_000)
                .await
                .unwrap(),
            Ok(())
        );
    }
    store.sweep_sign_ins(0, 1_001).await.unwrap();
    assert!(
        store.check_tries(&bucket, 1_001).await.unwrap().is_err(),
        "no sweep fills a bucket"
    );
}

async fn n_16_tries_at_once_take_no_more_than_there_are(subject: &Subject) {
    let limit = Limit {
        kind: "at-once",
        burst: 5,
        every: 60_000,
    };
    let bucket = [Bucket::of_source(limit, "10.1.1.1")];
    let tries = (0..40).map(|_| subject.store.take_tries(&bucket, 1_000));
    let taken = futures::future::join_all(tries).await;
    let taken = taken.into_iter().filter(|it| matches!(it, Ok(Ok(()))));
    assert_eq!(taken.count(), 5);
}
