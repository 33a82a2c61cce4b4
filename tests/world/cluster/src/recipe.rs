//! Build recipes: the Go module of a program, its linker stamps, and the files it needs.
//!
//! Owns: the sources, which are part of this library, so that a binary without a checkout builds the same programs.

use sha2::{Digest, Sha256};

use crate::{Program, toolchain::GoVersion};

/// Recipe of one program.
#[derive(Debug)]
pub(crate) struct Recipe {
    /// Path below the folder of sources, and text.
    pub(crate) sources: &'static [(&'static str, &'static str)],
    /// The main package, which Go compiles last.
    pub(crate) package: &'static str,
    pub(crate) link: &'static str,
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// How many packages a first build compiles.
    pub(crate) packages: usize,
    /// Bytes that a first build takes: downloads, Go's own cache, and the program.
    pub(crate) space: u64,
    pub(crate) sidecars: &'static [Sidecar],
}

/// File or folder that is kept with the program.
#[derive(Debug)]
pub(crate) enum Sidecar {
    /// The YAML files of a folder of a Go module, without what is only for Kustomize.
    Manifests {
        module: &'static str,
        folder: &'static str,
        name: &'static str,
    },
    /// A folder of a Go module with all below it.
    Folder {
        module: &'static str,
        folder: &'static str,
    },
    /// Output of the program itself.
    Output {
        argument: &'static str,
        name: &'static str,
    },
}

macro_rules! sources {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../modules/", $path)))),+]
    };
}

const GIB: u64 = 1 << 30;
const STRIPPED: &str = "-s -w";
/// Clients read the version of the API server and of kubectl, and refuse the one of a build without a stamp.
const STAMPED: &str = "-s -w \
    -X k8s.io/component-base/version.gitVersion=v1.36.3 \
    -X k8s.io/component-base/version.gitMajor=1 \
    -X k8s.io/component-base/version.gitMinor=36 \
    -X k8s.io/component-base/version.gitTreeState=clean \
    -X k8s.io/component-base/version.gitCommit=0000000000000000000000000000000000000000 \
    -X k8s.io/component-base/version.buildDate=1970-01-01T00:00:00Z \
    -X k8s.io/client-go/pkg/version.gitVersion=v1.36.3";

const KUBERNETES: Recipe = Recipe {
    sources: sources![
        "kubernetes/go.mod",
        "kubernetes/go.sum",
        "kubernetes/compact.go",
        "kubernetes/guard.go",
        "kubernetes/identity.go",
        "kubernetes/kwok.go",
        "kubernetes/main.go",
        "kubernetes/minimal.go",
        "parent/go.mod",
        "parent/parent.go",
    ],
    package: "causeway.example/cluster/kubernetes",
    link: STAMPED,
    environment: &[],
    packages: 2910,
    space: 4 * GIB,
    sidecars: &[Sidecar::Output {
        argument: "kwok-stages",
        name: "kwok-stages.yaml",
    }],
};

const ARGOCD: Recipe = Recipe {
    sources: sources![
        "argocd/go.mod",
        "argocd/go.sum",
        "argocd/main.go",
        "parent/go.mod",
        "parent/parent.go",
    ],
    package: "causeway.example/cluster/argocd",
    link: STRIPPED,
    environment: &[],
    packages: 1880,
    space: 4 * GIB,
    sidecars: &[Sidecar::Manifests {
        module: "github.com/argoproj/argo-cd/v3",
        folder: "manifests/crds",
        name: "crds",
    }],
};

const ROLLOUTS: Recipe = Recipe {
    sources: sources!["rollouts/go.mod", "rollouts/go.sum"],
    package: "github.com/argoproj/argo-rollouts/cmd/rollouts-controller",
    link: STRIPPED,
    environment: &[],
    packages: 1410,
    space: 2 * GIB,
    sidecars: &[Sidecar::Manifests {
        module: "github.com/argoproj/argo-rollouts",
        folder: "manifests/crds",
        name: "crds",
    }],
};

