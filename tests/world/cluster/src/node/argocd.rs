//! Argo CD as pods of a node, with its Services.

use std::{net::Ipv4Addr, path::Path, time::Duration};

use reqwest::Url;
use serde_json::{Value, json};

use super::{Node, NodeError, addons::holds};
use crate::{
    Image, ImageError,
    argocd::{Bootstrap, VERIFIER},
    control_plane::ControlPlane,
    error::ClusterError,
    keys,
    objects::Objects,
    options::{ArgocdInstance, ArgocdOptions, Scheme},
};

const IMAGE: &str = "registry.local/argocd:1";
const PROGRAM: &str = "/usr/local/bin/argocd";
/// Where Debian has what `git` runs for addresses that begin with http.
const GIT_HTTP: &str = "/usr/lib/git-core/git-remote-http";

/// A component with its Service; its first port serves the readiness probe.
struct Part {
    name: &'static str,
    binary: &'static str,
    words: Vec<String>,
    /// of the Service and of the pod
    ports: &'static [(u16, u16)],
    address: Option<Ipv4Addr>,
}

impl Node {
    /// Imports the image of Argo CD into containerd.
    pub(crate) async fn import_argocd(&self, program: &Path) -> Result<(), ClusterError> {
        let image = image(program).map_err(NodeError::from)?;
        Ok(self.import(image).await?)
    }

    /// Installs one Argo CD and waits until it serves. The custom resources and the image must be there.
    pub(crate) async fn argocd(
        &self,
        at: u8,
        options: &ArgocdOptions,
        plane: &ControlPlane,
        objects: &Objects,
    ) -> Result<ArgocdInstance, ClusterError> {
        let address = self.subnets().argocd(at);
        let namespace = &options.namespace;
        let names = [
            address.to_string(),
            "argocd-server".to_owned(),
            format!("argocd-server.{namespace}.svc"),
        ];
        let bootstrap = Bootstrap::make(options, &plane.keys.authority, &names)?;
        bootstrap.apply(objects).await?;
        for object in account(namespace) {
            objects.apply(&object).await?;
        }
        let parts = parts(options, address);
        for part in &parts {
            objects.apply(&part.service(namespace)).await?;
            objects.apply(&part.deployment(options)).await?;
        }
        for part in &parts {
            let path = format!(
                "/apis/apps/v1/namespaces/{namespace}/deployments/{}",
                part.name
            );
            holds(
                objects,
                &format!("{} is not ready", part.name),
                &path,
                "Available",
            )
            .await?;
        }
        self.instance(at, options, plane, &bootstrap)
    }

    fn instance(
        &self,
        at: u8,
        options: &ArgocdOptions,
        plane: &ControlPlane,
        bootstrap: &Bootstrap,
    ) -> Result<ArgocdInstance, ClusterError> {
        let file = |of: &str| self.folder.join(format!("argocd-{at}-{of}.token"));
        let (admin_token_file, reader_token_file) = (file("admin"), file("reader"));
        keys::write_private(&admin_token_file, bootstrap.token())?;
        keys::write_private(&reader_token_file, bootstrap.reader_token())?;
        let (scheme, ca_file) = match options.scheme {
            Scheme::Http => ("http", None),
            Scheme::Https => (
                "https",
                Some(plane.keys.authority_files.certificate.clone()),
            ),
        };
        let root = options
            .root_path
            .as_deref()
            .unwrap_or_default()
            .trim_matches('/');
        let text = format!("{scheme}://{}/{root}", self.subnets().argocd(at));
        Ok(ArgocdInstance {
            namespace: options.namespace.clone(),
            url: Url::parse(&text).expect("a scheme, an address and a path make a URL"),
            admin_token_file,
            reader_token_file,
            ca_file,
        })
    }
}

