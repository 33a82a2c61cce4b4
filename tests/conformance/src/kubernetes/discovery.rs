//! Discovery of groups, versions and kinds.

use kube::discovery::Discovery;
use serde_json::{Value, json};

use crate::target::{World, text};

pub(crate) async fn the_version_is_one_that_clients_can_read(world: &World) {
    let version = world.get("/version").await.ok();
    assert_eq!(version["major"], "1");
    let minor: u32 = text(&version["minor"]).parse().unwrap();
    assert!(
        text(&version["gitVersion"]).starts_with(&format!("v1.{minor}.")),
        "{version}"
    );
    assert_eq!(version["platform"], "linux/amd64");
}

pub(crate) async fn the_core_group_has_one_version(world: &World) {
    let versions = world.get("/api").await.ok();
    assert_eq!(
        (&versions["kind"], &versions["versions"]),
        (&json!("APIVersions"), &json!(["v1"]))
    );
}

pub(crate) async fn groups_list_their_versions(world: &World) {
    let groups = world.get("/apis").await.ok();
    assert_eq!(
        (&groups["kind"], &groups["apiVersion"]),
        (&json!("APIGroupList"), &json!("v1"))
    );
    let version = json!({ "groupVersion": "apps/v1", "version": "v1" });
    let apps = json!({ "name": "apps", "versions": [version], "preferredVersion": version });
    assert!(
        groups["groups"].as_array().unwrap().contains(&apps),
        "{groups}"
    );
    let alone = world.get("/apis/apps").await.ok();
    assert_eq!(
        (&alone["kind"], &alone["preferredVersion"]),
        (&json!("APIGroup"), &version)
    );
}

pub(crate) async fn kinds_list_names_scope_and_verbs(world: &World) {
    let all = [
        "create", "delete", "get", "list", "patch", "update", "watch",
    ];
    for (root, name, singular, kind, is_namespaced, short) in [
        (
            "/api/v1",
            "configmaps",
            "configmap",
            "ConfigMap",
            true,
            json!(["cm"]),
        ),
        ("/api/v1", "secrets", "secret", "Secret", true, Value::Null),
        ("/api/v1", "nodes", "node", "Node", false, json!(["no"])),
        (
            "/apis/apps/v1",
            "deployments",
            "deployment",
            "Deployment",
            true,
            json!(["deploy"]),
        ),
        (
            "/apis/apps/v1",
            "replicasets",
            "replicaset",
            "ReplicaSet",
            true,
            json!(["rs"]),
        ),
        ("/apis/batch/v1", "jobs", "job", "Job", true, Value::Null),
        (
            "/apis/coordination.k8s.io/v1",
            "leases",
            "lease",
            "Lease",
            true,
            Value::Null,
        ),
    ] {
        let list = world.get(root).await.ok();
        assert_eq!(list["kind"], "APIResourceList");
        let resources = list["resources"].as_array().unwrap();
        let found = resources
            .iter()
            .find(|resource| resource["name"] == name)
            .unwrap();
        assert_eq!(
            (&found["singularName"], &found["kind"], &found["namespaced"]),
            (&json!(singular), &json!(kind), &json!(is_namespaced))
        );
        assert_eq!(
            found.get("shortNames").cloned().unwrap_or_default(),
            short,
            "{name}"
        );
        let verbs = found["verbs"].as_array().unwrap();
        assert!(
            all.iter().all(|verb| verbs.contains(&json!(verb))),
            "{name}"
        );
    }
}

pub(crate) async fn subresources_are_listed_with_their_kind(world: &World) {
    let list = world.get("/apis/apps/v1").await.ok();
    let resources = list["resources"].as_array().unwrap();
    let of = |name: &str| {
        resources
            .iter()
            .find(|resource| resource["name"] == name)
            .unwrap()
    };
    assert_eq!(of("deployments/status")["kind"], "Deployment");
    assert_eq!(
        of("deployments/status")["verbs"],
        json!(["get", "patch", "update"])
    );
    assert_eq!(of("deployments")["categories"], json!(["all"]));
}

pub(crate) async fn the_client_library_finds_kinds(world: &World) {
    let found = Discovery::new(world.client().await).run().await.unwrap();
    let kinds: Vec<_> = found
        .groups()
        .flat_map(|group| group.recommended_resources())
        .map(|(kind, _)| kind)
        .collect();
    for (kind, plural, group) in [
        ("Pod", "pods", ""),
        ("Deployment", "deployments", "apps"),
        (
            "CustomResourceDefinition",
            "customresourcedefinitions",
            "apiextensions.k8s.io",
        ),
    ] {
        let is_there = kinds
            .iter()
            .any(|known| known.kind == kind && known.plural == plural && known.group == group);
        assert!(is_there, "{kind}");
    }
}

pub(crate) async fn schemas_are_listed_by_group_and_version(world: &World) {
    let index = world.get("/openapi/v3").await.ok();
    for document in ["api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1"] {
        let url = text(&index["paths"][document]["serverRelativeURL"]);
        assert!(
            url.starts_with(&format!("/openapi/v3/{document}")),
            "{index}"
        );
    }
    let apps = world
        .get(&text(&index["paths"]["apis/apps/v1"]["serverRelativeURL"]))
        .await
        .ok();
    assert!(
        text(&apps["openapi"]).starts_with("3.0"),
        "{}",
        apps["openapi"]
    );
    let path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    assert!(
        apps["paths"][path]["patch"].is_object(),
        "kubectl looks here for what the server checks"
    );
}
