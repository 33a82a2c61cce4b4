use super::*;
use crate::{
    application::{Details, Health, Source, Sync, Uid},
    order::ObjectLife,
};

fn traits(project: &str) -> ScopeTraits {
    ScopeTraits {
        project: project.into(),
        labels: Labels::default(),
    }
}

fn record(project: &str, past: Vec<FormerTraits>) -> Record {
    Record {
        key: Key {
            runtime_name: "east".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            cluster: "in-cluster".to_owned(),
            runtime: "rt-one".to_owned(),
        },
        uid: Uid::from("u1"),
        resource_version: 1,
        life: ObjectLife::Live,
        summary: Summary {
            traits: traits(project),
            sync: Sync::Synced,
            health: Health::Healthy,
            source: Source::Git,
            details: Details::default(),
        },
        past,
        change: 100,
        received_at: 0,
        basic: bytes::Bytes::new(),
        detail: bytes::Bytes::new(),
    }
}

fn past(until: u64, project: &str) -> FormerTraits {
    FormerTraits {
        until,
        traits: traits(project),
    }
}

fn shop() -> Visible {
    Visible::new(&serde_json::from_str(r#"{"rules":[{"projects":["shop"]}]}"#).unwrap())
}

#[test]
fn by_default_nothing_is_visible() {
    let web = record("shop", Vec::new());
    assert!(!Visible::default().contains(&web.key, &web.summary));
    assert!(Visible::everything().contains(&web.key, &web.summary));
    assert!(shop().contains(&web.key, &web.summary));
}

#[test]
fn what_was_in_scope_after_a_change_may_have_been_seen() {
    let cases = [
        ("shop", vec![], 50, PastVisibility::Yes),
        ("bank", vec![], 50, PastVisibility::No),
        ("bank", vec![past(60, "shop")], 50, PastVisibility::Yes),
        ("bank", vec![past(50, "shop")], 50, PastVisibility::No),
        (
            "bank",
            vec![past(60, "bar"), past(55, "shop")],
            50,
            PastVisibility::Yes,
        ),
        (
            "bank",
            vec![past(60, "bar"), past(55, "shop")],
            55,
            PastVisibility::No,
        ),
    ];
    for (now, past, since, expected) in cases {
        let text = format!("{now} {past:?} {since}");
        assert_eq!(shop().saw(&record(now, past), since), expected, "{text}");
    }
}

#[test]
fn what_changed_too_often_is_not_known_any_more() {
    let mut held = traits("p0");
    let mut remembered = Vec::new();
    for change in 1..=10 {
        let new = traits(&format!("p{change}"));
        remembered = moved(remembered, held, &new, change);
        held = new;
    }
    assert_eq!(remembered.len(), MOST_PAST);
    assert_eq!(remembered[0], past(10, "p9"));
    assert_eq!(remembered.last(), Some(&past(3, "p2")));
    let web = record("p10", remembered);
    assert_eq!(shop().saw(&web, 2), PastVisibility::Forgotten);
    assert_eq!(shop().saw(&web, 3), PastVisibility::No);
}

#[test]
fn what_stays_the_same_is_no_past() {
    let held = vec![past(3, "bank")];
    assert_eq!(moved(held.clone(), traits("a"), &traits("a"), 9), held);
}

#[test]
fn a_stamp_is_of_one_account_and_one_scope() {
    let [acme, globex] = ["acme", "globex"].map(|name| name.parse().unwrap());
    assert_eq!(shop().stamp(&acme), shop().stamp(&acme));
    assert_ne!(shop().stamp(&acme), shop().stamp(&globex));
    assert_ne!(shop().stamp(&acme), Visible::everything().stamp(&acme));
}
