//! One Argo CD in a cluster: its objects, and its processes beside the cluster.

mod bootstrap;

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::FutureExt as _;
use reqwest::Url;
use tokio::net::TcpStream;

use crate::{
    child::{Child, Crew, Member, Ready, Supervisor},
    control_plane::ControlPlane,
    error::ClusterError,
    folder::Folder,
    keys,
    objects::Objects,
    options::{ApplicationSets, ArgocdInstance, ArgocdOptions, Scheme},
    process::Launch,
};
pub(crate) use bootstrap::Bootstrap;

const START_TIMEOUT: Duration = Duration::from_secs(300);
/// Argo CD asks it about the signature of each commit, and fails where it is missing.
pub(crate) const VERIFIER: &str = "#!/bin/sh\ngit verify-commit \"$1\" 2>&1 || true\n";

/// One Argo CD that is being started.
pub(crate) struct Installation<'a> {
    pub(crate) at: usize,
    pub(crate) program: &'a Path,
    pub(crate) plane: &'a ControlPlane,
    pub(crate) options: &'a ArgocdOptions,
    pub(crate) folder: PathBuf,
}

/// Where an Argo CD's own parts find each other.
struct Inside {
    redis: u16,
    repo_server: u16,
}

impl<'a> Installation<'a> {
    pub(crate) fn new(
        at: usize,
        (program, plane): (&'a Path, &'a ControlPlane),
        options: &'a ArgocdOptions,
        folder: &Folder,
    ) -> Result<Self, ClusterError> {
        let own = format!("argocd-{at}");
        for part in ["tls", "ssh", "gnupg", "bin", "tmp"] {
            folder.make(&format!("{own}/{part}"))?;
        }
        Ok(Self {
            at,
            program,
            plane,
            options,
            folder: folder.path().join(own),
        })
    }

    /// Makes its objects and starts its processes. The custom resources must be there.
    pub(crate) async fn start(
        self,
        supervisor: &Arc<Supervisor>,
    ) -> Result<(ArgocdInstance, Vec<Member>), ClusterError> {
        let objects = Objects::new(self.plane.client(), &supervisor.place().logs);
        let bootstrap = Bootstrap::make(self.options, &self.plane.keys.authority, &[])?;
        self.write_files(&bootstrap)?;
        let (redis, ()) = futures::try_join!(self.redis(supervisor), bootstrap.apply(&objects))?;
        let (redis, redis_port) = redis;
        let (repo_server, repo_port) = self.repo_server(supervisor, redis_port).await?;
        let inside = Inside {
            redis: redis_port,
            repo_server: repo_port,
        };
        let ((controller, _), (server, port), sets) = futures::try_join!(
            self.controller(supervisor, &inside),
            self.server(supervisor, &inside),
            self.application_sets(supervisor, &inside),
        )?;
        let mut members = vec![redis, repo_server, controller, server];
        members.extend(sets);
        Ok((self.instance(port), members))
    }

    fn instance(&self, port: u16) -> ArgocdInstance {
        let authority = &self.plane.keys.authority_files.certificate;
        ArgocdInstance {
            namespace: self.options.namespace.clone(),
            url: self.url(port),
            admin_token_file: self.token_file(),
            reader_token_file: self.reader_token_file(),
            ca_file: (self.options.scheme == Scheme::Https).then(|| authority.clone()),
        }
    }

    fn url(&self, port: u16) -> Url {
        let scheme = match self.options.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        let root = self.options.root_path.as_deref().unwrap_or_default();
        let text = format!("{scheme}://127.0.0.1:{port}/{}", root.trim_matches('/'));
        Url::parse(&text).expect("a scheme, an address and a path make a URL")
    }

    fn token_file(&self) -> PathBuf {
        self.folder.join("admin.token")
    }

    fn reader_token_file(&self) -> PathBuf {
        self.folder.join("reader.token")
    }

    fn write_files(&self, bootstrap: &Bootstrap) -> Result<(), ClusterError> {
        keys::write_private(&self.token_file(), bootstrap.token())?;
        keys::write_private(&self.reader_token_file(), bootstrap.reader_token())?;
        keys::write_private(&self.folder.join("ssh/ssh_known_hosts"), "")?;
        let verifier = self.folder.join("bin/git-verify-wrapper.sh");
        keys::write_private(&verifier, VERIFIER)?;
        let allowed = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(&verifier, allowed).map_err(|source| ClusterError::Folder {
            path: verifier.clone(),
            source,
        })
    }

    async fn redis(&self, supervisor: &Supervisor) -> Result<(Member, u16), ClusterError> {
        let child = Child::Redis(self.at);
        let launch = self.launch(child, "miniredis");
        let plan = |port: u16| {
            let launch = launch.clone().argument(format!("127.0.0.1:{port}"));
            (launch, listens(port))
        };
        supervisor
            .start_on_free_port(child, START_TIMEOUT, plan)
            .await
    }

    async fn repo_server(
        &self,
        supervisor: &Supervisor,
        redis: u16,
    ) -> Result<(Member, u16), ClusterError> {
        let child = Child::RepoServer(self.at);
        let launch = self
            .launch(child, "argocd-repo-server")
            .flag("address", "127.0.0.1")
            .flag("metrics-address", "127.0.0.1")
            .flag("metrics-port", 0)
            .flag("redis", format!("127.0.0.1:{redis}"))
            .argument("--disable-tls")
            .argument("--client-ca-path=");
        let plan = |port: u16| (launch.clone().flag("port", port), listens(port));
        supervisor
            .start_on_free_port(child, START_TIMEOUT, plan)
            .await
    }