impl Part {
    fn service(&self, namespace: &str) -> Value {
        let ports = self.ports.iter().map(|(port, target)| {
            json!({"name": format!("port-{port}"), "port": port, "targetPort": target})
        });
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": self.name, "namespace": namespace, "labels": labels(self.name)},
            "spec": {
                "selector": labels(self.name),
                "ports": ports.collect::<Vec<_>>(),
                "clusterIP": self.address,
            },
        })
    }

    fn deployment(&self, options: &ArgocdOptions) -> Value {
        let ready = json!({"tcpSocket": {"port": self.ports[0].1}, "periodSeconds": 1});
        let container = json!({
            "name": self.name,
            "image": IMAGE,
            "args": self.words,
            "env": self.environment(options.poll),
            "readinessProbe": ready,
        });
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": self.name, "namespace": options.namespace, "labels": labels(self.name)},
            "spec": {
                "selector": {"matchLabels": labels(self.name)},
                "template": {
                    "metadata": {"labels": labels(self.name)},
                    "spec": {
                        "serviceAccountName": "argocd",
                        "terminationGracePeriodSeconds": 0,
                        "containers": [container],
                    },
                },
            },
        })
    }

    fn environment(&self, poll: Duration) -> Value {
        json!([
            {"name": "ARGOCD_BINARY_NAME", "value": self.binary},
            {"name": "ARGOCD_GPG_ENABLED", "value": "false"},
            {"name": "ARGOCD_RECONCILIATION_TIMEOUT", "value": format!("{}s", poll.as_secs())},
            {"name": "ARGOCD_RECONCILIATION_JITTER", "value": "0s"},
            // The controller reads its share of the clusters off the number at the end.
            {"name": "HOSTNAME", "value": format!("{}-0", self.name)},
        ])
    }
}

fn parts(options: &ArgocdOptions, address: Ipv4Addr) -> [Part; 4] {
    let part = |name, ports, words| Part {
        name,
        binary: name,
        words,
        ports,
        address: None,
    };
    let own = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<Vec<_>>()
    };
    let inside = own(&[
        &format!("--namespace={}", options.namespace),
        "--redis=argocd-redis:6379",
        "--repo-server=argocd-repo-server:8081",
        "--repo-server-plaintext",
    ]);
    let mut server = inside.clone();
    if options.scheme == Scheme::Http {
        server.push("--insecure".to_owned());
    }
    server.extend(
        options
            .root_path
            .iter()
            .map(|root| format!("--rootpath={root}")),
    );
    let repo_server = own(&[
        "--redis=argocd-redis:6379",
        "--disable-tls",
        "--client-ca-path=",
    ]);
    [
        Part {
            binary: "miniredis",
            ..part("argocd-redis", &[(6379, 6379)], own(&["0.0.0.0:6379"]))
        },
        part("argocd-repo-server", &[(8081, 8081)], repo_server),
        part("argocd-application-controller", &[(8082, 8082)], inside),
        Part {
            address: Some(address),
            ..part("argocd-server", &[(80, 8080), (443, 8080)], server)
        },
    ]
}

fn labels(name: &str) -> Value {
    json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"})
}

/// Argo CD applies whatever is in Git, so its own manifests let it do everything too.
fn account(namespace: &str) -> [Value; 2] {
    let api = "rbac.authorization.k8s.io";
    [
        json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "argocd", "namespace": namespace},
        }),
        json!({
            "apiVersion": format!("{api}/v1"),
            "kind": "ClusterRoleBinding",
            "metadata": {"name": format!("argocd-{namespace}")},
            "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": "argocd", "namespace": namespace}],
        }),
    ]
}

/// The program, and the Git of this machine that it calls.
fn image(program: &Path) -> Result<Image, ImageError> {
    let programs = [
        (PROGRAM, program),
        ("/bin/sh", Path::new("/bin/sh")),
        ("/usr/bin/git", Path::new("/usr/bin/git")),
        (GIT_HTTP, Path::new(GIT_HTTP)),
    ];
    let image = Image::new(IMAGE)
        .entrypoint(&[PROGRAM])
        .variable("HOME", "/tmp")
        .folder("/tmp", 0o1777)
        .folder("/app/config/tls", 0o755)
        .folder("/app/config/gpg/keys", 0o700)
        .text("/app/config/ssh/ssh_known_hosts", "", 0o644)
        .text("/etc/passwd", "root:x:0:0:root:/tmp:/bin/sh\n", 0o644)
        .text("/usr/local/bin/git-verify-wrapper.sh", VERIFIER, 0o755);
    let with = |image: Image, (path, from)| image.program(path, from);
    programs.into_iter().try_fold(image, with)
}
