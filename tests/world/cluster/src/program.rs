//! The programs that clusters are made of.

use std::fmt;

/// A program that is built from public Go modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Program {
    /// etcd, the control plane, a node, KWOK and kubectl; the first argument chooses.
    Kubernetes,
    /// The processes of Argo CD and a Redis; the environment variable `ARGOCD_BINARY_NAME` chooses.
    Argocd,
    /// The controller of Argo Rollouts. It does not watch its parent: start it under `kubernetes guard`.
    Rollouts,
    /// The controller of Argo Workflows. It does not watch its parent: start it under `kubernetes guard`.
    Workflows,
    /// The DNS of a cluster, linked statically for an image.
    Coredns,
    /// The pause program of pods, linked statically for an image.
    Pause,
    /// An OpenID Connect provider.
    Dex,
    /// A collector of traces that can be asked about them. It does not watch its parent: start it under `kubernetes guard`.
    Jaeger,
    /// A Git provider. It does not watch its parent: start it under `kubernetes guard`.
    Gitea,
}

impl Program {
    pub const ALL: [Self; 9] = [
        Self::Kubernetes,
        Self::Argocd,
        Self::Rollouts,
        Self::Workflows,
        Self::Coredns,
        Self::Pause,
        Self::Dex,
        Self::Jaeger,
        Self::Gitea,
    ];

    /// The name of its module, its folder and its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Argocd => "argocd",
            Self::Rollouts => "rollouts",
            Self::Workflows => "workflows",
            Self::Coredns => "coredns",
            Self::Pause => "pause",
            Self::Dex => "dex",
            Self::Jaeger => "jaeger",
            Self::Gitea => "gitea",
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.pad(self.name())
    }
}
