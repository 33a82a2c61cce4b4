//! Secrets of a cluster never reach the platform: not over the wire, not in its answers, not in its files.

mod argocd;
mod databases;
mod transparent;
mod wire;

use std::{fs, path::PathBuf, sync::Arc};

use causeway_application_event_reporter as reporter;
use causeway_client::RuntimeIdentity;
use causeway_proto::{
    inventory::v1::{Application, GetApplicationRequest, GetManifestRequest},
    proxy::v1::GetLiveApplicationRequest,
};
use causeway_sandbox::SandboxOptions;
use causeway_shell::Shell;
use causeway_testkit::{Canaries, Canary, Mesh, Part, RULES, wait_until};
use futures::future::BoxFuture;
use prost::Message as _;
use serde_json::json;
use tokio::net::TcpListener;

use self::{
    argocd::{Argocd, FAILING},
    wire::Wire,
};
use crate::world::PATIENCE;

type Serve = fn(reporter::Args, TcpListener, Shell) -> BoxFuture<'static, anyhow::Result<()>>;

/// A mesh whose runtime reports over a wire that keeps all, and whose Argo CD hides nothing.
struct Stage {
    mesh: Mesh,
    wire: Wire,
    canaries: Arc<Canaries>,
    source_server: Part,
    reporter: Part,
    _argocd: Argocd,
}

impl Stage {
    async fn set(serve: Serve) -> Self {
        let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
        mesh.runtime.reporter.stop().await;
        let canaries = Arc::new(Canaries::default());
        let argocd = Argocd::start(&canaries).await;
        let platform = mesh.router.url().replace("http://", "");
        let wire = Wire::before(platform).await;
        let home = recorded(&mesh, &wire);
        let file = |name: &str| home.join(name).display().to_string();
        let flags = |all: &[(&str, String)]| -> Vec<String> {
            let both = all
                .iter()
                .flat_map(|(flag, value)| [(*flag).to_owned(), value.clone()]);
            both.collect()
        };
        let cluster = [
            ("--runtime-folder", home.display().to_string()),
            ("--kubeconfig", file("kubeconfig")),
        ];
        let asked = [
            ("--argocd-server", argocd.url.clone()),
            ("--argocd-token-file", file("argocd.token")),
        ];
        let rules = ("--redaction-rules", file("rules.yaml"));
        let source = flags(&[&cluster[..], &asked].concat());
        let source_server =
            Part::start("source-server", &source, causeway_source_server::serve).await;
        let asked = ("--source-server", source_server.url());
        let report = flags(&[&cluster[..], &[asked, rules]].concat());
        let reporter = Part::start("application-event-reporter", &report, serve).await;
        let stage = Self {
            mesh,
            wire,
            canaries,
            source_server,
            reporter,
            _argocd: argocd,
        };
        stage.plant("foreign");
        stage.plant(FAILING);
        stage
    }

    /// An Application that the sandbox's Argo CD leaves as it is.
    fn plant(&self, name: &str) {
        let application = &self.canaries.application;
        let written = self.mesh.sandbox().kube().write_raw(
            "applications.argoproj.io",
            json!({
                "apiVersion": "argoproj.io/v1alpha1",
                "kind": "Application",
                "metadata": {
                    "namespace": "default",
                    "name": name,
                    "labels": application["labels"],
                    "annotations": {"argocd.argoproj.io/skip-reconcile": "true"},
                },
                "spec": application["spec"],
                "status": application["status"],
            }),
        );
        assert!(written.is_some());
    }

    /// The planted application, once all that Argo CD knows of it is told.
    async fn told(&self, name: &str, whole: fn(&Application) -> bool) -> Application {
        wait_until("the application is told", PATIENCE, async || {
            let request = GetApplicationRequest {
                runtime: "east".to_owned(),
                namespace: "default".to_owned(),
                name: name.to_owned(),
                ..GetApplicationRequest::default()
            };
            let answer = self.mesh.applications().get_application(request).await;
            let answer = answer.map_err(|status| status.to_string())?.into_inner();
            let application = answer.application.unwrap_or_default();
            if whole(&application) {
                Ok(application)
            } else {
                Err(format!("{application:?}"))
            }
        })
        .await
    }

    /// All that the platform answers about the applications.
    async fn answers(&self) -> Vec<u8> {
        let foreign = self.told("foreign", has_manifests).await;
        let failing = self.told(FAILING, has_failed).await;
        let mut all = [foreign.encode_to_vec(), failing.encode_to_vec()].concat();
        let resources = foreign.status.unwrap_or_default().resources;
        for digest in resources
            .iter()
            .map(|it| &it.live_digest)
            .filter(|it| !it.is_empty())
        {
            let request = GetManifestRequest {
                digest_hex: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
                ..GetManifestRequest::default()
            };
            let manifest = self
                .mesh
                .applications()
                .get_manifest(request)
                .await
                .unwrap();
            all.extend(manifest.into_inner().content);
        }
        all
    }

