//! Who reports: the same on every store.

use causeway_testkit::Postgres;
use uuid::Uuid;

use super::*;
use crate::{
    application::Scope,
    fixture::{joining, joining_in},
    report::membership::{Joined, Joining, Leaving, MoveKind, Roster},
    reporters::place,
    store::{HeartbeatOutcome, MembershipStore},
};

async fn join(rosters: &dyn MembershipStore, joining: &Joining) -> Joined {
    rosters.join(joining).await.unwrap().unwrap()
}

fn leaving(joining: &Joining, joined: &Joined) -> Leaving {
    Leaving {
        scope: joining.scope.clone(),
        instance: joining.instance,
        number: joined.number,
    }
}

fn instances(roster: &Roster) -> Vec<u128> {
    roster.leases.keys().map(Uuid::as_u128).collect()
}

/// The rosters of the runtime `edge` of an account.
async fn of(rosters: &dyn MembershipStore, tenant: &str) -> Vec<(Scope, Roster)> {
    let account = account(tenant);
    rosters
        .list_by_runtime(&account, "edge", (None, 10))
        .await
        .unwrap()
}

#[tokio::test]
async fn member_and_epoch_are_stored_together() {
    for bench in Bench::all().await {
        let rosters = bench.store.memberships();
        let restored = Joining {
            continuity: Continuity::Restored,
            ..joining(1)
        };
        let first = join(rosters, &restored).await;
        let second = join(
            rosters,
            &Joining {
                instance: Uuid::from_u128(2),
                ..restored.clone()
            },
        )
        .await;
        assert_eq!((first.epoch, second.epoch), (1, 2));
        let next = write(&*bench.store, Write::Epoch(scope())).await;
        assert_eq!(next, Outcome::Epoch(3), "both ways count in one row");
        assert_eq!(instances(&second.roster), [1, 2]);
        let seat = &second.roster.leases[&restored.instance];
        assert_eq!(seat.number, first.number);
        assert_eq!(seat.continuity, Continuity::Restored);
        assert_eq!(seat.replica, restored.replica);
        assert_eq!(seat.reporter_version, restored.reporter_version);
        assert_eq!(
            u128::from(seat.patience.unsigned_abs()),
            restored.patience.as_millis()
        );
        assert!(seat.since > 1_600_000_000_000, "milliseconds since 1970");
        let changed = rosters.changed_since(first.number).await.unwrap();
        assert_eq!(changed, [(scope(), second.roster)]);
        assert!(
            rosters
                .changed_since(second.number)
                .await
                .unwrap()
                .is_empty()
        );
    }
}

#[tokio::test]
async fn leave_is_published_and_replaced_streams_cannot_leave() {
    for bench in Bench::all().await {
        let rosters = bench.store.memberships();
        let (one, other) = (joining(1), joining(2));
        let before = join(rosters, &one).await;
        let again = join(rosters, &one).await;
        let joined = join(rosters, &other).await;
        let none = rosters.leave(&[leaving(&one, &before)]).await.unwrap();
        assert!(none.is_empty());
        let left = rosters
            .leave(&[leaving(&one, &again), leaving(&other, &joined)])
            .await
            .unwrap();
        let told: Vec<_> = left.iter().map(|(_, roster)| instances(roster)).collect();
        assert_eq!(told, [vec![2], vec![]]);
        let roster = &of(rosters, "default").await[0].1;
        assert_eq!(*roster, left[1].1);
        let last = roster.last_move.unwrap();
        assert_eq!((last.instance, last.kind), (other.instance, MoveKind::Left));
        assert_eq!(roster.departures, 2);
    }
}

