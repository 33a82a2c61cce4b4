use std::time::Duration;

use causeway_testkit::Postgres;
use tokio::task::JoinSet;

use super::*;
use crate::{
    fixture::{Bench, joining, soon},
    order::Continuity,
};

/// Two replicas on one store, with what keeps them in agreement.
struct Two {
    replicas: Vec<Arc<Members>>,
    keeping: Vec<JoinSet<()>>,
    stop: CancellationToken,
    _benches: Vec<Bench>,
}

impl Two {
    /// On each kind of store that replicas can share.
    async fn all() -> Vec<Self> {
        let memory = Bench::memory();
        let one = memory.store.clone();
        let mut all = vec![Self::on([one.clone(), one], vec![memory])];
        if let Some(server) = Postgres::shared() {
            let url = server.database();
            let benches = [Bench::replica(&url).await, Bench::replica(&url).await];
            let stores = benches.each_ref().map(|bench| bench.store.clone());
            all.push(Self::on(stores, benches.into()));
        }
        all
    }

    fn on(stores: [Arc<dyn Store>; 2], benches: Vec<Bench>) -> Self {
        let stop = CancellationToken::new();
        let (mut replicas, mut keeping) = (Vec::new(), Vec::new());
        for store in stores {
            let members = Arc::new(Members::new(store, Uuid::now_v7()));
            let mut tasks = JoinSet::new();
            tasks.spawn(members.clone().keep(stop.clone()));
            replicas.push(members);
            keeping.push(tasks);
        }
        Self {
            replicas,
            keeping,
            stop,
            _benches: benches,
        }
    }

    async fn join(&self, replica: usize, instance: u128) -> StreamLease {
        self.join_as(replica, joining(instance)).await
    }

    async fn join_as(&self, replica: usize, joining: Joining) -> StreamLease {
        let members = &self.replicas[replica];
        let joining = Joining {
            replica: members.replica(),
            ..joining
        };
        members.join(joining).await.unwrap()
    }
}

fn seated(membership: &mut StreamLease) -> Membership {
    match membership.lease_state() {
        LeaseState::Held(gathering) => gathering,
        LeaseState::Fenced => panic!("the stream is fenced"),
    }
}

/// Waits until a stream sees these reporters.
async fn sees(membership: &mut StreamLease, instances: &[u128]) -> Membership {
    let wanted: Vec<Uuid> = instances.iter().copied().map(Uuid::from_u128).collect();
    loop {
        let gathering = seated(membership);
        if gathering.instances == wanted {
            return gathering;
        }
        soon(membership.changed()).await;
    }
}

async fn is_fenced(membership: &mut StreamLease) {
    while membership.lease_state() != LeaseState::Fenced {
        soon(membership.changed()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reporters_of_two_replicas_see_each_other_come_and_go() {
    for two in Two::all().await {
        let mut here = two.join(0, 2).await;
        let mut there = two.join(1, 1).await;
        let both = sees(&mut here, &[1, 2]).await;
        assert_eq!(seated(&mut there), both);
        assert_eq!(both.departures, 0);
        drop(there);
        let alone = sees(&mut here, &[2]).await;
        assert!(alone.version > both.version);
        assert_eq!(alone.departures, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_stream_of_a_reporter_fences_the_earlier_one_wherever_it_is() {
    for there in [0, 1] {
        for two in Two::all().await {
            let mut old = two.join(0, 1).await;
            let mut new = two.join(there, 1).await;
            assert!(new.epoch() > old.epoch());
            is_fenced(&mut old).await;
            let departures = seated(&mut new).departures;
            drop(old);
            let mut other = two.join(1, 2).await;
            assert_eq!(sees(&mut new, &[1, 2]).await.departures, departures);
            drop(new);
            sees(&mut other, &[2]).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_store_fences_the_streams_from_before_wherever_they_are() {
    for two in Two::all().await {
        let mut before = two.join(0, 1).await;
        let restored = Joining {
            continuity: Continuity::Restored,
            ..joining(2)
        };
        let mut restored = two.join_as(1, restored).await;
        is_fenced(&mut before).await;
        assert_eq!(seated(&mut restored).instances.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seats_of_a_replica_that_dies_are_taken_away_and_those_of_others_stay() {
    for mut two in Two::all().await {
        // Its reporter may be silent for a moment only; the other one says enough.
        let patience = Duration::from_millis(500);
        let hasty = Joining {
            patience,
            ..joining(1)
        };
        let mut dead = two.join_as(0, hasty).await;
        let mut heir = two.join(1, 2).await;
        sees(&mut dead, &[1, 2]).await;
        two.keeping[0].shutdown().await;
        let alone = sees(&mut heir, &[2]).await;
        assert_eq!(alone.departures, 1);
        // It was only asleep: what it still has counts no more.
        let members = two.replicas[0].clone();
        two.keeping[0].spawn(members.keep(two.stop.clone()));
        is_fenced(&mut dead).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reporter_that_its_replica_does_not_hear_loses_its_seat_and_one_that_it_hears_does_not() {
    for two in Two::all().await {
        let patience = Duration::from_millis(500);
        let hasty = |instance| Joining {
            patience,
            ..joining(instance)
        };
        let mut silent = two.join_as(0, hasty(1)).await;
        let mut heard = two.join_as(0, hasty(2)).await;
        let talking = async {
            let mut often = interval(patience / 10);
            loop {
                heard.touch();
                often.tick().await;
            }
        };
        tokio::select! {
            () = is_fenced(&mut silent) => {}
            () = talking => {}
        }
        sees(&mut heard, &[2]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reporter_that_its_replica_keeps_waiting_has_its_seat_until_it_is_silent_by_itself() {
    for two in Two::all().await {
        let hasty = |instance| Joining {
            patience: Duration::from_millis(500),
            ..joining(instance)
        };
        let mut silent = two.join_as(0, hasty(1)).await;
        let mut waiting = two.join_as(0, hasty(2)).await;
        let busy = waiting.pause_liveness();
        is_fenced(&mut silent).await;
        let again = two.join_as(0, hasty(1)).await;
        sees(&mut waiting, &[1, 2]).await;
        sees(&mut waiting, &[2]).await;
        drop((busy, again));
        is_fenced(&mut waiting).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_stops_gives_up_its_seats_before_it_ends() {
    for mut two in Two::all().await {
        let here = two.join(0, 1).await;
        let mut there = two.join(1, 2).await;
        sees(&mut there, &[1, 2]).await;
        two.stop.cancel();
        drop(here);
        soon(two.keeping[0].join_next()).await.unwrap().unwrap();
        sees(&mut there, &[2]).await;
    }
}