    /// What the platform has on its disk, by the part that keeps it.
    async fn kept(&mut self) -> Vec<u8> {
        let folder = self.mesh.folder().to_owned();
        let mut all = Vec::new();
        for part in ["platform", "inventory", "tunnel-server"] {
            all.extend(databases::everything(&folder.join(part)).await);
        }
        // What is written at the end counts, too.
        self.mesh.inventory.stop().await;
        all.extend(databases::everything(&folder.join("inventory")).await);
        all
    }

    async fn strike(mut self) {
        self.reporter.stop().await;
        self.source_server.stop().await;
        self.mesh.stop().await;
    }
}

/// A folder of the runtime that has the wire as its platform.
fn recorded(mesh: &Mesh, wire: &Wire) -> PathBuf {
    let home = mesh.folder().join("east-recorded");
    fs::create_dir(&home).unwrap();
    for file in databases::files(&mesh.folder().join("east")) {
        fs::copy(&file, home.join(file.file_name().unwrap())).unwrap();
    }
    let tunnel = &mesh.runtime.identity.tunnel_url;
    RuntimeIdentity::update_urls(&home, &wire.url(), tunnel).unwrap();
    fs::write(home.join("rules.yaml"), RULES).unwrap();
    home
}

fn has_manifests(application: &Application) -> bool {
    let status = application.status.clone().unwrap_or_default();
    let told = status
        .resources
        .iter()
        .filter(|it| !it.live_digest.is_empty());
    let wanted = Canaries::default().manifests.len();
    status.commit.is_some() && told.count() == wanted
}

fn has_failed(application: &Application) -> bool {
    let desired = application.status.clone().unwrap_or_default().desired;
    desired.is_some_and(|desired| desired.reason.contains("cannot clone"))
}

fn found(canaries: &Canaries, bytes: &[u8]) -> Vec<&'static str> {
    let found = canaries
        .all
        .iter()
        .filter(|canary: &&Canary| canary.is_in(bytes));
    found.map(|canary| canary.place).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_the_cluster_reaches_the_platform() {
    let mut stage = Stage::set(reporter::serve).await;
    let answers = stage.answers().await;
    let canaries = Arc::clone(&stage.canaries);
    assert_eq!(found(&canaries, &answers), Vec::<&str>::new(), "in answers");
    let words = ["git.example.com", "cannot apply", "and more", "(redacted "];
    let readable = String::from_utf8_lossy(&answers).into_owned();
    assert!(
        words.iter().all(|word| readable.contains(word)),
        "it is still of use"
    );
    assert!(stage.wire.messages() > canaries.manifests.len());
    assert_eq!(
        found(&canaries, &stage.wire.bytes()),
        Vec::<&str>::new(),
        "on the wire"
    );
    let kept = stage.kept().await;
    assert_eq!(found(&canaries, &kept), Vec::<&str>::new(), "in files");
    Box::pin(stage.strike()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_without_redaction_finds_every_secret() {
    let mut stage = Stage::set(transparent::serve).await;
    let answers = stage.answers().await;
    let canaries = Arc::clone(&stage.canaries);
    let all: Vec<_> = canaries.all.iter().map(|canary| canary.place).collect();
    // Source-server's own text, from which it takes the secrets itself.
    let told: Vec<_> = all
        .iter()
        .copied()
        .filter(|place| *place != "a failure of Argo CD")
        .collect();
    assert_eq!(found(&canaries, &answers), told, "in answers");
    assert_eq!(found(&canaries, &stage.wire.bytes()), told, "on the wire");
    assert_eq!(found(&canaries, &stage.kept().await), told, "in files");
    Box::pin(stage.strike()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_application_is_shown_without_its_secrets() {
    let stage = Stage::set(reporter::serve).await;
    stage.told("foreign", has_manifests).await;
    let request = GetLiveApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "default".to_owned(),
        name: "foreign".to_owned(),
    };
    let live = stage
        .mesh
        .actions()
        .get_live_application(request)
        .await
        .unwrap();
    let live = live.into_inner().manifest;
    // The app proxy of the mesh has no rules of its own.
    assert_eq!(found(&stage.canaries, &live), ["a label of an Application"]);
    assert!(String::from_utf8_lossy(&live).contains("git.example.com"));
    Box::pin(stage.strike()).await;
}
