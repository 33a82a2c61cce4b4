//! The children of one cluster: started in order, restarted by name, ended the other way round.

use std::{fmt, sync::Arc, time::Duration};

use futures::future::BoxFuture;

use crate::{
    error::ClusterError,
    port,
    process::{Launch, Place, Process, ProcessError, ProcessGuard},
};

/// Attempts with another port where one was taken in the meantime.
const PORTS: usize = 4;

/// A child of a cluster. The number says which Argo CD, in the order of the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    Etcd,
    ApiServer,
    ControllerManager,
    Scheduler,
    Kwok,
    Rollouts,
    Workflows,
    Redis(usize),
    RepoServer(usize),
    ApplicationController(usize),
    ApplicationSetController(usize),
    ArgocdServer(usize),
    Containerd,
    Kubelet,
    Proxy,
}

/// Readiness probe of a child; the error says what is missing.
pub(crate) type Ready = Arc<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// A child and how to start it again.
pub(crate) struct Member {
    child: Child,
    launch: Launch,
    ready: Ready,
    patience: Duration,
    process: Option<Process>,
}

/// Guard and folders that children are started with.
#[derive(Debug)]
pub(crate) struct Supervisor {
    guard: ProcessGuard,
    place: Place,
}

/// All children, in the order of their start.
pub(crate) struct Crew {
    supervisor: Arc<Supervisor>,
    members: Vec<Member>,
}

impl Supervisor {
    pub(crate) fn new(place: Place) -> Result<Arc<Self>, ClusterError> {
        let guard = ProcessGuard::new().map_err(|source| ClusterError::Folder {
            path: place.home.clone(),
            source,
        })?;
        Ok(Arc::new(Self { guard, place }))
    }

    pub(crate) fn guard(&self) -> &ProcessGuard {
        &self.guard
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Starts a child and waits until it is ready.
    pub(crate) async fn start(
        &self,
        child: Child,
        launch: Launch,
        ready: Ready,
        patience: Duration,
    ) -> Result<Member, ProcessError> {
        let mut member = Member {
            child,
            launch,
            ready,
            patience,
            process: None,
        };
        member.start(self).await?;
        Ok(member)
    }

    /// Starts a child on a free port: `plan` gives its launch and its readiness probe.
    pub(crate) async fn start_on_free_port(
        &self,
        child: Child,
        patience: Duration,
        plan: impl Fn(u16) -> (Launch, Ready) + Send,
    ) -> Result<(Member, u16), ClusterError> {
        let mut tries = 1;
        loop {
            let port = port::free()?;
            let (launch, ready) = plan(port);
            match self.start(child, launch, ready, patience).await {
                Ok(member) => return Ok((member, port)),
                Err(error) if error.is_address_in_use() && tries < PORTS => tries += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Member {
    async fn start(&mut self, supervisor: &Supervisor) -> Result<(), ProcessError> {
        let mut process = Process::start(&self.launch, &supervisor.guard, &supervisor.place)?;
        let ready = Arc::clone(&self.ready);
        process.wait_until(self.patience, || ready()).await?;
        self.process = Some(process);
        Ok(())
    }

    async fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().await;
        }
    }
}

impl Crew {
    pub(crate) fn new(supervisor: Arc<Supervisor>) -> Self {
        Self {
            supervisor,
            members: Vec::new(),
        }
    }

    pub(crate) fn join(&mut self, member: Member) {
        self.members.push(member);
    }

    /// Errors: a child has ended that was not stopped.
    pub(crate) fn check(&mut self) -> Result<(), ProcessError> {
        let mut processes = self.members.iter_mut().filter_map(|m| m.process.as_mut());
        processes.try_for_each(Process::check)
    }

    /// Name and process id of each child that runs.
    pub(crate) fn processes(&self) -> Vec<(String, u32)> {
        let running = self.members.iter().filter_map(|m| m.process.as_ref());
        running
            .filter_map(|process| Some((process.name().to_owned(), process.id()?)))
            .collect()
    }

    /// Ends a child at once, as a crash would; it stays ended.
    pub(crate) async fn kill(&mut self, child: Child) -> Result<(), ClusterError> {
        self.member(child)?.kill().await;
        Ok(())
    }

    /// Terminates a child, and kills it after `most`.
    pub(crate) async fn end(&mut self, child: Child, most: Duration) -> Result<(), ClusterError> {
        if let Some(mut process) = self.member(child)?.process.take() {
            process.end(most).await;
        }
        Ok(())
    }

    /// Starts a child again as it was started first, and waits until it is ready.
    pub(crate) async fn restart(&mut self, child: Child) -> Result<(), ClusterError> {
        let supervisor = Arc::clone(&self.supervisor);
        let member = self.member(child)?;
        member.kill().await;
        Ok(member.start(&supervisor).await?)
    }

    /// Runs a program beside the children until it has done its work.
    pub(crate) async fn run(&self, launch: &Launch, most: Duration) -> Result<(), ProcessError> {
        let (guard, place) = (&self.supervisor.guard, &self.supervisor.place);
        Process::start(launch, guard, place)?.finish(most).await
    }

    /// Ends all at once, those that were started last first.
    pub(crate) async fn end_all(&mut self) {
        for member in self.members.iter_mut().rev() {
            member.kill().await;
        }
    }

    fn member(&mut self, child: Child) -> Result<&mut Member, ClusterError> {
        let found = self.members.iter_mut().find(|m| m.child == child);
        found.ok_or(ClusterError::NoChild { child })
    }
}

impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Etcd => f.write_str("etcd"),
            Self::ApiServer => f.write_str("kube-apiserver"),
            Self::ControllerManager => f.write_str("kube-controller-manager"),
            Self::Scheduler => f.write_str("kube-scheduler"),
            Self::Kwok => f.write_str("kwok"),
            Self::Rollouts => f.write_str("rollouts-controller"),
            Self::Workflows => f.write_str("workflow-controller"),
            Self::Redis(at) => write!(f, "miniredis-{at}"),
            Self::RepoServer(at) => write!(f, "argocd-repo-server-{at}"),
            Self::ApplicationController(at) => write!(f, "argocd-application-controller-{at}"),
            Self::ApplicationSetController(at) => {
                write!(f, "argocd-applicationset-controller-{at}")
            }
            Self::ArgocdServer(at) => write!(f, "argocd-server-{at}"),
            Self::Containerd => f.write_str("containerd"),
            Self::Kubelet => f.write_str("kubelet"),
            Self::Proxy => f.write_str("kube-proxy"),
        }
    }
}
