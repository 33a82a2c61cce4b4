//! The two charts, and Helm.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{Finished, run, which_or_skip};
use serde_json::Value;

/// What a rendering takes a cluster to be: a Helm that was built from its module takes it for an ancient one.
pub const KUBERNETES: &str = "1.33";

/// A chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chart {
    Platform,
    Runtime,
}

/// A chart with values, as `helm install` would send it.
#[derive(Debug, Clone)]
pub struct Release {
    pub chart: Chart,
    /// Its objects, tests among them.
    pub objects: Vec<Value>,
    /// The same as Helm prints it.
    pub text: String,
}

/// Where Helm is. Without it the test is skipped.
pub fn helm() -> Option<PathBuf> {
    which_or_skip("helm")
}

impl Chart {
    pub const ALL: [Self; 2] = [Self::Platform, Self::Runtime];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Platform => "causeway-platform",
            Self::Runtime => "causeway-runtime",
        }
    }

    /// The release that it is rendered as.
    #[must_use]
    pub fn release(self) -> &'static str {
        match self {
            Self::Platform => "causeway",
            Self::Runtime => "east",
        }
    }

    /// Its folder.
    #[must_use]
    pub fn folder(self) -> PathBuf {
        folder().join(self.name())
    }

    /// Renders it with values in YAML, tests and CRDs of dependencies included.
    ///
    /// # Panics
    /// When Helm refuses.
    pub fn render(self, helm: &Path, values: &str) -> Release {
        self.release_of(self.attempt(helm, "template", values).expect_success())
    }

    /// The same for a cluster, at which the chart looks meanwhile. Helm's reason where it refuses.
    pub fn render_on(
        self,
        helm: &Path,
        kubeconfig: &Path,
        values: &str,
    ) -> Result<Release, String> {
        let kubeconfig = format!("--kubeconfig={}", kubeconfig.display());
        let flags = [
            "--dry-run=server",
            &kubeconfig,
            "--kube-version",
            KUBERNETES,
        ];
        let told = self.ask(helm, "template", values, &flags);
        if told.status.success() {
            Ok(self.release_of(told.stdout))
        } else {
            Err(told.stderr)
        }
    }

    fn release_of(self, text: String) -> Release {
        let objects: Vec<Value> = serde_saphyr::from_multiple(&text).expect("Helm prints YAML");
        Release {
            chart: self,
            objects: objects.into_iter().filter(|it| !it.is_null()).collect(),
            text,
        }
    }

    /// Runs `template` or `lint` with values in YAML.
    pub fn attempt(self, helm: &Path, what: &str, values: &str) -> Finished {
        self.ask(helm, what, values, &["--kube-version", KUBERNETES])
    }

    fn ask(self, helm: &Path, what: &str, values: &str, flags: &[&str]) -> Finished {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("values.yaml");
        fs::write(&file, values).expect("a file");
        let mut command = Command::new(helm);
        command.arg(what);
        match what {
            "template" => command.args([self.release(), "--include-crds"]),
            _ => command.arg("--strict"),
        };
        command.arg(self.folder()).arg("--values").arg(file);
        command.args(["--namespace", "causeway"]).args(flags);
        run(&mut command)
    }
}

/// The folder of the charts.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helm")
}