#[tokio::test]
async fn leases_expire_by_the_clock_of_the_store() {
    for bench in Bench::all().await {
        let rosters = bench.store.memberships();
        let hasty = |instance| Joining {
            patience: std::time::Duration::from_millis(50),
            ..joining(instance)
        };
        let (silent, heard) = (
            join(rosters, &hasty(1)).await,
            join(rosters, &hasty(2)).await,
        );
        let first = rosters.heartbeat(&[heard.number], None).await.unwrap();
        assert!(first.lost.is_empty(), "the first beat judges nobody");
        let mut last = first.now;
        let lost = loop {
            let beaten = rosters.heartbeat(&[heard.number], Some(last)).await;
            let HeartbeatOutcome { now, lost } = beaten.unwrap();
            assert!(now >= last);
            if !lost.is_empty() {
                break lost;
            }
            last = now;
            tokio::task::yield_now().await;
        };
        assert_eq!(instances(&lost[0].1), [2]);
        assert!(lost[0].1.version > heard.number.max(silent.number));
        assert_eq!(lost[0].1.departures, 1);
        let seat = &of(rosters, "default").await[0].1.leases[&Uuid::from_u128(2)];
        assert!(seat.heard_at > seat.since, "{seat:?}");
    }
}

#[tokio::test]
async fn memberships_are_separate_by_account_kind_and_cluster() {
    for bench in Bench::all().await {
        let rosters = bench.store.memberships();
        join(rosters, &joining(1)).await;
        join(rosters, &joining_in("other", "in-cluster", 2)).await;
        let far = join(rosters, &joining_in("default", "far", 3)).await;
        assert_eq!((far.epoch, instances(&far.roster)), (1, vec![3]));
        let told: Vec<_> = of(rosters, "default")
            .await
            .into_iter()
            .map(|(scope, roster)| (scope.cluster.to_string(), instances(&roster)))
            .collect();
        assert_eq!(
            told,
            [
                ("far".to_owned(), vec![3]),
                ("in-cluster".to_owned(), vec![1])
            ]
        );
        assert_eq!(of(rosters, "other").await.len(), 1);
        assert!(of(rosters, "third").await.is_empty());
        let mut told: Vec<_> = of(rosters, "default").await;
        let own = account("default");
        let few = async |behind: Option<&_>| {
            let few = rosters.list_by_runtime(&own, "edge", (behind, 1));
            few.await.unwrap()
        };
        assert_eq!(few(None).await, told[..1]);
        assert_eq!(few(Some(&place(&told[0].0))).await, told[1..]);
        assert_eq!(few(Some(&place(&told.remove(1).0))).await, []);
    }
}

#[tokio::test]
async fn later_runtime_of_a_reused_name_is_listed() {
    for bench in Bench::all().await {
        let rosters = bench.store.memberships();
        join(rosters, &joining(1)).await;
        let mut later = joining(2);
        later.scope.runtime = "rt-two".parse().unwrap();
        join(rosters, &later).await;
        let told = of(rosters, "default").await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].0.runtime, later.scope.runtime);
    }
}

#[tokio::test]
async fn reopened_file_has_no_members() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(folder.path()).await;
    join(bench.store.memberships(), &joining(1)).await;
    drop(bench.store);
    while bench.tasks.join_next().await.is_some() {}
    let bench = Bench::open(folder.path()).await;
    let alone = join(bench.store.memberships(), &joining(2)).await;
    assert_eq!((instances(&alone.roster), alone.epoch), (vec![2], 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_joins_on_two_replicas_get_distinct_numbers_and_epochs() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let url = server.database();
    let benches = [Bench::replica(&url).await, Bench::replica(&url).await];
    let joins = (0..40_u128).map(async |instance| {
        let store = &benches[usize::from(instance % 2 == 0)].store;
        join(store.memberships(), &joining(instance)).await
    });
    let joined = futures::future::join_all(joins).await;
    let mut numbers: Vec<_> = joined.iter().map(|it| (it.number, it.epoch)).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=40).map(|it| (it, it)).collect::<Vec<_>>());
    let told = of(benches[0].store.memberships(), "default").await;
    assert_eq!(instances(&told[0].1), (0..40).collect::<Vec<_>>());
}
