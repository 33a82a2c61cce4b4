use super::*;

fn resource(group: &str, kind: &str, namespace: &str, name: &str) -> pb::Resource {
    pb::Resource {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        uid: format!("uid of {name}"),
        ..pb::Resource::default()
    }
}

fn application(server: &str, cluster: &str) -> pb::Application {
    let destination = pb::Destination {
        server: server.to_owned(),
        name: cluster.to_owned(),
        namespace: "web".to_owned(),
    };
    let resources = vec![
        resource("apps", "Deployment", "web", "web"),
        resource("apps", "Deployment", "web-canary", "web"),
        resource("example.org", "Widget", "web", "only"),
        resource("example.com", "Widget", "web", "both"),
        resource("example.org", "Widget", "web", "both"),
        resource("", "Namespace", "", "web"),
    ];
    pb::Application {
        name: "web".to_owned(),
        namespace: "argocd".to_owned(),
        runtime: "prod".to_owned(),
        spec: Some(pb::ApplicationSpec {
            destination: Some(destination),
            ..pb::ApplicationSpec::default()
        }),
        status: Some(pb::ApplicationStatus {
            resources,
            ..pb::ApplicationStatus::default()
        }),
        ..pb::Application::default()
    }
}

fn wanted(text: &str) -> Reference {
    text.parse().unwrap()
}

#[test]
fn only_resources_of_the_application_match() {
    let application = application(OWN_SERVER, "");
    let of = |text: &str, namespace: Option<&str>| {
        listed(&application, &wanted(text), namespace).map(full_name)
    };
    assert_eq!(
        of("deploy/web", Some("web-canary")).unwrap(),
        "Deployment.apps web-canary/web"
    );
    assert_eq!(of("ns/web", None).unwrap(), "Namespace web");
    assert_eq!(
        of("Widget/only", None).unwrap(),
        "Widget.example.org web/only"
    );
    for (text, namespace) in [
        ("deploy/other", None),
        ("deploy/web", Some("elsewhere")),
        ("sts/web", None),
        ("Deployment.example.org/web", None),
    ] {
        let error = of(text, namespace).unwrap_err();
        assert!(error.is::<Absent>(), "{text}: {error}");
        assert!(
            error.to_string().contains("'causeway app tree web'"),
            "{error}"
        );
    }
}

#[test]
fn an_ambiguous_resource_is_rejected_with_all_names() {
    let application = application(OWN_SERVER, "");
    let error = |text: &str| {
        listed(&application, &wanted(text), None)
            .unwrap_err()
            .to_string()
    };
    let said = error("deploy/web");
    assert!(
        said.contains("Deployment.apps web/web, Deployment.apps web-canary/web"),
        "{said}"
    );
    assert!(said.contains("--resource-namespace"), "{said}");
    let said = error("Widget/both");
    assert!(
        said.contains("Widget.example.com web/both, Widget.example.org web/both"),
        "{said}"
    );
    let one = listed(&application, &wanted("Widget.example.org/both"), None).unwrap();
    assert_eq!(one.group, "example.org");
}

#[test]
fn single_resources_are_reached_only_in_the_own_cluster() {
    for (server, cluster) in [
        (OWN_SERVER, ""),
        ("https://kubernetes.default.svc/", ""),
        ("", OWN_NAME),
    ] {
        check_cluster(&application(server, cluster)).unwrap();
    }
    for (server, cluster, named) in [
        ("https://10.0.0.7:6443", "", "https://10.0.0.7:6443"),
        ("https://10.0.0.7:6443", OWN_NAME, "https://10.0.0.7:6443"),
        (
            "https://kubernetes.default.svc.evil.example",
            "",
            "evil.example",
        ),
        ("", "edge", "edge"),
        ("", "", "a cluster that it does not name"),
    ] {
        let error = check_cluster(&application(server, cluster)).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
    assert!(check_cluster(&pb::Application::default()).is_err());
}

#[test]
fn an_object_of_another_application_is_not_deleted() {
    let application = application(OWN_SERVER, "");
    let live = |namespace: &str, name: &str| proxy::GetLiveResourceResponse {
        uid: "u".to_owned(),
        application_namespace: namespace.to_owned(),
        application: name.to_owned(),
        ..proxy::GetLiveResourceResponse::default()
    };
    assert_eq!(owned(&application, live("argocd", "web")).unwrap(), "u");
    for (namespace, name) in [("argocd", "pay"), ("other", "web"), ("", "")] {
        assert!(owned(&application, live(namespace, name)).is_err());
    }
}
