//! A whole cluster: started, used, and stopped as one.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use causeway_sandbox::git::{GitOptions, GitServer};
use kube::Client;
use tokio::sync::Mutex;

use crate::{
    Image, NodeError, Program, Programs, argocd, audit,
    child::{Child, Crew, Supervisor},
    control_plane::ControlPlane,
    controllers,
    error::ClusterError,
    folder::Folder,
    managed,
    node::Node,
    objects::Objects,
    options::{ArgocdInstance, Options, Rollouts, Workflows},
    process::{Launch, Place},
    rollouts, workflows,
};

/// Grace period of a child before it is killed.
const END: Duration = Duration::from_secs(15);
const COMPACT: Duration = Duration::from_secs(60);

/// A real cluster with the requested components. Dropping it ends it at once, as a kill would.
pub struct Cluster {
    crew: Mutex<Crew>,
    plane: ControlPlane,
    argocds: Vec<ArgocdInstance>,
    git: GitServer,
    node: Option<Node>,
    folder: Folder,
}

impl Cluster {
    /// etcd and an API server in one process, without controllers: ready in seconds.
    ///
    /// # Errors
    /// The programs are not built, or a child does not get ready; the error names its log, which is kept.
    pub async fn minimal() -> Result<Self, ClusterError> {
        Self::minimal_with(&[]).await
    }

    /// The same with further flags for kube-apiserver.
    ///
    /// # Errors
    /// See [`Cluster::minimal`].
    pub async fn minimal_with(flags: &[String]) -> Result<Self, ClusterError> {
        let programs = Programs::find(&[Program::Kubernetes])?;
        let mut site = Site::new()?;
        let started = site.minimal(&programs, flags).await;
        site.finish(started).await
    }

    /// A control plane with controllers and simulated nodes, Git, and the Argo CDs of the options.
    ///
    /// # Errors
    /// See [`Cluster::minimal`].
    pub async fn simulated(options: Options) -> Result<Self, ClusterError> {
        let programs = Programs::find(&options.programs())?;
        let mut site = Site::new()?;
        let started = site.simulated(&programs, &options).await;
        site.finish(started).await
    }

    /// A real node with real pods, and a control plane of its own. Needs root and Debian's containerd. The Argo CDs of the
    /// options are pods of it; Git is beside it, where pods reach it. The options' simulated nodes have no meaning here.
    ///
    /// # Errors
    /// See [`Cluster::minimal`]; or this machine cannot hold a node, and the error says why.
    pub async fn node(options: Options) -> Result<Self, ClusterError> {
        let programs = Programs::find(&options.node_programs())?;
        Node::check().await?;
        let mut site = Site::new()?;
        let started = site.on_node(&programs, &options).await;
        site.finish(started).await
    }

    /// Gives the node an image for its pods.
    ///
    /// # Errors
    /// A file of the image cannot be read, or this cluster has no node.
    pub async fn import(&self, image: Image) -> Result<(), ClusterError> {
        let node = self.node.as_ref().ok_or(NodeError::Absent)?;
        Ok(node.import(image).await?)
    }

    /// Where this machine is for the pods of the node, if there is one.
    pub fn host(&self) -> Option<Ipv4Addr> {
        self.node.as_ref().map(Node::host)
    }

    /// The first process of the node's namespaces, for `nsenter --target`.
    pub fn node_process(&self) -> Option<u32> {
        Some(self.node.as_ref()?.entrance().process())
    }

    /// What ServiceAccounts of the options' audited namespaces asked of the API server, one JSON event a line.
    pub fn audit_log(&self) -> PathBuf {
        audit::log(self.folder())
    }

    /// Kubeconfig of the administrator.
    pub fn kubeconfig(&self) -> &Path {
        &self.plane.kubeconfig
    }

