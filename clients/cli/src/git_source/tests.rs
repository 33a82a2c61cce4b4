use super::{
    create::{Destination, ResourceKind},
    *,
};

#[test]
fn a_destination_is_a_cluster_by_name_or_url_and_a_namespace() {
    for (text, server, name, namespace) in [
        ("in-cluster/shop", "", "in-cluster", "shop"),
        (
            "https://west:6443/shop-*",
            "https://west:6443",
            "",
            "shop-*",
        ),
    ] {
        let destination: Destination = text.parse().unwrap();
        let sent = pb::GitSourceDestination::from(destination);
        assert_eq!(
            (&*sent.server, &*sent.name, &*sent.namespace),
            (server, name, namespace)
        );
    }
    for text in ["shop", "/shop", "in-cluster/", "https://west"] {
        assert!(text.parse::<Destination>().is_err(), "{text}");
    }
}

#[test]
fn a_kind_without_a_group_is_of_the_core_group() {
    let of = |text: &str| text.parse::<ResourceKind>().map(|it| (it.group, it.kind));
    let pair = |group: &str, kind: &str| Ok((group.to_owned(), kind.to_owned()));
    assert_eq!(of("Secret"), pair("", "Secret"));
    assert_eq!(of("apps/Deployment"), pair("apps", "Deployment"));
    assert!(of("a/b/c").is_err() && of("a/").is_err());
}

#[test]
fn a_refusal_is_shown_before_any_other_state() {
    let condition = |kind: &str, holds, reason: &str| pb::GitSourceCondition {
        r#type: kind.to_owned(),
        holds,
        reason: reason.to_owned(),
        message: format!("because of {reason}"),
    };
    let mut source = pb::GitSource {
        conditions: vec![
            condition("Available", true, "Synced"),
            condition("Refused", true, "PathEscapes"),
        ],
        ..pb::GitSource::default()
    };
    let shown = ("Refused".to_owned(), "PathEscapes".to_owned());
    assert_eq!(state(&source), shown);
    assert_eq!(message(&source), "because of PathEscapes");
    source.conditions.clear();
    assert_eq!(state(&source), ("Pending".to_owned(), String::new()));
}
