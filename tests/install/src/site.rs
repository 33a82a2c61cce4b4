//! The platform and two runtimes as releases of the charts: one for the whole cluster, through a tunnel; one of a few namespaces, with
//! an Ingress before its router, that finds the platform through an Ingress, too.

use std::{path::Path, time::Duration};

use causeway_assertion::development_ca::DevelopmentCa;
use causeway_cluster::ArgocdInstance;
use causeway_testkit::{Child, wait_until_blocking};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    console::Console,
    door::{self, CLASS},
    helm::Release,
    image::{REPOSITORY, TAG},
    pods::describe,
    stage::{NAMESPACES, SOON, Stage},
};

pub(crate) const PLATFORM: &str = "causeway";
pub(crate) const EAST: &str = "east";
pub(crate) const WEST: &str = "west";

/// What is installed.
pub(crate) struct Site<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) platform: Release<'a>,
    pub(crate) east: Release<'a>,
    pub(crate) west: Release<'a>,
    pub(crate) authority: DevelopmentCa,
}

impl<'a> Site<'a> {
    pub(crate) fn new(stage: &'a Stage) -> Self {
        let release = |name, namespace| Release {
            stage,
            name,
            namespace,
        };
        let [platform, east, west] = NAMESPACES;
        Self {
            stage,
            platform: release(PLATFORM, platform),
            east: release(EAST, east),
            west: release(WEST, west),
            authority: DevelopmentCa::open_or_create(&stage.folder().join("authority")).unwrap(),
        }
    }

    pub(crate) fn releases(&self) -> [&Release<'a>; 3] {
        [&self.platform, &self.east, &self.west]
    }

    /// The whole cluster, and all that users may do.
    pub(crate) fn east_values(&self) -> Value {
        json!({
            "image": image(),
            "platform": {"release": PLATFORM, "namespace": self.platform.namespace},
            "joinToken": {"existingSecret": "join"},
            "argocd": {
                "namespace": "argocd",
                "token": {"existingSecret": "argocd"},
                "tls": {"existingSecret": "argocd"},
            },
            "app-proxy": {"allow": EVERYTHING},
        })
    }

    /// Installs the platform; gives the admin's console.
    pub(crate) fn install_platform(&self, chart: &Path) -> Console {
        let namespace = self.platform.namespace;
        for part in ["platform", "inventory"] {
            self.stage.volume(namespace, &format!("{PLATFORM}-{part}"));
        }
        let secret = door::certificate(&self.authority, namespace, &door::host(PLATFORM));
        self.stage.apply(&[secret]);
        self.platform.install(chart, &platform_values());
        door::open(self.stage, PLATFORM, namespace);
        self.console()
    }

    /// The admin's, past the door.
    fn console(&self) -> Console {
        let namespace = self.platform.namespace;
        let router = format!("{PLATFORM}-request-router");
        let service = self
            .stage
            .get(&["service", &router, "--namespace", namespace]);
        let address = format!(
            "http://{}:7500",
            service["spec"]["clusterIP"].as_str().unwrap()
        );
        let pod = format!("statefulset/{PLATFORM}-platform");
        let words = [
            "exec",
            "--namespace",
            namespace,
            &pod,
            "--container",
            "platform",
            "--",
            "cat",
            "/data/admin.key",
        ];
        let key = self.stage.kubectl(&words).expect_success();
        let key_file = self.stage.write("admin.key", &key);
        Console { address, key_file }
    }

