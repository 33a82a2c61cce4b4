use causeway_reporting::Kind;

use super::{MalformedFlag, ManagedCluster, to_kind};

#[test]
fn kind_flag_is_plural_group_version() {
    let kind = to_kind("cronworkflows.argoproj.io/v1alpha1").unwrap();
    assert_eq!(kind, Kind::new("argoproj.io", "v1alpha1", "cronworkflows"));
    assert_eq!(kind.name(), "cronworkflows.argoproj.io");
    assert_eq!(to_kind("services/v1").unwrap().name(), "services");
    for text in [
        "",
        "services",
        "/v1",
        "services/",
        "Services/v1",
        "a..b/v1",
        "a.b/v1/x",
        "../x/v1",
    ] {
        assert_eq!(to_kind(text), Err(MalformedFlag::Kind), "{text}");
    }
}

#[test]
fn separately_reported_and_secret_kinds_are_rejected() {
    for text in [
        "applications.argoproj.io/v1alpha1",
        "events/v1",
        "events.events.k8s.io/v1",
        "secrets/v1",
    ] {
        assert!(
            matches!(to_kind(text), Err(MalformedFlag::Reserved(_))),
            "{text}"
        );
    }
}

#[test]
fn managed_cluster_flag_is_name_and_kubeconfig() {
    let cluster: ManagedCluster = "west=/etc/west".parse().unwrap();
    assert_eq!(
        (cluster.name.as_str(), cluster.kubeconfig.to_str()),
        ("west", Some("/etc/west"))
    );
    for text in ["west", "=x", "west="] {
        assert_eq!(
            text.parse::<ManagedCluster>(),
            Err(MalformedFlag::Cluster),
            "{text}"
        );
    }
}
