use super::*;

fn key(runtime: &str, name: &str) -> Key {
    Key {
        runtime_name: runtime.to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: "in-cluster".to_owned(),
        runtime: "rt-1".to_owned(),
    }
}

#[test]
fn the_nearest_names_come_best_first_and_are_three_at_most() {
    let there = [
        key("edge", "guestbook"),
        key("edge", "guestbooks"),
        key("edge", "gestbook"),
        key("edge", "guestbok-2"),
        key("edge", "payments"),
    ];
    let near = nearest(&key("edge", "gusetbook"), &there);
    let names: Vec<&str> = near.iter().map(|key| &*key.name).collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[0], "guestbook");
    assert!(nearest(&key("edge", "zzz"), &there).is_empty());
}

#[test]
fn the_same_name_on_another_runtime_is_the_best_guess() {
    let there = [key("edge", "guestbook-2"), key("core", "guestbook")];
    let near = nearest(&key("edge", "guestbook"), &there);
    assert_eq!(near[0], key("core", "guestbook"));
}

#[test]
fn states_are_read_back_from_their_codes() {
    for sync in Sync::ALL {
        assert_eq!(Sync::from_code(sync.code()), sync);
    }
    for health in Health::ALL {
        assert_eq!(Health::from_code(health.code()), health);
    }
    assert_eq!(Health::from_code(-1), Health::Unspecified);
    assert_eq!(Sync::from_code(99), Sync::Unspecified);
}

#[test]
fn a_page_is_cut_before_it_grows_too_large_but_never_empty() {
    let record = |bytes: usize| Record {
        key: key("edge", "web"),
        uid: Uid::from("u1"),
        resource_version: 1,
        life: ObjectLife::Live,
        summary: Summary {
            traits: ScopeTraits::default(),
            sync: Sync::Synced,
            health: Health::Healthy,
            source: Source::Git,
            details: Details::default(),
        },
        past: Vec::new(),
        change: 1,
        received_at: 0,
        basic: vec![0; bytes].into(),
        detail: Bytes::new(),
    };
    let mut page = Page {
        items: Vec::new(),
        rest: NextPage::End,
    };
    let mut bytes = 0;
    assert!(page.push(record(ANSWER_BYTES * 2), 10, &mut bytes));
    assert!(!page.push(record(1), 10, &mut bytes));
    assert_eq!((page.items.len(), page.rest), (1, NextPage::More));
}
