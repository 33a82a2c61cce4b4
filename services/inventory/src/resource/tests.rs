use super::*;
use crate::fixture::visible;

fn belonging(project: &str) -> OwnerApplication {
    OwnerApplication {
        application: ApplicationName {
            cluster: "in-cluster".into(),
            namespace: "argocd".into(),
            name: "app".into(),
        },
        traits: ScopeTraits {
            project: project.into(),
            labels: Labels::default(),
        },
    }
}

fn record(belongs: Option<OwnerApplication>, past: Vec<FormerOwner>) -> ResourceRecord {
    ResourceRecord {
        key: ResourceKey {
            runtime_name: "edge".to_owned(),
            cluster: "managed".to_owned(),
            resource: "rollouts.argoproj.io".to_owned(),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
            runtime: "rt-one".to_owned(),
        },
        kind: "Rollout".to_owned(),
        uid: Uid::from("u1"),
        resource_version: 1,
        life: ObjectLife::Live,
        labels: Labels::default(),
        health: Health::Healthy,
        belongs,
        past,
        change: 9,
        received_at: 0,
        basic: Bytes::new(),
        detail: Bytes::new(),
    }
}

#[test]
fn the_cluster_of_a_rule_is_that_of_the_application_where_there_is_one() {
    let there = visible(r#"[{"clusters":["in-cluster"]}]"#);
    let here = visible(r#"[{"clusters":["managed"]}]"#);
    let of_app = record(Some(belonging("shop")), Vec::new());
    assert!(of_app.is_visible(&there) && !of_app.is_visible(&here));
    let of_none = record(None, Vec::new());
    assert!(!of_none.is_visible(&there) && of_none.is_visible(&here));
}

#[test]
fn what_was_in_scope_after_a_change_was_seen() {
    let shop = visible(r#"[{"projects":["shop"]}]"#);
    let was = |project: &str, until| FormerOwner {
        until,
        to: Some(belonging(project)),
    };
    let it = record(None, vec![was("bank", 8), was("shop", 5)]);
    assert_eq!(it.seen(&shop, 4), PastVisibility::Yes);
    assert_eq!(it.seen(&shop, 5), PastVisibility::No);
    let often = (0..8).map(|number| was("bank", 18 - number)).collect();
    let it = record(None, often);
    assert_eq!(it.seen(&shop, 5), PastVisibility::Forgotten);
    assert_eq!(it.seen(&shop, 12), PastVisibility::No);
}

#[test]
fn the_past_remembers_what_is_another_one_now() {
    let held = Some(belonging("shop"));
    assert_eq!(moved_on(Vec::new(), held.clone(), held.as_ref(), 3), []);
    let past = moved_on(Vec::new(), held.clone(), None, 3);
    assert_eq!(past, [FormerOwner { until: 3, to: held }]);
    let past = moved_on(past, None, Some(&belonging("bank")), 4);
    assert_eq!((past.len(), past[0].until), (2, 4));
}
