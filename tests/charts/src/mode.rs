//! Every mode that the charts have.

use crate::Chart;

/// A chart with values that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    pub chart: Chart,
    pub name: &'static str,
    /// In YAML.
    pub values: &'static str,
}

/// All of them. The first of each chart is its default.
#[must_use]
pub fn modes() -> Vec<Mode> {
    let of = |chart, modes: &[(&'static str, &'static str)]| {
        let mode = |&(name, values)| Mode {
            chart,
            name,
            values,
        };
        modes.iter().map(mode).collect::<Vec<_>>()
    };
    [of(Chart::Platform, PLATFORM), of(Chart::Runtime, RUNTIME)].concat()
}

const PLATFORM: &[(&str, &str)] = &[
    ("default", ""),
    (
        "ingress",
        "
publicUrl: https://causeway.example.com
ingress: {enabled: true, host: causeway.example.com, className: nginx, tlsSecret: causeway-tls}
request-router: {trustedProxies: [10.0.0.0/8], corsOrigins: ['https://tools.example.com']}
tunnel-server: {url: 'wss://tunnel.example.com:7401/tunnel/v1', service: {type: LoadBalancer}}
",
    ),
    (
        "http-route",
        "
publicUrl: https://causeway.example.com
httpRoute: {enabled: true, parentRefs: [{name: public, namespace: gateways}], hostnames: [causeway.example.com]}
",
    ),
    (
        "own-tls",
        "
publicUrl: https://causeway.example.com
tls: {existingSecret: causeway-tls}
request-router: {service: {type: LoadBalancer}}
tunnel-server: {url: 'wss://tunnel.example.com/tunnel/v1', tls: {existingSecret: tunnel-tls, tellAuthority: true}, service: {type: NodePort}}
",
    ),
    (
        "cert-manager",
        "tunnel-server: {url: 'wss://tunnel.example.com/tunnel/v1', tls: {issuerRef: {name: letsencrypt, kind: ClusterIssuer}}}",
    ),
    (
        "high-availability",
        "
highAvailability: true
database:
  platform: {url: 'postgres://causeway@db.example.com/platform', existingSecret: db}
  inventory: {url: 'postgres://causeway@db.example.com:5433/inventory', existingSecret: db, key: inventory}
platform: {persistence: {accessMode: ReadWriteMany, storageClass: shared}}
",
    ),
    (
        "high-availability-with-a-secret-of-keys",
        "
highAvailability: true
database:
  platform: {url: 'postgres://causeway@db.example.com/platform', existingSecret: db}
  inventory: {url: 'postgres://causeway@db.example.com/inventory', existingSecret: db}
  listen: false
keys: {existingSecret: causeway-keys}
",
    ),
    (
        "more-than-two-pods",
        "
highAvailability: true
database:
  platform: {url: 'postgres://causeway@db.example.com/platform', existingSecret: db}
  inventory: {url: 'postgres://causeway@db.example.com/inventory', existingSecret: db}
keys: {existingSecret: causeway-keys}
platform: {replicas: 3}
inventory: {replicas: 4}
request-router: {replicas: 5}
",
    ),
    (
        "volumes-that-are-there",
        "
platform: {persistence: {existingClaim: keys}}
inventory: {persistence: {existingClaim: history}}
",
    ),
    (
        "runtimes-by-url",
        "
runtimes:
  urls: [{id: 4f9c0, url: 'https://east.example.com'}, {id: 77ab1, url: 'https://west.example.com:8443/'}]
  ca: {existingSecret: runtimes}
",
    ),
    (
        "behind-walls",
        "
image: {registry: registry.example.com/mirror, digest: 'sha256:0000000000000000000000000000000000000000000000000000000000000000'}
imagePullSecrets: [{name: registry}]
ca: {existingSecret: authority}
proxy: {url: 'http://proxy.example.com:3128', exceptions: [example.com]}
networkPolicy: {outside: [10.0.0.0/8], from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]}
",
    ),
    ("openshift", "openshift: true"),
    (
        "watched",
        "
metrics: {serviceMonitor: true, labels: {release: prometheus}}
telemetry: {OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.observability:4317', OTEL_TRACES_SAMPLER: parentbased_traceidratio, OTEL_TRACES_SAMPLER_ARG: 0.1}
networkPolicy: {metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]}
platform: {auditRetention: 400d}
",
    ),
];

