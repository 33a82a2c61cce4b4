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
fn a_runtime_without_what_it_cannot_do_without_is_refused() {
    refuse(
        Chart::Runtime,
        &[
            (
                "joinToken: {value: secret}",
                "platform.url: say where the platform is, for example",
            ),
            (
                "platform: {url: 'https://causeway.example.com'}",
                "joinToken: give the token that 'causeway runtime token NAME' prints",
            ),
            (
                "{platform: {url: 'https://a.example.com', release: causeway}, joinToken: {value: secret}}",
                "platform: give platform.url, or platform.release for a platform in the same cluster, not both",
            ),
            (
                "{platform: {url: 'http://a.example.com'}, joinToken: {value: secret}}",
                "platform.url: it is without TLS, and whoever is on the way could read along",
            ),
            (
                "{platform: {url: 'https://a.example.com'}, joinToken: {value: secret, existingSecret: join}}",
                "joinToken: give the value or the name of a Secret that has it, not both",
            ),
            (
                "{platform: {url: 'https://a.example.com/api'}, joinToken: {value: secret}}",
                "platform.url: 'https://a.example.com/api' is not where something is found: write https://HOST",
            ),
        ],
    );
}

#[test]
fn values_of_a_runtime_that_contradict_each_other_are_refused() {
    let cases = with(&[
        (
            "scope: {namespaces: [shop]}",
            "scope.namespaces: they are for scope.mode=namespaced",
        ),
        (
            "argo-cd: {enabled: true}\nargocd: {namespace: other}",
            "argocd.namespace: the new Argo CD of argo-cd.enabled=true is in the release's namespace",
        ),
        (
            "argocd: {tls: {existingSecret: ca}}",
            "argocd.tls.existingSecret: argocd-server is asked only with a token",
        ),
        (
            "access: {mode: ingress}",
            "access.ingress.host: say by which host name callers reach the runtime's router",
        ),
        (
            "access: {mode: ingress, ingress: {host: east.example.com}}",
            "access.ingress.tlsSecret: gRPC through an Ingress takes TLS",
        ),
        (
            "access: {ingress: {host: east.example.com}}",
            "access.ingress.host: it is for access.mode=ingress",
        ),
        (
            "access: {mode: httpRoute, httpRoute: {hostnames: [east.example.com]}}",
            "access.httpRoute: name the Gateway (parentRefs) and at least one host name (hostnames)",
        ),
        (
            "access: {httpRoute: {hostnames: [east.example.com]}}",
            "access.httpRoute: it is for access.mode=httpRoute",
        ),
        (
            "access: {mode: url}",
            "access.url: say where callers find the runtime's router",
        ),
        (
            "access: {url: 'https://east.example.com'}",
            "access.url: it is for access.mode=url",
        ),
        (
            "app-proxy: {readable: [{apiGroups: [''], resources: ['*']}]}",
            "app-proxy.readable, app-proxy.deletable: name groups and kinds; '*' would be Secrets, too",
        ),
        (
            "ca: {existingSecret: a, existingConfigMap: b}",
            "ca: name the Secret or the ConfigMap with your certificates, not both",
        ),
        (
            "proxy: {url: 'http://user:password@proxy.example.com'}",
            "proxy.url: a password would stand in the environment of every pod",
        ),
        (
            "telemetry: {OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret'}",
            "telemetry.OTEL_EXPORTER_OTLP_HEADERS: headers are credentials",
        ),
        (
            "fullnameOverride: a-name-that-is-longer-than-thirty-six-letters",
            "is too long for the objects that are named by it: set fullnameOverride",
        ),
    ]);
    let cases: Vec<_> = cases
        .iter()
        .map(|(values, sentence)| (values.as_str(), *sentence))
        .collect();
    refuse(Chart::Runtime, &cases);
}

#[test]
fn values_of_a_platform_that_contradict_each_other_are_refused() {
    refuse(
        Chart::Platform,
        &[
            (
                "highAvailability: true",
                "platform: a database file has one process; for 2 pods give a PostgreSQL as database.platform.url",
            ),
            (
                "inventory: {replicas: 3}",
                "inventory: a database file has one process; for 3 pods give a PostgreSQL as database.inventory.url",
            ),
            (
                "{highAvailability: true, database: {platform: {url: 'postgres://db/a'}, inventory: {url: 'postgres://db/b'}}}",
                "platform.persistence.accessMode: pods on different nodes share the keys; use ReadWriteMany",
            ),
            (
                "database: {platform: {url: 'postgres://db/a'}, inventory: {url: 'postgres://db/a'}}",
                "database: the parts platform and inventory each have a database of their own",
            ),
            (
                "database: {inventory: {url: 'postgres://user:password@db/a'}}",
                "database.inventory.url: the password would stand in the pod's flags",
            ),
            (
                "database: {platform: {existingSecret: db}}",
                "database.platform.existingSecret: it is for a PostgreSQL",
            ),
            (
                "keys: {existingSecret: keys}",
                "keys.existingSecret: without database.platform.url the database file is in the volume",
            ),
            (
                "ingress: {enabled: true}",
                "ingress.host: say by which host name people and runtimes reach the platform",
            ),
            (
                "ingress: {enabled: true, host: causeway.example.com}",
                "ingress.tlsSecret: API keys and sessions pass there",
            ),
            (
                "httpRoute: {enabled: true}",
                "httpRoute: name the Gateway (parentRefs) and at least one host name (hostnames)",
            ),
            (
                "runtimes: {urls: [{id: a, url: 'http://east.example.com'}]}",
                "runtimes.urls: http://east.example.com is without TLS, and whoever is on the way could act as your users",
            ),
            (
                "runtimes: {urls: [{id: a, url: 'https://east.example.com'}, {id: a, url: 'https://west.example.com'}]}",
                "runtimes.urls: the runtime a is named twice; give it one URL",
            ),
            (
                "runtimes: {ca: {existingSecret: a}}",
                "runtimes.ca.existingSecret: it is for runtimes.urls",
            ),
            (
                "tunnel-server: {tls: {existingSecret: a, issuerRef: {name: b}}}",
                "tunnel-server.tls: name a Secret or an issuer for the certificate, not both",
            ),
            (
                "tunnel-server: {replicas: 3}",
                "tunnel-server.replicas: at most 2, since a runtime holds two sessions",
            ),
        ],
    );
}

#[test]
fn what_no_value_is_called_is_refused_by_its_name() {
    for chart in Chart::ALL {
        let base = if chart == Chart::Runtime { RUNTIME } else { "" };
        for (values, named) in [
            ("replicaCount: 2", "'replicaCount' not allowed"),
            ("request-router: {image: x}", "'image' not allowed"),
            ("networkPolicy: {enable: false}", "'enable' not allowed"),
            ("log: {format: yaml}", "value must be one of 'json', 'text'"),
            (
                "image: {digest: latest}",
                "image.digest: 'latest' is no digest of an image: write sha256:",
            ),
            (
                "telemetry: {PASSWORD: x}",
                "telemetry: 'PASSWORD' is no variable of OpenTelemetry",
            ),
        ] {
            refuse(chart, &[(&format!("{base}{values}"), named)]);
        }
    }
}
