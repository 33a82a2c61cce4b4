//! What each mode is made of.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    Chart,
    stage::{containers, list, mode, named, rendered, text, texts},
};

const PARTS: [&str; 6] = [
    "app-proxy",
    "source-server",
    "request-router",
    "tunnel-client",
    "application-event-reporter",
    "resource-event-reporter",
];

/// The flags of a part's own container.
fn flags(chart: Chart, name: &str, part: &str) -> Vec<String> {
    let Some(rendered) = mode(chart, name) else {
        return Vec::new();
    };
    let pods = rendered.pods();
    let mut own = pods.iter().flat_map(|(_, pod)| containers(pod));
    let own = own.find(|it| text(it, "/name") == part).unwrap();
    texts(own, "/args").into_iter().map(str::to_owned).collect()
}

fn has(flags: &[String], flag: &str) -> bool {
    flags.iter().any(|it| it == flag)
}

#[test]
fn every_object_has_the_usual_labels() {
    let labels = [
        "name",
        "instance",
        "version",
        "component",
        "part-of",
        "managed-by",
    ];
    for rendered in rendered() {
        for object in rendered.own() {
            for label in labels {
                let value = text(
                    object,
                    &format!("/metadata/labels/app.kubernetes.io~1{label}"),
                );
                assert!(
                    !value.is_empty(),
                    "{}: {} {label}",
                    rendered.name(),
                    named(object)
                );
            }
        }
        for (name, pod) in rendered.pods() {
            for label in labels {
                let value = text(pod, &format!("/metadata/labels/app.kubernetes.io~1{label}"));
                assert!(!value.is_empty(), "{}: {name} {label}", rendered.name());
            }
        }
    }
}

#[test]
fn runtime_has_a_pod_per_part_and_a_key_keeper() {
    let Some(rendered) = mode(Chart::Runtime, "default") else {
        return;
    };
    let names: BTreeSet<_> = rendered.pods().into_iter().map(|(name, _)| name).collect();
    let mut expected: BTreeSet<_> = PARTS.map(|part| format!("Deployment/east-{part}")).into();
    expected.extend([
        "Deployment/east-key-keeper".to_owned(),
        "Job/east-preflight".to_owned(),
        "Pod/east-test".to_owned(),
    ]);
    assert_eq!(names, expected);
}

#[test]
fn parts_mount_only_their_own_key() {
    for rendered in rendered() {
        for (name, pod) in rendered.pods() {
            let secrets: Vec<_> = list(pod, "/spec/volumes")
                .iter()
                .map(|it| text(it, "/secret/secretName"))
                .filter(|it| it.ends_with("-key"))
                .collect();
            let own = format!("{}-key", name.split('/').nth(1).unwrap());
            let without = [
                "east-key-keeper",
                "causeway-platform",
                "east-preflight",
                "east-test",
                "causeway-test",
            ];
            if without.iter().any(|it| name.ends_with(it)) {
                assert!(secrets.is_empty(), "{}: {name}", rendered.name())
            } else {
                assert_eq!(secrets, [own], "{}: {name}", rendered.name())
            }
        }
    }
}

