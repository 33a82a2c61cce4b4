use super::*;

fn manifest(content: &'static str) -> Incoming {
    Incoming::Manifest(Digest::of(content.as_bytes()), content.into())
}

#[tokio::test]
async fn a_report_is_acknowledged_when_its_manifests_are_there() {
    for bench in Bench::all().await {
        let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
        wire.send(with_manifests(report(1, "web", 7), &["one", "two"]));
        let Outgoing::Wanted(1, wanted) = wire.next().await else {
            panic!("manifests are wanted");
        };
        assert_eq!(wanted.len(), 2);
        wire.send(sent(report(2, "api", 8)));
        assert_eq!(
            wire.acknowledged(1).await,
            [2],
            "a report that waits does not hold up the others"
        );
        wire.send(manifest("one"));
        wire.send(manifest("two"));
        assert_eq!(wire.acknowledged(1).await, [1]);
        wire.send(with_manifests(report(3, "other", 9), &["two"]));
        assert_eq!(
            wire.acknowledged(1).await,
            [3],
            "what is there is not wanted again"
        );
        let content = bench
            .store
            .reads()
            .manifest(&account("default"), &Digest::of(b"one"))
            .await
            .unwrap();
        assert_eq!(content.as_deref(), Some(&b"one"[..]));
    }
}

#[tokio::test]
async fn a_corrupt_manifest_rejects_what_waits_for_it_and_nothing_else() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    wire.send(with_manifests(report(1, "web", 7), &["one"]));
    assert!(matches!(wire.next().await, Outgoing::Wanted(1, _)));
    wire.send(Incoming::Manifest(Digest::of(b"one"), "another".into()));
    let Outgoing::Rejected(rejection) = wire.next().await else {
        panic!("the report is rejected");
    };
    assert_eq!(
        (rejection.sequence, rejection.fault),
        (1, Fault::ManifestCorrupt)
    );
    wire.send(sent(report(2, "api", 8)));
    assert_eq!(wire.acknowledged(1).await, [2]);
    assert_eq!(versions(&*bench.store).await, [("api".to_owned(), 8)]);
}

#[tokio::test]
async fn a_manifest_that_nobody_wants_is_not_kept() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    wire.send(manifest("filler"));
    wire.send(sent(report(1, "web", 7)));
    wire.acknowledged(1).await;
    let digest = Digest::of(b"filler");
    assert_eq!(
        bench
            .store
            .reads()
            .manifest(&account("default"), &digest)
            .await
            .unwrap(),
        None
    );
}

#[tokio::test]
async fn a_report_whose_manifest_never_comes_is_released_by_a_newer_one() {
    let bench = Bench::memory();
    let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
    wire.send(with_manifests(report(1, "web", 7), &["lost"]));
    assert!(matches!(wire.next().await, Outgoing::Wanted(1, _)));
    wire.send(sent(report(2, "web", 8)));
    assert_eq!(wire.acknowledged(2).await, [1, 2]);
    assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 8)]);
}