    /// A kubeconfig for a user of this name and, where there is one, this group. It may what RBAC lets it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn kubeconfig_of(&self, user: &str, group: Option<&str>) -> Result<PathBuf, ClusterError> {
        self.plane.kubeconfig_of(user, group)
    }

    /// The same with credentials that expire; the file takes the place of an earlier one of this user.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn expiring_kubeconfig_of(
        &self,
        user: &str,
        group: Option<&str>,
        life: Duration,
    ) -> Result<PathBuf, ClusterError> {
        self.plane.expiring_kubeconfig_of(user, group, life)
    }

    /// A new client of the administrator; it lives on the async runtime of the caller.
    pub fn client(&self) -> Client {
        self.plane.client()
    }

    /// In the order of the options.
    pub fn argocd(&self) -> &[ArgocdInstance] {
        &self.argocds
    }

    /// Bare repositories over smart HTTP.
    pub fn git(&self) -> &GitServer {
        &self.git
    }

    /// All that the cluster keeps; the logs are in `log` below it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Name and process id of each child that runs.
    pub async fn processes(&self) -> Vec<(String, u32)> {
        self.crew.lock().await.processes()
    }

    /// Makes another cluster known to an Argo CD of this one, under a name for `destination.name`.
    ///
    /// # Errors
    /// There is no such Argo CD, or the API refuses.
    pub async fn register(
        &self,
        argocd: usize,
        name: &str,
        other: &Self,
    ) -> Result<(), ClusterError> {
        let known = self.argocds.get(argocd);
        let known = known.ok_or(ClusterError::NoChild {
            child: Child::ArgocdServer(argocd),
        })?;
        let objects = Objects::new(self.client(), &self.folder.path().join("log"));
        let secret = managed::secret(&known.namespace, name, &other.plane.kubeconfig)?;
        objects.apply(&secret).await
    }

    /// # Errors
    /// A child has ended that was not stopped; the error has its last words and its log.
    pub async fn check(&self) -> Result<(), ClusterError> {
        Ok(self.crew.lock().await.check()?)
    }

    /// Ends a child at once, as a crash would; it stays ended.
    ///
    /// # Errors
    /// This cluster has no such child.
    pub async fn kill(&self, child: Child) -> Result<(), ClusterError> {
        self.crew.lock().await.kill(child).await
    }

    /// Asks a child to end, as Kubernetes would; it stays ended.
    ///
    /// # Errors
    /// This cluster has no such child.
    pub async fn end(&self, child: Child) -> Result<(), ClusterError> {
        self.crew.lock().await.end(child, END).await
    }

    /// Starts a child again, at its former address, and waits until it is ready. One that runs is killed first.
    ///
    /// # Errors
    /// This cluster has no such child, or it does not get ready.
    pub async fn restart(&self, child: Child) -> Result<(), ClusterError> {
        self.crew.lock().await.restart(child).await
    }

    /// Makes the store forget every revision but its newest. The API server still knows what it has in memory until it is started
    /// again; requests from an older revision get 410.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn compact(&self) -> Result<(), ClusterError> {
        let sockets = ["etcd.sock", "kube/etcd.sock"].map(|name| self.folder().join(name));
        let socket = sockets.iter().find(|path| path.exists());
        let socket = socket.ok_or(ClusterError::NoChild { child: Child::Etcd })?;
        let program = Programs::find(&[Program::Kubernetes])?;
        let launch = Launch::new("compact", program.path(Program::Kubernetes))
            .argument("compact")
            .argument(format!("unix://{}", socket.display()));
        Ok(self.crew.lock().await.run(&launch, COMPACT).await?)
    }

    /// Ends everything, clients first and the store last, and removes the folder.
    pub async fn stop(self) {
        self.crew.lock().await.end_all().await;
        self.git.stop().await;
        if let Some(node) = self.node {
            // The next node removes what this one leaves; the log says what it was.
            let _ = node.end().await;
        }
    }
}

/// What a cluster is made in.
pub(crate) struct Site {
    supervisor: Arc<Supervisor>,
    crew: Crew,
    node: Option<Node>,
    folder: Folder,
}

/// What has been started on a site.
type Started = (ControlPlane, Vec<ArgocdInstance>, GitServer);

impl Site {
    pub(crate) fn new() -> Result<Self, ClusterError> {
        let mut folder = Folder::new()?;
        let place = Place {
            logs: folder.make("log")?,
            home: folder.make("tmp")?,
        };
        let supervisor = Supervisor::new(place)?;
        folder.sweep_after(supervisor.guard())?;
        Ok(Self {
            crew: Crew::new(Arc::clone(&supervisor)),
            supervisor,
            node: None,
            folder,
        })
    }