    /// Makes what the runtime's chart takes as Secrets: a join token, and what opens its Argo CD.
    pub(crate) fn prepare(
        &self,
        console: &Console,
        release: &Release<'_>,
        argocd: &ArgocdInstance,
    ) {
        let token = console.run(&["runtime", "token", release.name]);
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        let mut files = json!({"token": read(&argocd.admin_token_file)});
        if let Some(authority) = &argocd.ca_file {
            files["ca.crt"] = read(authority).into();
        }
        let metadata = |name: &str| json!({"name": name, "namespace": release.namespace});
        let door = door::certificate(
            &self.authority,
            release.namespace,
            &door::host(release.name),
        );
        self.stage.apply(&[
            door,
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata("join"), "stringData": {"token": token.trim()}}),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata("argocd"), "stringData": files}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("authority"), "data": {"ca.crt": self.authority.ca_pem()}}),
        ]);
    }

    /// What the platform is installed with once it is to dial the runtime that has a door of its own.
    pub(crate) fn platform_values_with_west(&self, console: &Console) -> Value {
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "runtimes", "namespace": self.platform.namespace},
            "stringData": {"ca.crt": self.authority.ca_pem()},
        });
        self.stage.apply(&[secret]);
        let listed = console.json(&["runtime", "list"]).unwrap();
        let mut all = listed["runtimes"].as_array().into_iter().flatten();
        let west = all.find(|one| one["name"] == WEST).expect("it has joined");
        let url = format!("https://{}", door::host(WEST));
        let mut values = platform_values();
        values["runtimes"] = json!({
            "urls": [{"id": west["runtimeId"], "url": url}],
            "ca": {"existingSecret": "runtimes"},
        });
        values
    }

    /// Takes away what was made beside the releases.
    pub(crate) fn remove(&self) {
        let names = "secret/join,secret/argocd,secret/door,secret/runtimes,configmap/authority";
        for release in self.releases() {
            let words = [
                &[
                    "delete",
                    "--ignore-not-found",
                    "--namespace",
                    release.namespace,
                ],
                &names.split(',').collect::<Vec<_>>()[..],
            ];
            self.stage.kubectl(&words.concat()).expect_success();
        }
        self.stage
            .kubectl(&["delete", "namespace", door::NAMESPACE])
            .expect_success();
    }

    /// Installs a runtime; gives how long it took from the beginning until the platform showed an application of it.
    pub(crate) fn install_runtime(
        &self,
        console: &Console,
        release: &Release<'_>,
        (chart, values): (&Path, &Value),
    ) -> Duration {
        let begun = Instant::now();
        let mut helm = Child::start(&mut release.installing(chart, values));
        let shown = wait_until_blocking("the first application", SOON, || {
            let listed = console.json(&["app", "list", "--runtime", release.name])?;
            let some = listed["applications"]
                .as_array()
                .is_some_and(|all| !all.is_empty());
            if some {
                Ok(begun.elapsed())
            } else {
                Err(format!(
                    "{listed}\n{}",
                    describe(self.stage, release.namespace)
                ))
            }
        });
        let ended = helm.wait(SOON * 2);
        assert!(
            ended.success(),
            "{:?}\n{}",
            helm.lines(),
            describe(self.stage, release.namespace)
        );
        shown
    }
}

const EVERYTHING: [&str; 13] = [
    "read",
    "sync",
    "refresh",
    "terminate",
    "rollback",
    "delete",
    "update",
    "logs",
    "exec",
    "resource-action",
    "resource-delete",
    "rollout",
    "workflow",
];

fn image() -> Value {
    json!({"repository": REPOSITORY, "tag": TAG})
}

/// What the platform is installed with: nothing but what reaches it and the image.
pub(crate) fn platform_values() -> Value {
    let host = door::host(PLATFORM);
    json!({
        "image": image(),
        "publicUrl": format!("https://{host}"),
        "ingress": {"enabled": true, "className": CLASS, "host": host, "tlsSecret": "door"},
    })
}

/// The namespaces of the other Argo CD.
pub(crate) fn west_values() -> Value {
    let host = door::host(WEST);
    json!({
        "image": image(),
        "platform": {"url": format!("https://{}", door::host(PLATFORM))},
        "ca": {"existingConfigMap": "authority"},
        "joinToken": {"existingSecret": "join"},
        "scope": {"mode": "namespaced", "namespaces": ["depot"]},
        // The server runs without TLS, so its URL cannot be derived.
        "argocd": {"namespace": "gitops", "server": "http://argocd-server.gitops.svc", "token": {"existingSecret": "argocd"}},
        "access": {"mode": "ingress", "ingress": {"host": host, "className": CLASS, "tlsSecret": "door"}},
    })
}
