use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use super::*;
use crate::patch;

/// A state of an application as its reporter encodes it.
fn encoded(label: &str, manifests: &[Digest]) -> Bytes {
    let resource = |digest: &Digest| pb::Resource {
        live_digest: Bytes::copy_from_slice(digest.as_bytes()),
        ..pb::Resource::default()
    };
    let status = pb::ApplicationStatus {
        resources: manifests.iter().map(resource).collect(),
        ..pb::ApplicationStatus::default()
    };
    let state = pb::ApplicationState {
        labels: [("label".to_owned(), label.to_owned())].into(),
        status: Some(status),
        ..pb::ApplicationState::default()
    };
    state.encode_to_vec().into()
}

fn delta(base: Option<&[u8]>, target: &[u8]) -> Delta {
    Delta {
        base: base.map(Digest::of),
        root: Digest::of(target),
        patch: patch::encode(base.unwrap_or_default(), target).into(),
        manifests: Vec::new(),
    }
}

fn told(sequence: u64, resource_version: u64, delta: Delta) -> Incoming {
    let state = Some(ReportedState::Delta(Box::new(delta)));
    sent(Report {
        state,
        ..report(sequence, "web", resource_version)
    })
}

async fn held(bench: &Bench) -> Option<(Digest, Bytes)> {
    let (reads, uid) = (bench.store.reads(), "uid-web".into());
    let listed = reads.list_held(&scope(), None, 10).await.unwrap();
    let root = listed.iter().find(|held| held.uid == uid)?.root_digest;
    let canonical = reads.held_state(&scope(), &uid, &root).await.unwrap();
    Some((root, canonical?))
}

fn kept(canonical: &Bytes) -> Option<(Digest, Bytes)> {
    Some((Digest::of(canonical), canonical.clone()))
}

#[tokio::test]
async fn states_come_as_what_their_bases_have_not() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let [one, two, three] = ["one", "two", "three"].map(|label| encoded(label, &[]));
        let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
        wire.send(told(1, 1, delta(None, &one)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        assert_eq!(held(&bench).await, kept(&one));
        wire.send(told(2, 2, delta(Some(&one), &two)));
        assert_eq!(wire.acknowledged(1).await, [2]);
        assert_eq!(held(&bench).await, kept(&two));
        // On another stream nothing is remembered, and the base is what is held.
        let (mut wire, _, told_as_held) = Wire::open(&inventory, hello(1)).await;
        assert_eq!(told_as_held[0].root_digest, Digest::of(&two));
        wire.send(told(1, 3, delta(Some(&two), &three)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        assert_eq!(held(&bench).await, kept(&three));
    }
}

#[tokio::test]
async fn a_state_whose_base_is_not_held_is_wanted_whole() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let [one, two, three] = ["one", "two", "three"].map(|label| encoded(label, &[]));
        let (mut wire, _, _) = Wire::open(&inventory, hello(1)).await;
        wire.send(told(1, 1, delta(Some(&one), &two)));
        assert_eq!(wire.next().await, Outgoing::BaseWanted(1));
        wire.send(told(2, 1, delta(None, &two)));
        assert_eq!(wire.acknowledged(1).await, [2]);
        wire.send(told(3, 2, delta(Some(&one), &three)));
        assert_eq!(wire.next().await, Outgoing::BaseWanted(3));
        // Of another account's object of the same uid nothing is taken.
        let theirs = State {
            root_digest: Digest::of(&one),
            canonical: one.clone(),
            ..state("theirs")
        };
        let change = crate::application::Change {
            scope: Arc::new(crate::fixture::scope_of("other")),
            state: Some(theirs),
            ..crate::fixture::live("uid-web", "web", crate::fixture::at(9, 9, 9))
        };
        crate::fixture::write(&*bench.store, Write::Report(Arc::new(change), None)).await;
        wire.send(told(4, 2, delta(Some(&one), &three)));
        assert_eq!(wire.next().await, Outgoing::BaseWanted(4));
        assert_eq!(held(&bench).await, kept(&two));
    }
}

/// A patch that was made of another base than it names: what is held after it, and what was answered.
async fn misled(read_delta: ReadDelta) -> (Option<(Digest, Bytes)>, Outgoing) {
    let bench = Bench::memory();
    let wire = Wire::reading(&bench.inventory(), read_delta);
    let (mut wire, _, _) = wire.greeted(hello(1)).await;
    let (one, other) = (encoded("one", &[]), encoded("six", &[]));
    wire.send(told(1, 1, delta(None, &one)));
    wire.acknowledged(1).await;
    let target = [&other[..], &encoded("two", &[])].concat();
    let wrong = Delta {
        base: Some(Digest::of(&one)),
        ..delta(Some(&other), &target)
    };
    wire.send(told(2, 2, wrong));
    let answer = wire.next().await;
    (held(&bench).await, answer)
}

#[tokio::test]
async fn a_patch_that_does_not_make_the_state_that_was_told_is_refused() {
    let (held, answer) = misled(from_delta).await;
    assert_eq!(held, kept(&encoded("one", &[])));
    let Outgoing::Rejected(rejection) = answer else {
        panic!("it is refused: {answer:?}");
    };
    assert_eq!((rejection.sequence, rejection.fault), (2, Fault::Field));
    assert_eq!(rejection.error.field, "delta.patch");
}

/// Takes whatever a patch makes for what was told.
fn careless(delta: &Delta, base: &[u8]) -> Result<ReportedState, (Fault, FieldError)> {
    let canonical = patch::apply(base, &delta.patch, 1 << 20).unwrap_or_default();
    Ok(ReportedState::Application(Box::new(State {
        root_digest: delta.root,
        canonical,
        ..state("whatever")
    })))
}

#[tokio::test]
async fn a_receiver_that_does_not_look_at_what_a_patch_makes_is_noticed() {
    let (held, _) = misled(careless).await;
    let (root, canonical) = held.unwrap();
    assert_ne!(root, Digest::of(&canonical), "this is what is looked for");
}

#[tokio::test]
async fn manifests_come_with_their_state_and_are_not_wanted() {
    for bench in Bench::all().await {
        let (mut wire, _, _) = Wire::open(&bench.inventory(), hello(1)).await;
        let [own, foreign] = ["own", "foreign"].map(|text| Digest::of(text.as_bytes()));
        let one = encoded("one", &[]);
        wire.send(told(1, 1, delta(None, &one)));
        wire.acknowledged(1).await;
        let two = encoded("two", &[own]);
        let with = Delta {
            manifests: vec![(own, "own".into()), (foreign, "foreign".into())],
            ..delta(Some(&one), &two)
        };
        wire.send(told(2, 2, with));
        assert_eq!(wire.next().await, Outgoing::Acknowledged(vec![2]));
        assert_eq!(held(&bench).await, kept(&two));
        let content = async |digest| {
            let reads = bench.store.reads();
            reads.manifest(&account("default"), &digest).await.unwrap()
        };
        assert_eq!(content(own).await.as_deref(), Some(&b"own"[..]));
        assert_eq!(content(foreign).await, None, "the state does not name it");
    }
}