const RUNTIME: &[(&str, &str)] = &[
    (
        "default",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
",
    ),
    (
        "existing-secrets",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {existingSecret: join, key: join}
argocd: {namespace: gitops, token: {existingSecret: argocd-token}, tls: {existingSecret: argocd-tls}}
",
    ),
    (
        "several-argocds",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
argocd: {namespace: gitops, others: [second-argocd, third-argocd], token: {existingSecret: argocd-token}}
",
    ),
    (
        "argocd-by-its-address",
        "
platform: {url: 'https://causeway.example.com:8443'}
joinToken: {value: secret}
argocd: {server: 'https://argocd.example.com', token: {existingSecret: argocd-token}}
",
    ),
    (
        "new-argocd",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
argo-cd: {enabled: true}
",
    ),
    (
        "hosted",
        "
platform: {release: causeway, namespace: control}
joinToken: {value: secret}
",
    ),
    (
        "ingress",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
access: {mode: ingress, ingress: {host: east.example.com, className: nginx, tlsSecret: east-tls}}
",
    ),
    (
        "http-route",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
access: {mode: httpRoute, httpRoute: {parentRefs: [{name: public}], hostnames: [east.example.com]}}
",
    ),
    (
        "url",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
access: {mode: url, url: 'https://east.example.com', from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: mesh}}}]}
",
    ),
    (
        "namespaced",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
scope: {mode: namespaced, namespaces: [shop, shop-staging], identifyCluster: false}
argocd: {namespace: shop-argocd, others: [second-argocd], token: {existingSecret: argocd-token}}
",
    ),
    (
        "namespaced-by-ingress",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
scope: {mode: namespaced, namespaces: [shop]}
argocd: {namespace: shop-argocd, token: {existingSecret: argocd-token}}
access: {mode: ingress, ingress: {host: east.example.com, tlsSecret: east-tls}}
app-proxy: {allow: [read, sync, refresh, logs, exec, resource-action, resource-delete, rollout, workflow]}
",
    ),
    (
        "namespaced-by-http-route",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
scope: {mode: namespaced, namespaces: [shop]}
access: {mode: httpRoute, httpRoute: {parentRefs: [{name: public, namespace: gateways}], hostnames: [east.example.com]}}
",
    ),
    (
        "namespaced-with-a-new-argocd",
        "
platform: {release: causeway, namespace: control}
joinToken: {existingSecret: join}
scope: {mode: namespaced, namespaces: [shop]}
argo-cd: {enabled: true}
",
    ),
    (
        "high-availability",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
highAvailability: true
",
    ),
    (
        "more-than-two-pods",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
app-proxy: {replicas: 3}
source-server: {replicas: 3}
request-router: {replicas: 4}
tunnel-client: {replicas: 3}
application-event-reporter: {replicas: 5}
resource-event-reporter: {replicas: 5}
",
    ),
    (
        "git",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
app-proxy: {allow: [read, sync, refresh, git-read, commit, integration], git: {enabled: true}, allowGit: ['https://git.example.com/shop/*;branch=main;path=apps/*', 'ssh://git@git.example.com/conf']}
",
    ),
    (
        "everything-allowed",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
argocd: {token: {existingSecret: argocd-token}}
app-proxy: {allow: ['read,sync,logs', refresh, 'terminate+rollback+update:project=shop', delete, resource-action, resource-delete, rollout, workflow]}
preflight: {gitUrls: ['https://git.example.com:8443/shop.git'], skip: [clock]}
source-server: {gitHosts: [git.example.com=gitlab]}
resource-event-reporter: {kinds: [cronworkflows.argoproj.io/v1alpha1, services/v1], managedClusters: {west: west-kubeconfig}}
redaction: {existingConfigMap: redaction}
",
    ),
    (
        "webhooks",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
event-source: {enabled: true, routes: [github=github, 'shop=gitlab:2097152'], secrets: {existingSecret: webhooks}}
",
    ),
    (
        "behind-walls",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
image: {registry: registry.example.com/mirror, tag: '1.2.3'}
imagePullSecrets: [{name: registry}]
ca: {existingConfigMap: authority, key: bundle.crt}
proxy: {url: 'http://proxy.example.com:3128'}
networkPolicy: {outside: [10.0.0.0/8]}
",
    ),
    (
        "openshift",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
openshift: true
",
    ),
    (
        "watched",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
metrics: {serviceMonitor: true}
telemetry: {OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com'}
networkPolicy: {metricsFrom: [{namespaceSelector: {}}]}
tunnel-client: {url: 'wss://tunnel.example.com:9443/tunnel/v1'}
",
    ),
    (
        "git-sources",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
gitops-operator: {enabled: true}
app-proxy: {allow: [read, sync, refresh, git-source]}
",
    ),
    (
        "no-preflight",
        "
platform: {url: 'https://causeway.example.com'}
joinToken: {value: secret}
preflight: {enabled: false}
",
    ),
];
