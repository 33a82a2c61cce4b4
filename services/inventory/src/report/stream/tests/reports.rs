use super::*;

#[tokio::test]
async fn a_report_is_acknowledged_and_told_as_held_on_the_next_stream() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut wire, first, held) = Wire::open(&inventory, hello(1)).await;
        assert!(held.is_empty());
        wire.send(sent(report(1, "web", 7)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        drop(wire);
        let (_, second, held) = Wire::open(&inventory, hello(1)).await;
        assert_eq!(second.incarnation, first.incarnation);
        assert!(second.epoch > first.epoch);
        assert_eq!(held.len(), 1);
        assert_eq!(
            (held[0].uid.as_str(), held[0].resource_version),
            ("uid-web", 7)
        );
        assert_eq!(held[0].root_digest, state("web at 7").root_digest);
    }
}

#[tokio::test]
async fn more_objects_than_fit_into_a_chunk_are_held_in_several() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    for round in 0..6_u64 {
        for number in 0..200 {
            let sequence = round * 200 + number + 1;
            wire.send(sent(report(sequence, &format!("app-{sequence}"), sequence)));
        }
        wire.acknowledged(200).await;
    }
    let (_, _, held) = Wire::open(&inventory, hello(2)).await;
    assert_eq!(held.len(), 1200);
    let elsewhere = Hello {
        namespaces: vec!["other".into()],
        ..hello(3)
    };
    let (_, _, held) = Wire::open(&inventory, elsewhere).await;
    assert!(held.is_empty());
}

#[tokio::test]
async fn duplicates_and_older_states_are_acknowledged_and_change_nothing() {
    for bench in Bench::all().await {
        let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
        wire.send(sent(report(1, "web", 7)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        wire.send(sent(report(1, "web", 7)));
        wire.send(sent(report(2, "web", 3)));
        wire.send(sent(report(3, "web", 7)));
        assert_eq!(wire.acknowledged(3).await, [1, 2, 3]);
        assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 7)]);
        let extent = bench
            .store
            .reads()
            .change_bounds(&account("default"))
            .await
            .unwrap();
        assert_eq!(
            extent.latest, 1,
            "a later report of the same state is no news either"
        );
    }
}

#[tokio::test]
async fn a_deletion_is_not_undone_by_an_older_state_on_another_stream() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut one, _, _) = Wire::open(&inventory, hello(1)).await;
        let (mut two, _, _) = Wire::open(&inventory, hello(2)).await;
        one.send(sent(report(1, "web", 7)));
        one.acknowledged(1).await;
        let gone = Report {
            state: None,
            ..report(2, "web", 9)
        };
        one.send(sent(gone));
        one.acknowledged(1).await;
        two.send(sent(report(1, "web", 8)));
        assert_eq!(two.acknowledged(1).await, [1]);
        assert!(versions(&*bench.store).await.is_empty());
    }
}

#[tokio::test]
async fn a_bad_report_is_rejected_and_the_others_go_on() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    let rejection = Rejection {
        sequence: 1,
        fault: Fault::Field,
        error: FieldError::new("uid", "must be set"),
    };
    wire.send(Incoming::Report(Err(rejection.clone())));
    wire.send(Incoming::Unknown);
    wire.send(sent(report(2, "web", 7)));
    assert_eq!(wire.next().await, Outgoing::Rejected(rejection));
    assert_eq!(wire.acknowledged(1).await, [2]);
}

#[tokio::test]
async fn a_restored_cluster_replaces_what_is_held_by_lower_versions() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut before, _, _) = Wire::open(&inventory, hello(1)).await;
        before.send(sent(report(1, "web", 90)));
        before.acknowledged(1).await;
        let restored = Hello {
            continuity: Continuity::Restored,
            ..hello(2)
        };
        let (mut wire, _, _) = Wire::open(&inventory, restored).await;
        assert!(matches!(before.end().await, Some(SessionError::Fenced)));
        wire.send(sent(report(1, "web", 10)));
        wire.acknowledged(1).await;
        assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 10)]);
    }
}

#[tokio::test]
async fn the_end_of_what_is_sent_still_gets_its_answers() {
    let bench = Bench::sqlite().await;
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    for sequence in 1..=50 {
        wire.send(sent(report(sequence, &format!("app-{sequence}"), sequence)));
    }
    wire.up = None;
    assert_eq!(wire.acknowledged(50).await.len(), 50);
    assert!(wire.end().await.is_none());
}
