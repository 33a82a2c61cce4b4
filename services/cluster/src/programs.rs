//! The programs of a cluster, where they have been built.

use std::path::{Path, PathBuf};

/// A program that clusters are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Kubernetes,
    Argocd,
    Rollouts,
    Workflows,
    Coredns,
}

/// Programs that are built and ready to be started.
#[derive(Debug, Clone)]
pub struct Programs {
    paths: Vec<(Program, PathBuf)>,
}

/// Why there are no programs.
#[derive(Debug, thiserror::Error)]
pub enum ProgramsError {
    #[error("{} is not built: run 'make cluster'", path.display())]
    Missing { path: PathBuf },
}

const ALL: [(Program, &str); 5] = [
    (Program::Kubernetes, "kubernetes"),
    (Program::Argocd, "argocd"),
    (Program::Rollouts, "rollouts"),
    (Program::Workflows, "workflows"),
    (Program::Coredns, "coredns"),
];

impl Programs {
    /// What has been built already.
    ///
    /// # Errors
    /// A program is not built.
    pub fn find() -> Result<Self, ProgramsError> {
        let home = std::env::home_dir().unwrap_or_default();
        let cache = home.join(".cache/causeway/cluster/current");
        let paths = ALL.map(|(program, name)| (program, cache.join(name).join(name)));
        match paths.iter().find(|(_, path)| !path.exists()) {
            Some((_, path)) => Err(ProgramsError::Missing { path: path.clone() }),
            None => Ok(Self {
                paths: paths.into(),
            }),
        }
    }

    /// Where a program is.
    pub fn path(&self, program: Program) -> &Path {
        let found = self.paths.iter().find(|(known, _)| *known == program);
        &found.expect("all programs are found at once").1
    }
}