const WORKFLOWS: Recipe = Recipe {
    sources: sources!["workflows/go.mod", "workflows/go.sum"],
    package: "github.com/argoproj/argo-workflows/v3/cmd/workflow-controller",
    link: STRIPPED,
    environment: &[],
    packages: 1090,
    space: 2 * GIB,
    // The full ones, with every field, make an Argo CD that watches them take gigabytes.
    sidecars: &[Sidecar::Manifests {
        module: "github.com/argoproj/argo-workflows/v3",
        folder: "manifests/base/crds/minimal",
        name: "crds",
    }],
};

const COREDNS: Recipe = Recipe {
    sources: sources![
        "coredns/go.mod",
        "coredns/go.sum",
        "coredns/main.go",
        "parent/go.mod",
        "parent/parent.go",
    ],
    package: "causeway.example/cluster/coredns",
    link: STRIPPED,
    environment: &[("CGO_ENABLED", "0")],
    packages: 700,
    space: GIB,
    sidecars: &[],
};

const PAUSE: Recipe = Recipe {
    sources: sources!["pause/go.mod", "pause/main.go"],
    package: "causeway.example/cluster/pause",
    link: STRIPPED,
    environment: &[("CGO_ENABLED", "0")],
    packages: 60,
    space: GIB / 4,
    sidecars: &[],
};

const DEX: Recipe = Recipe {
    sources: sources![
        "dex/go.mod",
        "dex/go.sum",
        "dex/main.go",
        "parent/go.mod",
        "parent/parent.go",
    ],
    package: "causeway.example/cluster/dex",
    link: STRIPPED,
    environment: &[("CGO_ENABLED", "0")],
    packages: 700,
    space: GIB,
    sidecars: &[],
};

const JAEGER: Recipe = Recipe {
    sources: sources!["jaeger/go.mod", "jaeger/go.sum"],
    package: "github.com/jaegertracing/jaeger/cmd/all-in-one",
    link: STRIPPED,
    environment: &[],
    packages: 1537,
    space: 2 * GIB,
    sidecars: &[],
};

/// Clients read its version from the API, and refuse the one of a build without a stamp.
const GITEA: Recipe = Recipe {
    sources: sources!["gitea/go.mod", "gitea/go.sum"],
    package: "code.gitea.io/gitea",
    link: "-s -w -X main.Version=1.26.0",
    environment: &[("GOFLAGS", "-tags=sqlite,sqlite_unlock_notify")],
    packages: 1480,
    space: 3 * GIB,
    sidecars: &[
        Sidecar::Folder {
            module: "code.gitea.io/gitea",
            folder: "templates",
        },
        Sidecar::Folder {
            module: "code.gitea.io/gitea",
            folder: "options",
        },
    ],
};

impl Program {
    pub(crate) fn recipe(self) -> &'static Recipe {
        match self {
            Self::Kubernetes => &KUBERNETES,
            Self::Argocd => &ARGOCD,
            Self::Rollouts => &ROLLOUTS,
            Self::Workflows => &WORKFLOWS,
            Self::Coredns => &COREDNS,
            Self::Pause => &PAUSE,
            Self::Dex => &DEX,
            Self::Jaeger => &JAEGER,
            Self::Gitea => &GITEA,
        }
    }
}

impl Recipe {
    /// Changes with every source, flag and file beside, and with nothing else: the Go that builds it may be updated
    /// without a new build, and a finished program is found where there is no Go.
    pub(crate) fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        };
        for (path, text) in self.sources {
            add(path);
            add(text);
        }
        add(self.package);
        add(self.link);
        add(&format!("{:?} {:?}", self.environment, self.sidecars));
        let digest = hash.finalize();
        digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// The oldest Go that its module file allows.
    pub(crate) fn go(&self) -> GoVersion {
        let lines = self.sources.iter().flat_map(|(_, text)| text.lines());
        let mut versions = lines.filter_map(|line| line.strip_prefix("go "));
        let first = versions.next().and_then(|text| text.parse().ok());
        first.expect("every module file of ours names its Go first")
    }
}

#[cfg(test)]
mod tests;
