//! Tests of rate-limit buckets.

use super::*;
use crate::throttle::{Bucket, FAILURES, Limit, Throttled};

over_each_store!(
    n_18_buckets_are_counted_for_all_who_share_the_store,
    n_16_tries_at_once_take_no_more_than_there_are,
    n_18_s_59_a_flood_of_addresses_that_came_once_keeps_nobody_out,
    n_18_s_59_where_there_is_no_room_for_more_buckets_those_without_one_share_one,
);

/// A kind with room for few.
const FEW: Limit = Limit {
    kind: "few",
    burst: 3,
    every: 1_000,
    most: 5,
};

fn few(number: u32) -> Bucket {
    Bucket::of_source(FEW, &format!("10.1.1.{number}"))
}

async fn n_18_buckets_are_counted_for_all_who_share_the_store(subject: &Subject) {
    let store = &subject.store;
    let bucket = Bucket::of_source(FAILURES, "10.1.1.1");
    let other = Bucket::of_source(FAILURES, "10.1.1.2");
    let own = std::slice::from_ref(&bucket);
    for _ in 0..FAILURES.burst {
        assert_eq!(store.take_tries(own, 1_000).await.unwrap(), Ok(()));
    }
    let empty = Err(Throttled {
        wait: FAILURES.every,
    });
    assert_eq!(store.take_tries(own, 1_000).await.unwrap(), empty);
    let both = [other.clone(), bucket.clone()];
    assert_eq!(store.take_tries(&both, 1_000).await.unwrap(), empty);
    // What was refused took nothing from the other one.
    let other = std::slice::from_ref(&other);
    for _ in 0..FAILURES.burst {
        assert_eq!(store.take_tries(other, 1_000).await.unwrap(), Ok(()));
    }
    store.sweep_buckets(1_001).await.unwrap();
    let after = store.take_tries(own, 1_001).await.unwrap();
    assert!(after.is_err(), "no sweep fills a bucket");
}

async fn n_16_tries_at_once_take_no_more_than_there_are(subject: &Subject) {
    let limit = Limit {
        kind: "at-once",
        burst: 5,
        every: 60_000,
        most: 10,
    };
    let bucket = [Bucket::of_source(limit, "10.1.1.1")];
    let tries = (0..40).map(|_| subject.store.take_tries(&bucket, 1_000));
    let taken = futures::future::join_all(tries).await;
    let taken = taken.into_iter().filter(|it| matches!(it, Ok(Ok(()))));
    assert_eq!(taken.count(), 5);
}

async fn n_18_s_59_a_flood_of_addresses_that_came_once_keeps_nobody_out(subject: &Subject) {
    let store = &subject.store;
    for number in 0..50 {
        // As fast as a kind with so few may be asked for without being full: nobody sweeps.
        let at = 1_000 + 250 * i64::from(number);
        let taken = store.take_tries(&[few(number)], at).await.unwrap();
        assert_eq!(taken, Ok(()), "{number}");
    }
    let late = 1_000 + 250 * 50;
    let honest = few(200);
    for _ in 0..FEW.burst {
        let own = std::slice::from_ref(&honest);
        assert_eq!(store.take_tries(own, late).await.unwrap(), Ok(()));
    }
}

async fn n_18_s_59_where_there_is_no_room_for_more_buckets_those_without_one_share_one(
    subject: &Subject,
) {
    let (store, now) = (&subject.store, 1_000);
    for number in 0..FEW.most {
        store
            .take_tries(&[few(number)], now)
            .await
            .unwrap()
            .unwrap();
    }
    for number in 100..103 {
        let taken = store.take_tries(&[few(number)], now).await.unwrap();
        assert_eq!(taken, Ok(()), "{number}");
    }
    // The shared one is empty, whoever has none of their own.
    let empty = Err(Throttled { wait: FEW.every });
    assert_eq!(store.take_tries(&[few(104)], now).await.unwrap(), empty);
    assert_eq!(store.take_tries(&[few(0)], now).await.unwrap(), Ok(()));
    store.sweep_buckets(10_000).await.unwrap();
    assert_eq!(store.take_tries(&[few(104)], 10_000).await.unwrap(), Ok(()));
}

/// What a refused try does while somebody else writes.
async fn refused_beside_a_writer(store: &SqlStore) {
    let bucket = [few(1)];
    for _ in 0..FEW.burst {
        store.take_tries(&bucket, 1_000).await.unwrap().unwrap();
    }
    let writer = store.begin().await.unwrap();
    let refused = store.take_tries(&bucket, 1_000).await;
    let refused = refused.expect("it waits for no writer, so it cannot wait in vain");
    assert_eq!(refused, Err(Throttled { wait: FEW.every }));
    drop(writer);
}

#[tokio::test]
async fn who_is_refused_neither_waits_for_a_writer_nor_keeps_one_waiting_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("platform.db");
    let store = SqlStore::open(&DatabaseArgs::default(), &file).await;
    refused_beside_a_writer(&store.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_refused_neither_waits_for_a_writer_nor_keeps_one_waiting_over_postgresql() {
    let Some(postgres) = Postgres::shared() else {
        return;
    };
    let args = DatabaseArgs::from_url(postgres.database());
    let store = SqlStore::open(&args, Path::new("")).await;
    refused_beside_a_writer(&store.unwrap()).await;
}