    /// The cluster, or nothing left of it but its logs.
    pub(crate) async fn finish(
        mut self,
        started: Result<Started, ClusterError>,
    ) -> Result<Cluster, ClusterError> {
        match started {
            Ok((plane, argocds, git)) => Ok(Cluster {
                crew: Mutex::new(self.crew),
                plane,
                argocds,
                git,
                node: self.node,
                folder: self.folder,
            }),
            Err(error) => {
                self.crew.end_all().await;
                drop(self.node.take());
                self.folder.keep();
                Err(error)
            }
        }
    }

    async fn minimal(
        &mut self,
        programs: &Programs,
        flags: &[String],
    ) -> Result<Started, ClusterError> {
        let git = self.git(Options::default().git_listen).await?;
        let program = programs.path(Program::Kubernetes);
        let crew = (&self.supervisor, &mut self.crew);
        let plane = ControlPlane::minimal(program, &self.folder, flags, crew).await?;
        Ok((plane, Vec::new(), git))
    }

    async fn simulated(
        &mut self,
        programs: &Programs,
        options: &Options,
    ) -> Result<Started, ClusterError> {
        let git = self.git(options.git_listen).await?;
        let program = programs.path(Program::Kubernetes);
        let flags = self.flags(options)?;
        let crew = (&self.supervisor, &mut self.crew);
        let plane = ControlPlane::full(program, &self.folder, &flags, crew).await?;
        let crew = (&self.supervisor, &mut self.crew);
        controllers::start(program, &plane, options.nodes, crew).await?;
        let argocds = self.argocds(programs, &plane, options).await?;
        Ok((plane, argocds, git))
    }

    async fn on_node(
        &mut self,
        programs: &Programs,
        options: &Options,
    ) -> Result<Started, ClusterError> {
        let flags = self.flags(options)?;
        let node = self.node.insert(Node::open(&self.folder).await?);
        let crew = (&self.supervisor, &mut self.crew);
        let plane = node.start(programs, &self.folder, &flags, crew).await?;
        // Pods reach this machine here only.
        let host = SocketAddr::from((node.host(), options.git_listen.port()));
        let git = self.git(host).await?;
        let argocds = self.argocds(programs, &plane, options).await?;
        Ok((plane, argocds, git))
    }

    /// Of kube-apiserver. Those of the options come last, so they count.
    fn flags(&self, options: &Options) -> Result<Vec<String>, ClusterError> {
        let mut flags = audit::flags(&self.folder, &options.audited)?;
        flags.extend(options.api_server_flags.iter().cloned());
        Ok(flags)
    }

    /// Argo CD and what else of Argo the options want, on a control plane of any kind.
    pub(crate) async fn argocds(
        &mut self,
        programs: &Programs,
        plane: &ControlPlane,
        options: &Options,
    ) -> Result<Vec<ArgocdInstance>, ClusterError> {
        let objects = Objects::new(plane.client(), &self.supervisor.place().logs);
        if options.rollouts == Rollouts::Present {
            let crew = (&self.supervisor, &mut self.crew);
            rollouts::start(programs, plane, &objects, crew).await?;
        }
        if options.workflows == Workflows::Present {
            let crew = (&self.supervisor, &mut self.crew);
            workflows::start(programs, plane, &objects, crew).await?;
        }
        if options.argocds.is_empty() {
            return Ok(Vec::new());
        }
        let program = programs.path(Program::Argocd);
        objects.define(&program.with_file_name("crds")).await?;
        let Some(node) = &self.node else {
            let crew = (&self.supervisor, &mut self.crew);
            let wanted = (&options.argocds[..], &self.folder);
            return argocd::start(program, plane, wanted, crew).await;
        };
        node.import_argocd(program).await?;
        let started = (0..)
            .zip(&options.argocds)
            .map(|(at, options)| node.argocd(at, options, plane, &objects));
        futures::future::try_join_all(started).await
    }

    pub(crate) async fn git(&self, listen: SocketAddr) -> Result<GitServer, ClusterError> {
        let options = GitOptions {
            listen,
            folder: self.folder.make("git")?,
        };
        Ok(GitServer::start(options).await?)
    }
}
