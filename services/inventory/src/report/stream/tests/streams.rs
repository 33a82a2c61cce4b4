use super::*;

#[tokio::test]
async fn a_second_stream_of_a_reporter_ends_the_first() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut old, _, _) = Wire::open(&inventory, hello(1)).await;
    let (mut new, _, _) = Wire::open(&inventory, hello(1)).await;
    assert!(matches!(old.end().await, Some(SessionError::Fenced)));
    new.send(sent(report(1, "web", 7)));
    assert_eq!(new.acknowledged(1).await, [1]);
}

#[tokio::test]
async fn reporters_are_told_of_each_other_and_who_stays_outranks_who_left() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let _keeping = keeping(&inventory);
    let (mut first, welcome, _) = Wire::open(&inventory, hello(1)).await;
    assert_eq!(welcome.members.instances, [Uuid::from_u128(1)]);
    let (mut second, welcome, _) = Wire::open(&inventory, hello(2)).await;
    assert_eq!(welcome.members.instances.len(), 2);
    assert!(matches!(first.next().await, Outgoing::Members(both) if both.instances.len() == 2));
    second.send(sent(report(1, "web", 7)));
    second.acknowledged(1).await;
    drop(second);
    assert!(matches!(first.next().await, Outgoing::Members(one) if one.instances.len() == 1));
    let held = first.next().await;
    assert!(
        matches!(&held, Outgoing::Held(objects, Part::Last) if &*objects[0].object.name == "web"),
        "an heir is told what is held: {held:?}"
    );
    // The heir finds more about the same resource version than the one that left did.
    let more = Report {
        state: Some(ReportedState::Application(Box::new(state("more")))),
        ..report(1, "web", 7)
    };
    first.send(sent(more));
    assert_eq!(first.acknowledged(1).await, [1]);
    let held = bench
        .store
        .reads()
        .list_held(&scope(), None, 10)
        .await
        .unwrap();
    assert_eq!(held[0].root_digest, state("more").root_digest);
}

#[tokio::test]
async fn the_first_message_is_hello_and_there_is_one() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let mut wire = Wire::to(&inventory);
    wire.send(sent(report(1, "web", 7)));
    assert!(matches!(
        wire.end().await,
        Some(SessionError::HelloExpected)
    ));
    let mut wire = Wire::to(&inventory);
    wire.send(Incoming::Hello(Err(FieldError::new(
        "instance",
        "must be a UUID",
    ))));
    assert!(matches!(wire.end().await, Some(SessionError::Hello(_))));
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    wire.send(Incoming::Hello(Ok(hello(1))));
    assert!(matches!(
        wire.end().await,
        Some(SessionError::HelloRepeated)
    ));
}

#[tokio::test(start_paused = true)]
async fn a_silent_reporter_is_let_go_and_a_heartbeat_keeps_it() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
    let opened = Instant::now();
    let heartbeat = timeout(SILENCE - Duration::from_secs(1), wire.down.next());
    assert!(heartbeat.await.is_err(), "nothing is due yet");
    wire.send(Incoming::Heartbeat);
    let end = wire.down.next().await.unwrap();
    assert!(matches!(end, Err(SessionError::Silent(SILENCE))));
    assert!(opened.elapsed() >= SILENCE * 2 - Duration::from_secs(1));
    let mut mute = Wire::to(&inventory);
    let end = mute.down.next().await.unwrap();
    assert!(matches!(end, Err(SessionError::HelloExpected)));
}

#[tokio::test]
async fn streams_end_when_the_inventory_stops() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let (mut open, _, _) = Wire::open(&inventory, hello(1)).await;
    let mut greeting = Wire::to(&inventory);
    inventory.stop().cancel();
    assert!(matches!(open.end().await, Some(SessionError::Draining)));
    assert!(matches!(greeting.end().await, Some(SessionError::Draining)));
}

#[tokio::test]
async fn a_reporter_that_ignores_the_window_is_stopped() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    for sequence in 1..=u64::from(WINDOW) + 1 {
        let waiting = report(sequence, &format!("app-{sequence}"), sequence);
        wire.send(with_manifests(waiting, &["never"]));
    }
    assert!(matches!(wire.end().await, Some(SessionError::Window)));
}

#[tokio::test]
async fn a_reporter_that_ignores_the_window_in_bytes_is_stopped() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    let large = Bytes::from(vec![0; 4 << 20]);
    for sequence in 1..=20 {
        let mut waiting = report(sequence, &format!("app-{sequence}"), sequence);
        let Some(ReportedState::Application(state)) = &mut waiting.state else {
            panic!("it is an application");
        };
        state.detail = large.clone();
        wire.send(with_manifests(waiting, &["never"]));
    }
    assert!(matches!(wire.end().await, Some(SessionError::Memory)));
}