    async fn controller(
        &self,
        supervisor: &Supervisor,
        inside: &Inside,
    ) -> Result<(Member, u16), ClusterError> {
        let child = Child::ApplicationController(self.at);
        let launch = self.inside(self.launch(child, "argocd-application-controller"), inside);
        let plan = |port: u16| {
            let health = format!("http://127.0.0.1:{port}/healthz");
            (launch.clone().flag("metrics-port", port), serves(health))
        };
        supervisor
            .start_on_free_port(child, START_TIMEOUT, plan)
            .await
    }

    async fn server(
        &self,
        supervisor: &Supervisor,
        inside: &Inside,
    ) -> Result<(Member, u16), ClusterError> {
        let child = Child::ArgocdServer(self.at);
        let mut launch = self
            .inside(self.launch(child, "argocd-server"), inside)
            .flag("address", "127.0.0.1")
            .flag("metrics-port", 0);
        if self.options.scheme == Scheme::Http {
            launch = launch.argument("--insecure");
        }
        if let Some(root) = &self.options.root_path {
            launch = launch.flag("rootpath", root);
        }
        let plan = |port: u16| {
            let url = self.url(port);
            let health = format!("{}/healthz", url.as_str().trim_end_matches('/'));
            (launch.clone().flag("port", port), serves(health))
        };
        supervisor
            .start_on_free_port(child, START_TIMEOUT, plan)
            .await
    }

    async fn application_sets(
        &self,
        supervisor: &Supervisor,
        inside: &Inside,
    ) -> Result<Option<Member>, ClusterError> {
        if self.options.application_sets == ApplicationSets::Absent {
            return Ok(None);
        }
        let child = Child::ApplicationSetController(self.at);
        let launch = self
            .launch(child, "argocd-applicationset-controller")
            .flag("namespace", &self.options.namespace)
            .flag("kubeconfig", self.plane.kubeconfig.display())
            .flag(
                "argocd-repo-server",
                format!("127.0.0.1:{}", inside.repo_server),
            )
            .argument("--repo-server-plaintext")
            .flag("metrics-addr", "127.0.0.1:0")
            .flag("webhook-addr", "127.0.0.1:0");
        // It opens its port for probes, and answers none of them.
        let plan = |port: u16| {
            let address = format!("127.0.0.1:{port}");
            (launch.clone().flag("probe-addr", address), listens(port))
        };
        let started = supervisor
            .start_on_free_port(child, START_TIMEOUT, plan)
            .await?;
        Ok(Some(started.0))
    }

    /// A process that works on the cluster and asks the others of this Argo CD.
    fn inside(&self, launch: Launch, inside: &Inside) -> Launch {
        launch
            .flag("namespace", &self.options.namespace)
            .flag("kubeconfig", self.plane.kubeconfig.display())
            .flag("redis", format!("127.0.0.1:{}", inside.redis))
            .flag("repo-server", format!("127.0.0.1:{}", inside.repo_server))
            .argument("--repo-server-plaintext")
    }

    fn launch(&self, child: Child, binary: &str) -> Launch {
        let folder = |name: &str| self.folder.join(name).display().to_string();
        let path = std::env::vars_os().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.to_string_lossy().into_owned());
        let path = format!("{}:{}", folder("bin"), path.unwrap_or_default());
        Launch::new(child.to_string(), self.program)
            .variable("ARGOCD_BINARY_NAME", binary)
            .variable("PATH", path)
            .variable("KUBECONFIG", self.plane.kubeconfig.display())
            .variable("ARGOCD_FAKE_IN_CLUSTER", "true")
            .variable("ARGOCD_GPG_ENABLED", "false")
            .variable("ARGOCD_TLS_DATA_PATH", folder("tls"))
            .variable("ARGOCD_SSH_DATA_PATH", folder("ssh"))
            .variable("ARGOCD_GNUPGHOME", folder("gnupg"))
            .variable("ARGOCD_ASK_PASS_SOCK", folder("tmp/ask-pass.sock"))
            .variable("ARGOCD_RECONCILIATION_TIMEOUT", seconds(self.options.poll))
            .variable("ARGOCD_RECONCILIATION_JITTER", "0s")
            .variable("HOME", folder("tmp"))
            .variable("TMPDIR", folder("tmp"))
            .variable("HOSTNAME", "argocd-application-controller-0")
    }
}

/// Starts every Argo CD of the options; their processes join the crew.
pub(crate) async fn start(
    program: &Path,
    plane: &ControlPlane,
    (options, folder): (&[ArgocdOptions], &Folder),
    (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
) -> Result<Vec<ArgocdInstance>, ClusterError> {
    let started = options.iter().enumerate().map(|(at, options)| async move {
        let installation = Installation::new(at, (program, plane), options, folder)?;
        installation.start(supervisor).await
    });
    let mut instances = Vec::new();
    for (instance, members) in futures::future::try_join_all(started).await? {
        instances.push(instance);
        members.into_iter().for_each(|member| crew.join(member));
    }
    Ok(instances)
}

fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs())
}

/// Whether something takes connections at a port.
pub(crate) fn listens(port: u16) -> Ready {
    Arc::new(move || {
        async move {
            let connected = TcpStream::connect(("127.0.0.1", port)).await;
            connected.map(drop).map_err(|error| error.to_string())
        }
        .boxed()
    })
}

/// Whether a URL answers well. Who answers is known by the port; the certificate is for those who use it.
pub(crate) fn serves(url: String) -> Ready {
    Arc::new(move || {
        let url = url.clone();
        async move {
            let client = reqwest::Client::builder()
                .tls_danger_accept_invalid_certs(true)
                .no_proxy()
                .build();
            let client = client.map_err(|error| error.to_string())?;
            let sent = client.get(url).send().await;
            let answer = sent.and_then(reqwest::Response::error_for_status);
            answer.map(drop).map_err(|error| error.to_string())
        }
        .boxed()
    })
}
