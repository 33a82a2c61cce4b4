//! A runtime by one command: `causeway runtime install`, `upgrade` and `uninstall`, with the real Helm.

use std::process::Command;

use causeway_testkit::{Finished, run, which};

use crate::{
    console::Console,
    door,
    helm::chart,
    image::{REPOSITORY, TAG},
    site::Site,
    stage::Stage,
};

const NORTH: &str = "north";
const SOUTH: &str = "south";

/// Comes online, is changed, and goes again.
pub(crate) fn a_runtime_comes_and_goes(site: &Site<'_>, console: &Console) {
    let place = Place::of(site, console, NORTH);
    let more = ["--argocd-namespace=argocd", "--platform-url"];
    let installed = place.helm("install", &[&more[..], &[&console.address]].concat());
    let told = installed.expect_success();
    assert!(told.contains("north: online, with 6 parts"), "{told}");
    console.until(&["app", "list", "--runtime", NORTH], |listed| {
        let all = listed["applications"].as_array();
        all.is_some_and(|all| !all.is_empty())
    });

    let told = place.helm("upgrade", &["--set=log.filter=debug"]);
    let told = told.expect_success();
    assert!(told.contains("north: online"), "{told}");
    let namespace = place.namespace();
    let proxy = ["deployment/north-app-proxy", "--namespace", &namespace];
    let proxy = site.stage.get(&proxy).to_string();
    assert!(proxy.contains(r#""value":"debug""#), "{proxy}");
    assert!(proxy.contains(&format!("{REPOSITORY}:{TAG}")), "{proxy}");

    place.taken_out(&[]).expect_success();
    until_it_is(console, NORTH, "CONNECTION_REVOKED");
    place.forget();
}

pub(crate) fn until_it_is(console: &Console, name: &str, connection: &str) {
    console.until(&["runtime", "list"], |listed| {
        let mut all = listed["runtimes"].as_array().into_iter().flatten();
        all.any(|one| one["name"] == name && one["connection"] == connection)
    });
}

/// An address that leads to the platform from here and not from the cluster is found out there, before anything is installed.
pub(crate) fn a_runtime_that_would_not_join_is_not_installed(site: &Site<'_>, console: &Console) {
    let place = Place::of(site, console, SOUTH);
    let inside = console.address.trim_start_matches("http://");
    let here = format!("http://{}", door::pass_on(site.stage, inside));
    let more = ["--argocd-namespace=argocd", "--platform-url", &here];
    let refused = place.helm("install", &more);
    assert!(!refused.status.success(), "{refused:?}");
    let reason = format!("{here} does not answer as a platform");
    for words in ["pre-install", &reason, "do:  open the way to it"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
    let namespace = place.namespace();
    let parts = ["deployments", "--namespace", &namespace];
    assert!(site.stage.list(&parts).is_empty());
    place.taken_out(&["--keep"]).expect_success();
    place.forget();
}

/// Where a runtime of this name is installed, and by whom.
pub(crate) struct Place<'a> {
    stage: &'a Stage,
    console: &'a Console,
    name: &'static str,
}

impl<'a> Place<'a> {
    pub(crate) fn of(site: &Site<'a>, console: &'a Console, name: &'static str) -> Self {
        let stage = site.stage;
        Self {
            stage,
            console,
            name,
        }
    }

    pub(crate) fn namespace(&self) -> String {
        format!("causeway-{}", self.name)
    }

    /// Runs `install` or `upgrade` with the chart of the repository.
    pub(crate) fn helm(&self, verb: &str, more: &[&str]) -> Finished {
        let mut command = self.command(verb);
        command.arg("--chart").arg(chart("causeway-runtime"));
        if verb == "install" {
            let image = [("repository", REPOSITORY), ("tag", TAG)];
            command.args(image.map(|(key, value)| format!("--set=image.{key}={value}")));
        }
        run(command.args(more))
    }

    pub(crate) fn taken_out(&self, more: &[&str]) -> Finished {
        run(self.command("uninstall").args(more))
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = self.console.command(&["runtime", verb, self.name]);
        let helm = which("helm").expect("without Helm no chart is installed");
        let home = self.stage.folder().join("helm");
        command
            .args(["--yes", "--namespace", &self.namespace(), "--kubeconfig"])
            .arg(self.stage.cluster().kubeconfig())
            .arg("--helm")
            .arg(helm)
            .env("HELM_CACHE_HOME", home.join("cache"))
            .env("HELM_CONFIG_HOME", home.join("config"))
            .env("HELM_DATA_HOME", home.join("data"));
        command
    }

    /// Takes away what the command made beside the release.
    pub(crate) fn forget(&self) {
        let words = ["delete", "namespace", &self.namespace()];
        self.stage.kubectl(&words).expect_success();
    }
}
