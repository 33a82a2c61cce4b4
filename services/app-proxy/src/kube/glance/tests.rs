use std::{
    future::pending,
    sync::atomic::{AtomicUsize, Ordering},
};

use tokio::task::yield_now;

use super::*;

#[tokio::test]
async fn places_that_answer_are_all_looked_at_a_few_at_a_time() {
    let (open, most, asked) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let seen = glance((0..100).collect(), async |place: usize, limit| {
        let now = open.fetch_add(1, Ordering::Relaxed) + 1;
        most.fetch_max(now, Ordering::Relaxed);
        asked.fetch_max(limit as usize, Ordering::Relaxed);
        yield_now().await;
        open.fetch_sub(1, Ordering::Relaxed);
        vec![place]
    });
    let mut seen = seen.await;
    seen.sort_unstable();
    assert_eq!(seen, (0..100).collect::<Vec<_>>());
    assert_eq!(most.into_inner(), AT_ONCE);
    assert!(asked.into_inner() * AT_ONCE <= MOST);
}

#[tokio::test(start_paused = true)]
async fn places_that_never_answer_are_waited_for_once_and_not_each() {
    let begun = Instant::now();
    let seen = glance((0..100).collect(), async |place: usize, _| match place {
        0 | 1 => vec![place],
        _ => pending().await,
    });
    assert_eq!(seen.await.len(), 2, "what was seen by then counts");
    assert_eq!(begun.elapsed(), PATIENCE);
}

#[tokio::test]
async fn no_more_is_looked_at_than_the_most_and_one_place_may_have_it_all() {
    let looks = AtomicUsize::new(0);
    let seen = glance((0..100).collect(), async |_: usize, limit| {
        looks.fetch_add(1, Ordering::Relaxed);
        vec![(); limit as usize]
    });
    assert_eq!(seen.await.len(), MOST);
    assert!(looks.into_inner() < 2 * AT_ONCE);
    let seen = glance(vec![()], async |(), limit| vec![(); limit as usize]).await;
    assert_eq!(seen.len(), MOST);
    let none: Vec<()> = glance(Vec::<()>::new(), async |(), _| unreachable!()).await;
    assert!(none.is_empty());
}