#[test]
fn key_secrets_are_created_empty_and_survive_upgrades() {
    for rendered in rendered() {
        for secret in rendered.of_kind("Secret") {
            let name = text(secret, "/metadata/name");
            if name.ends_with("-key") || name.ends_with("-identity") {
                assert_eq!(
                    (&secret["data"], &secret["stringData"]),
                    (&Value::Null, &Value::Null),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn persistent_objects_outlive_the_release() {
    for (chart, kind, name) in [
        (Chart::Runtime, "Secret", "east-identity"),
        (
            Chart::Platform,
            "PersistentVolumeClaim",
            "causeway-platform",
        ),
        (
            Chart::Platform,
            "PersistentVolumeClaim",
            "causeway-inventory",
        ),
        (Chart::Platform, "Secret", "causeway-tunnel-server-tls"),
    ] {
        let Some(rendered) = mode(chart, "default") else {
            return;
        };
        let policy = "/metadata/annotations/helm.sh~1resource-policy";
        assert_eq!(
            text(rendered.find(kind, name).unwrap(), policy),
            "keep",
            "{name}"
        );
    }
}

#[test]
fn runtime_dials_a_tunnel_unless_directly_reachable() {
    for (name, kind) in [
        ("default", None),
        ("ingress", Some("Ingress")),
        ("http-route", Some("HTTPRoute")),
        ("url", None),
    ] {
        let Some(rendered) = mode(Chart::Runtime, name) else {
            return;
        };
        let tunnel = rendered.find("Deployment", "east-tunnel-client").is_some();
        assert_eq!(tunnel, name == "default", "{name}");
        for route in ["Ingress", "HTTPRoute"] {
            let there = rendered.of_kind(route).count();
            assert_eq!(there, usize::from(kind == Some(route)), "{name}: {route}");
        }
    }
}

#[test]
fn platform_dials_configured_runtimes_and_their_ports_are_allowed() {
    let flags = flags(Chart::Platform, "runtimes-by-url", "request-router");
    let Some(rendered) = mode(Chart::Platform, "runtimes-by-url") else {
        return;
    };
    for flag in [
        "--runtime-url=4f9c0=https://east.example.com",
        "--runtime-url=77ab1=https://west.example.com:8443",
        "--runtime-ca=/etc/causeway/runtime-ca/ca.crt",
    ] {
        assert!(has(&flags, flag), "{flags:?}");
    }
    let policy = rendered.find("NetworkPolicy", "causeway-request-router");
    let ports = |policy: &Value| {
        let rules = list(policy, "/spec/egress").iter();
        let outward = rules.filter(|rule| !rule["to"][0]["ipBlock"].is_null());
        let ports = outward.flat_map(|rule| list(rule, "/ports"));
        ports
            .filter_map(|it| it["port"].as_u64())
            .collect::<Vec<_>>()
    };
    assert_eq!(ports(policy.unwrap()), [443, 8443]);
    let closed = mode(Chart::Platform, "default").unwrap();
    let policy = closed.find("NetworkPolicy", "causeway-request-router");
    assert!(ports(policy.unwrap()).is_empty());
}

/// What is rendered before it runs with a token, and it may only look.
#[test]
fn missing_prerequisites_are_found_before_installation() {
    for rendered in rendered() {
        let kinds: BTreeSet<_> = rendered
            .own()
            .filter(|it| is_before(it))
            .map(named)
            .collect();
        let Some(job) = rendered.find("Job", "east-preflight") else {
            let without =
                rendered.mode.chart == Chart::Platform || rendered.mode.name == "no-preflight";
            assert!(
                without && kinds.is_empty(),
                "{}: {kinds:?}",
                rendered.name()
            );
            continue;
        };
        let weight = |object: &Value| {
            let weight = text(object, "/metadata/annotations/helm.sh~1hook-weight");
            weight.parse::<i32>().unwrap()
        };
        for object in rendered
            .own()
            .filter(|it| is_before(it) && it["kind"] != "Job")
        {
            assert!(weight(object) < weight(job), "{}", named(object));
            let part = text(object, "/metadata/labels/app.kubernetes.io~1component");
            assert_eq!(part, "preflight", "{}", named(object));
        }
        for account in [
            "ServiceAccount/east-preflight",
            "NetworkPolicy/east-preflight",
        ] {
            assert!(kinds.contains(account), "{}: {kinds:?}", rendered.name());
        }
    }
}

fn is_before(object: &Value) -> bool {
    let hook = text(object, "/metadata/annotations/helm.sh~1hook");
    hook == "pre-install,pre-upgrade"
}

/// A pod that has ended would be asked by 'helm test' for as long as its log is kept.
#[test]
fn admin_service_selects_servers_and_no_jobs() {
    for rendered in rendered() {
        let release = rendered.mode.chart.release();
        let service = rendered
            .find("Service", &format!("{release}-admin"))
            .unwrap();
        let wanted = service["spec"]["selector"].as_object().unwrap();
        for (name, pod) in rendered.pods() {
            let labels = &pod["metadata"]["labels"];
            let selected = wanted.iter().all(|(key, value)| labels[key] == *value);
            let serves = !name.starts_with("Pod/") && !name.starts_with("Job/");
            assert_eq!(selected, serves, "{}: {name}", rendered.name());
        }
    }
}

#[test]
fn a_hosted_runtime_finds_the_platform_by_its_service() {
    let Some(rendered) = mode(Chart::Runtime, "hosted") else {
        return;
    };
    let pods = rendered.pods();
    let (_, keeper) = pods
        .iter()
        .find(|(name, _)| name.ends_with("key-keeper"))
        .unwrap();
    let join = texts(keeper, "/spec/initContainers/0/args");
    let url = "--platform-url=http://causeway-request-router.control.svc:7500";
    assert!(join.contains(&url), "{join:?}");
    let platform = mode(Chart::Platform, "default").unwrap();
    let service = platform.find("Service", "causeway-request-router").unwrap();
    assert_eq!(service["spec"]["ports"][0]["port"], 7500);
}

#[test]
fn a_namespaced_runtime_watches_what_it_has_roles_for_and_has_no_cluster_role() {
    let Some(rendered) = mode(Chart::Runtime, "namespaced") else {
        return;
    };
    let watched = "--watch-namespaces=shop-argocd,second-argocd,shop,shop-staging";
    for part in ["application-event-reporter", "resource-event-reporter"] {
        let flags = flags(Chart::Runtime, "namespaced", part);
        assert!(has(&flags, watched), "{flags:?}");
    }
    let wide = rendered
        .own()
        .filter(|it| text(it, "/kind").starts_with("Cluster"));
    assert_eq!(wide.count(), 0);
}

#[test]
fn argocd_is_used_only_with_a_token() {
    for part in ["app-proxy", "source-server"] {
        let with = flags(Chart::Runtime, "existing-secrets", part);
        let without = flags(Chart::Runtime, "default", part);
        if with.is_empty() {
            return;
        }
        for flag in [
            "--argocd-namespace=gitops",
            "--argocd-server=auto",
            "--argocd-token-file=/etc/causeway/argocd/token",
            "--argocd-ca-file=/etc/causeway/argocd-ca/ca.crt",
        ] {
            assert!(has(&with, flag), "{with:?}");
        }
        assert!(
            !without.iter().any(|it| it.starts_with("--argocd-server")),
            "{without:?}"
        );
        let new = flags(Chart::Runtime, "new-argocd", part);
        assert!(has(&new, "--argocd-namespace=causeway"), "{new:?}");
    }
}

#[test]
fn a_new_argocd_comes_from_its_own_chart() {
    let Some(rendered) = mode(Chart::Runtime, "new-argocd") else {
        return;
    };
    let server = rendered.release.objects.iter().find(|it| {
        let label = "/metadata/labels/app.kubernetes.io~1name";
        text(it, "/kind") == "Deployment" && text(it, label) == "argocd-server"
    });
    let chart = text(server.unwrap(), "/metadata/labels/helm.sh~1chart");
    assert!(chart.starts_with("argo-cd-"), "{chart}");
}

#[test]
fn runtimes_get_the_tunnel_ca_without_a_public_certificate() {
    for (name, told) in [
        ("default", true),
        ("own-tls", true),
        ("cert-manager", false),
    ] {
        let flags = flags(Chart::Platform, name, "platform");
        if flags.is_empty() {
            return;
        }
        let tells = flags.iter().any(|it| it.starts_with("--tunnel-ca="));
        assert_eq!(tells, told, "{name}");
    }
}

#[test]
fn a_private_registry_and_its_credentials_are_used_by_every_pod() {
    for rendered in rendered()
        .iter()
        .filter(|it| it.mode.name == "behind-walls")
    {
        for (name, pod) in rendered.pods() {
            assert_eq!(
                pod["spec"]["imagePullSecrets"],
                json!([{"name": "registry"}]),
                "{name}"
            );
            for container in containers(pod) {
                let image = text(container, "/image");
                assert!(
                    image.starts_with("registry.example.com/mirror/causeway"),
                    "{image}"
                );
            }
        }
    }
}
