//! Values that must be refused, each with a sentence that says what to do.

use crate::{Chart, helm};

/// Fields that are needed, in the place of which others may stand.
pub(crate) const RUNTIME: &str = "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
";

pub(crate) fn refuse(chart: Chart, cases: &[(&str, &str)]) {
    let Some(helm) = helm() else { return };
    for (values, sentence) in cases {
        let refused = chart.attempt(&helm, "template", values);
        assert!(!refused.status.success(), "{values}");
        assert!(
            refused.stderr.contains(sentence),
            "{values}\n{}",
            refused.stderr
        );
    }
}

fn with(values: &[(&'static str, &'static str)]) -> Vec<(String, &'static str)> {
    let whole =
        |&(values, sentence): &(&str, &'static str)| (format!("{RUNTIME}{values}"), sentence);
    values.iter().map(whole).collect()
}

#[test]
fn runtime_without_required_values_is_rejected() {
    refuse(
        Chart::Runtime,
        &[
            (
                "joinToken: {value: secret}",
                "platform.url: set the URL of the platform, for example",
            ),
            (
                "platform: {url: 'https://causeway.example.com'}",
                "joinToken: set joinToken.value to the token from 'causeway runtime token NAME'",
            ),
            (
                "{platform: {url: 'https://a.example.com', release: causeway}, joinToken: {value: secret}}",
                "platform: set platform.url, or platform.release for a platform in the same cluster, not both",
            ),
            (
                "{platform: {url: 'http://a.example.com'}, joinToken: {value: secret}}",
                "platform.url: has no TLS, so traffic could be read on the network",
            ),
            (
                "{platform: {url: 'https://a.example.com'}, joinToken: {value: secret, existingSecret: join}}",
                "joinToken: set value or existingSecret, not both",
            ),
            (
                "{platform: {url: 'https://a.example.com/api'}, joinToken: {value: secret}}",
                "platform.url: 'https://a.example.com/api' is not a valid URL; write https://HOST",
            ),
        ],
    );
}

#[test]
fn contradictory_runtime_values_are_rejected() {
    let cases = with(&[
        (
            "scope: {namespaces: [shop]}",
            "scope.namespaces: requires scope.mode=namespaced",
        ),
        (
            "argo-cd: {enabled: true}\nargocd: {namespace: other}",
            "argocd.namespace: argo-cd.enabled=true installs Argo CD in the release's namespace",
        ),
        (
            "argocd: {tls: {existingSecret: ca}}",
            "argocd.tls.existingSecret: requires argocd.token.existingSecret",
        ),
        (
            "access: {mode: ingress}",
            "access.ingress.host: set the host name of the runtime's router",
        ),
        (
            "access: {mode: ingress, ingress: {host: east.example.com}}",
            "access.ingress.tlsSecret: gRPC through an Ingress needs TLS",
        ),
        (
            "access: {ingress: {host: east.example.com}}",
            "access.ingress.host: requires access.mode=ingress",
        ),
        (
            "access: {mode: httpRoute, httpRoute: {hostnames: [east.example.com]}}",
            "access.httpRoute: set the Gateway (parentRefs) and at least one host name (hostnames)",
        ),
        (
            "access: {httpRoute: {hostnames: [east.example.com]}}",
            "access.httpRoute: requires access.mode=httpRoute",
        ),
        (
            "access: {mode: url}",
            "access.url: set the URL of the runtime's router",
        ),
        (
            "access: {url: 'https://east.example.com'}",
            "access.url: requires access.mode=url",
        ),
        (
            "app-proxy: {allow: [read, commit]}",
            "app-proxy.allow: commit requires app-proxy.git.enabled=true",
        ),
        (
            "app-proxy: {git: {enabled: true}}",
            "app-proxy.allowGit: set the repositories that users may change",
        ),
        (
            "app-proxy: {allowGit: ['https://git.example.com/*']}",
            "app-proxy.allowGit: requires app-proxy.git.enabled=true",
        ),
        (
            "app-proxy: {git: {enabled: true}, allowGit: ['git.example.com/*']}",
            "app-proxy.allowGit: 'git.example.com/*' is not a valid rule; write REPOSITORY",
        ),
        (
            "app-proxy: {git: {enabled: true, size: huge}, allowGit: ['https://git.example.com/*']}",
            "app-proxy.git.size: 'huge' is not a valid size",
        ),
        (
            "app-proxy: {readable: [{apiGroups: [''], resources: ['*']}]}",
            "app-proxy.readable, app-proxy.deletable: list groups and kinds; '*' would include Secrets",
        ),
        (
            "ca: {existingSecret: a, existingConfigMap: b}",
            "ca: set existingSecret or existingConfigMap, not both",
        ),
        (
            "proxy: {url: 'http://user:password@proxy.example.com'}",
            "proxy.url: a password would be visible in the environment of every pod",
        ),
        (
            "telemetry: {OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret'}",
            "telemetry.OTEL_EXPORTER_OTLP_HEADERS: headers are credentials",
        ),
        (
            "fullnameOverride: a-name-that-is-longer-than-thirty-six-letters",
            "is too long for object names; set fullnameOverride",
        ),
    ]);
    let cases: Vec<_> = cases
        .iter()
        .map(|(values, sentence)| (values.as_str(), *sentence))
        .collect();
    refuse(Chart::Runtime, &cases);
}

#[test]
fn contradictory_platform_values_are_rejected() {
    refuse(
        Chart::Platform,
        &[
            (
                "highAvailability: true",
                "platform: SQLite supports one pod; for 2 pods set a PostgreSQL URL as database.platform.url",
            ),
            (
                "inventory: {replicas: 3}",
                "inventory: SQLite supports one pod; for 3 pods set a PostgreSQL URL as database.inventory.url",
            ),
            (
                "{highAvailability: true, database: {platform: {url: 'postgres://db/a'}, inventory: {url: 'postgres://db/b'}}}",
                "platform.persistence.accessMode: pods on different nodes share the keys; use ReadWriteMany",
            ),
            (
                "database: {platform: {url: 'postgres://db/a'}, inventory: {url: 'postgres://db/a'}}",
                "database: platform and inventory need separate databases",
            ),
            (
                "database: {inventory: {url: 'postgres://user:password@db/a'}}",
                "database.inventory.url: the password would be visible in the pod's flags",
            ),
            (
                "database: {platform: {existingSecret: db}}",
                "database.platform.existingSecret: requires database.platform.url",
            ),
            (
                "keys: {existingSecret: keys}",
                "keys.existingSecret: requires database.platform.url",
            ),
            (
                "ingress: {enabled: true}",
                "ingress.host: set the host name of the platform for users and runtimes",
            ),
            (
                "ingress: {enabled: true, host: causeway.example.com}",
                "ingress.tlsSecret: required, because API keys and sessions pass through",
            ),
            (
                "httpRoute: {enabled: true}",
                "httpRoute: set the Gateway (parentRefs) and at least one host name (hostnames)",
            ),
            (
                "runtimes: {urls: [{id: a, url: 'http://east.example.com'}]}",
                "runtimes.urls: http://east.example.com has no TLS, so an attacker on the network could act as your users",
            ),
            (
                "runtimes: {urls: [{id: a, url: 'https://east.example.com'}, {id: a, url: 'https://west.example.com'}]}",
                "runtimes.urls: runtime a is listed twice; set one URL",
            ),
            (
                "runtimes: {ca: {existingSecret: a}}",
                "runtimes.ca.existingSecret: requires runtimes.urls",
            ),
            (
                "tunnel-server: {tls: {existingSecret: a, issuerRef: {name: b}}}",
                "tunnel-server.tls: set existingSecret or issuerRef, not both",
            ),
            (
                "tunnel-server: {replicas: 3}",
                "tunnel-server.replicas: at most 2, because a runtime opens two sessions",
            ),
        ],
    );
}

#[test]
fn unknown_values_are_rejected_by_name() {
    for chart in Chart::ALL {
        let base = if chart == Chart::Runtime { RUNTIME } else { "" };
        for (values, named) in [
            ("replicaCount: 2", "'replicaCount' not allowed"),
            ("request-router: {image: x}", "'image' not allowed"),
            ("networkPolicy: {enable: false}", "'enable' not allowed"),
            ("log: {format: yaml}", "value must be one of 'json', 'text'"),
            (
                "image: {digest: latest}",
                "image.digest: 'latest' is not a valid image digest; write sha256:",
            ),
            (
                "telemetry: {PASSWORD: x}",
                "telemetry: 'PASSWORD' is not an OpenTelemetry variable",
            ),
        ] {
            refuse(chart, &[(&format!("{base}{values}"), named)]);
        }
    }
}
