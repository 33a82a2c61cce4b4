//! A runtime by Terraform or OpenTofu, from what `causeway runtime install --print terraform` prints.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{Finished, run, skip_part, which_of};

use crate::{
    command::{Place, until_it_is},
    console::Console,
    site::Site,
    stage::Stage,
};

const CENTRE: &str = "centre";
/// Of `plan -detailed-exitcode`: nothing is to be done, and something is.
const NOTHING: i32 = 0;
const SOMETHING: i32 = 2;

/// Is planned, comes online, needs nothing more, and goes again.
pub(crate) fn a_runtime_comes_and_goes(site: &Site<'_>, console: &Console) {
    let Some(program) = which_of(&["terraform", "tofu"]) else {
        skip_part("neither terraform nor tofu is installed");
        return;
    };
    let place = Place::of(site, console, CENTRE);
    let shape = ["--print=terraform", "--argocd-namespace=argocd"];
    let more = ["--platform-url", &console.address];
    let printed = place.helm("install", &[shape, more].concat());
    let folder = site.stage.folder().join("terraform");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("main.tf"), printed.expect_success()).unwrap();
    let project = Project {
        stage: site.stage,
        program,
        folder: &folder,
        token: console.run(&["runtime", "token", CENTRE]),
    };
    // Whatever is wrong with what was printed is found before anything is asked of the registry.
    project
        .terraform(&["fmt", "-check", "-diff"])
        .expect_success();
    let begun = project.terraform(&["init"]);
    if let Some(why) = without_provider(&begun.stderr) {
        skip_part(&format!("Terraform's provider for Helm is missing: {why}"));
        return;
    }
    begun.expect_success();
    project.terraform(&["validate"]).expect_success();
    project.plan(SOMETHING);
    project
        .terraform(&["apply", "-auto-approve"])
        .expect_success();
    until_it_is(console, CENTRE, "CONNECTION_ONLINE");
    project.plan(NOTHING);
    project
        .terraform(&["destroy", "-auto-approve"])
        .expect_success();
    let namespace = place.namespace();
    let parts = ["deployments", "--namespace", &namespace];
    assert!(site.stage.list(&parts).is_empty());
    // It knows nothing of the platform.
    place.taken_out(&[]).expect_success();
    until_it_is(console, CENTRE, "CONNECTION_REVOKED");
    place.forget();
}

/// Of what `init` complains of, that the provider cannot be had, as Terraform and as OpenTofu say it.
fn without_provider(stderr: &str) -> Option<&str> {
    let titles = [
        "Failed to query available provider packages",
        "Failed to resolve provider packages",
        "Failed to install provider",
    ];
    let mut lines = stderr.lines();
    lines.find(|line| titles.iter().any(|title| line.contains(title)))
}

#[test]
fn invalid_terraform_is_not_a_missing_provider() {
    // It is coloured whether or not a terminal reads it.
    let why =
        "\u{2502} Error: \u{1b}[0m\u{1b}[1mFailed to query available provider packages\u{1b}[0m";
    let registry = format!("\u{2577}\n{why}\n\u{2502}\n");
    assert_eq!(without_provider(&registry), Some(why));
    let text = "\u{2577}\n\u{2502} Error: Unclosed configuration block\n\u{2502}\n";
    assert_eq!(without_provider(text), None);
    assert_eq!(without_provider(""), None);
}

/// A folder with what was printed.
struct Project<'a> {
    stage: &'a Stage,
    program: PathBuf,
    folder: &'a Path,
    token: String,
}

impl Project<'_> {
    fn terraform(&self, words: &[&str]) -> Finished {
        let home = self.stage.folder().join("helm");
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .current_dir(self.folder)
            .env("KUBE_CONFIG_PATH", self.stage.cluster().kubeconfig())
            .env("TF_VAR_causeway_join_token", self.token.trim())
            .env("TF_INPUT", "0")
            .env("NO_COLOR", "1")
            .env("HELM_CACHE_HOME", home.join("cache"))
            .env("HELM_CONFIG_HOME", home.join("config"))
            .env("HELM_DATA_HOME", home.join("data"));
        run(&mut command)
    }

    fn plan(&self, expected: i32) {
        let planned = self.terraform(&["plan", "-detailed-exitcode", "-no-color"]);
        assert_eq!(planned.code(), expected, "{planned:?}");
    }
}
