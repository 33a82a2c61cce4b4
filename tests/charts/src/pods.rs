//! What holds of every pod in every mode.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::stage::{Rendered, containers, list, named, rendered, text};

fn each(check: impl Fn(&Rendered, &str, &Value)) {
    for rendered in rendered() {
        for (name, pod) in rendered.pods() {
            check(rendered, &format!("{}: {name}", rendered.name()), pod);
        }
    }
}

#[test]
fn pods_meet_the_restricted_pod_security_standard() {
    each(|rendered, name, pod| {
        let whole = &pod["spec"]["securityContext"];
        assert_eq!(whole["runAsNonRoot"], true, "{name}");
        assert_eq!(
            whole["seccompProfile"],
            json!({"type": "RuntimeDefault"}),
            "{name}"
        );
        let fixed = !whole["runAsUser"].is_null();
        assert_eq!(fixed, rendered.mode.name != "openshift", "{name}");
        assert_eq!(pod["spec"]["hostNetwork"], Value::Null, "{name}");
        for container in containers(pod) {
            let expected = json!({
                "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                "runAsNonRoot": true, "capabilities": {"drop": ["ALL"]},
            });
            assert_eq!(container["securityContext"], expected, "{name}");
        }
        let hostly = |volume: &Value| !volume["hostPath"].is_null();
        assert!(!list(pod, "/spec/volumes").iter().any(hostly), "{name}");
    });
}

#[test]
fn containers_have_requests_and_a_memory_limit() {
    each(|_, name, pod| {
        for container in containers(pod) {
            let resources = &container["resources"];
            for (kind, what) in [
                ("requests", "cpu"),
                ("requests", "memory"),
                ("limits", "memory"),
            ] {
                assert!(resources[kind][what].is_string(), "{name}: {kind} {what}");
            }
            assert_eq!(resources["limits"]["cpu"], Value::Null, "{name}");
        }
    });
}

#[test]
fn processes_have_liveness_and_readiness_probes() {
    each(|_, name, pod| {
        // What runs to its end is asked for its end.
        if [": Pod/", ": Job/"].iter().any(|it| name.contains(it)) {
            return;
        }
        for container in list(pod, "/spec/containers") {
            for (probe, path) in [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")] {
                let asked = &container[probe]["httpGet"];
                assert_eq!(asked["path"], path, "{name}");
                let port = list(container, "/ports")
                    .iter()
                    .find(|it| it["name"] == asked["port"]);
                let port = &port.unwrap()["containerPort"];
                let listens = format!("--admin-listen=0.0.0.0:{port}");
                let args = list(container, "/args");
                assert!(args.iter().any(|it| *it == *listens), "{name}: {listens}");
            }
        }
    });
}

#[test]
fn secrets_are_in_no_environment_or_flag() {
    each(|_, name, pod| {
        for container in containers(pod) {
            assert_eq!(container["envFrom"], Value::Null, "{name}");
            for variable in list(container, "/env") {
                assert_eq!(variable["valueFrom"], Value::Null, "{name}: {variable}");
            }
            let said = serde_json::to_string(&[&container["args"], &container["env"]]).unwrap();
            assert!(!said.contains("secret\""), "{name}: {said}");
        }
    });
}

#[test]
fn service_links_are_disabled() {
    each(|_, name, pod| assert_eq!(pod["spec"]["enableServiceLinks"], false, "{name}"));
}

#[test]
fn every_pod_has_an_account_of_its_part_and_every_account_a_pod() {
    for rendered in rendered() {
        let accounts: BTreeSet<&str> = rendered
            .of_kind("ServiceAccount")
            .map(|it| text(it, "/metadata/name"))
            .collect();
        let pods = rendered.pods();
        let used: BTreeSet<&str> = pods
            .iter()
            .map(|(_, pod)| text(pod, "/spec/serviceAccountName"))
            .collect();
        assert_eq!(accounts, used, "{}", rendered.name());
        for account in rendered.of_kind("ServiceAccount") {
            let name = named(account);
            assert_eq!(account["automountServiceAccountToken"], false, "{name}");
        }
    }
}

#[test]
fn only_cluster_clients_mount_a_service_account_token() {
    let talking = [
        "key-keeper",
        "app-proxy",
        "source-server",
        "event-source",
        "application-event-reporter",
        "resource-event-reporter",
        "gitops-operator",
        "preflight",
    ];
    each(|_, name, pod| {
        let part = text(pod, "/metadata/labels/app.kubernetes.io~1component");
        let mounted = pod["spec"]["automountServiceAccountToken"] == true;
        assert_eq!(mounted, talking.contains(&part), "{name}");
        let projected = |volume: &Value| text(volume, "/name") == "kubernetes";
        let volumes = list(pod, "/spec/volumes").iter();
        let there = volumes.filter(|it| projected(it)).count();
        assert_eq!(there, usize::from(part == "platform"), "{name}");
        for container in containers(pod) {
            let mut mounts = list(container, "/volumeMounts").iter();
            let mounts = mounts.any(projected);
            let keeper = part == "platform" && text(container, "/name") == "key-keeper";
            assert_eq!(mounts, keeper, "{name}");
        }
    });
}

#[test]
fn every_volume_that_is_mounted_is_there_and_is_mounted() {
    each(|_, name, pod| {
        let there: BTreeSet<&str> = list(pod, "/spec/volumes")
            .iter()
            .map(|it| text(it, "/name"))
            .collect();
        let mounted: BTreeSet<&str> = containers(pod)
            .flat_map(|it| list(it, "/volumeMounts"))
            .map(|it| text(it, "/name"))
            .collect();
        assert_eq!(there, mounted, "{name}");
    });
}
