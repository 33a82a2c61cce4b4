//! `causeway runtime install` up to a runtime that is online, with a program in the place of helm that notes what it is asked.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_proto::platform::v1::CreateJoinTokenRequest;
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Child, Finished, Mesh, binary, new_id, run, wait_until};
use serde_json::Value;

use crate::program::SOON;

const HELM: &str = r#"#!/bin/sh
folder=$(dirname "$0")
case $1 in
    version) echo v3.16.2 ;;
    *) echo "$@" >"$folder/arguments.new" && cat >"$folder/values" && mv "$folder/arguments.new" "$folder/arguments" ;;
esac
"#;

struct Installer {
    mesh: Mesh,
    folder: PathBuf,
}

impl Installer {
    async fn start() -> Self {
        let mesh = Mesh::start(SandboxOptions::in_memory()).await;
        let folder = mesh.folder().join("helm");
        fs::create_dir(&folder).unwrap();
        let program = folder.join("helm");
        fs::write(&program, HELM).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { mesh, folder }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.arg("runtime").args(words);
        command.arg("--helm").arg(self.folder.join("helm"));
        command.args(["--yes", "--address", &self.mesh.router.url()]);
        let key = Path::new("platform/admin.key");
        command
            .arg("--api-key-file")
            .arg(self.mesh.folder().join(key));
        command
    }

    fn finished(&self, words: &[&str]) -> Finished {
        tokio::task::block_in_place(|| run(&mut self.command(words)))
    }

    /// What is found before an installation of `west` with a token: by check, its result.
    fn preflight(&self, token: &str) -> (i32, BTreeMap<String, String>) {
        let file = |name: &str, text: &str| {
            let path = self.folder.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let mut command = Command::new(binary());
        command.args([
            "preflight",
            "-o",
            "json",
            "--name",
            "west",
            "--within",
            "10m",
        ]);
        command.args(["--platform-url", &self.mesh.router.url()]);
        command.arg("--kubeconfig");
        command.arg(file("kubeconfig", &self.mesh.sandbox().kubeconfig()));
        command.arg("--join-token-file").arg(file("token", token));
        let found = tokio::task::block_in_place(|| run(&mut command));
        let told: Value = serde_json::from_str(&found.stdout).unwrap();
        let findings = told["findings"].as_array().unwrap().iter();
        let text = |it: &Value, field: &str| it[field].as_str().unwrap().to_owned();
        let findings = findings.map(|it| (text(it, "check"), text(it, "result")));
        (found.code(), findings.collect())
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.folder.join("arguments")).unwrap_or_default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runtime_is_installed_until_online_and_uninstalled() {
    let installer = Installer::start().await;
    let words = [
        "install",
        "west",
        "--skip-preflight",
        "--wait=10m",
        "--namespace=edge",
    ];
    let mut installing = Child::start(&mut installer.command(&words));
    let asked = wait_until("helm is asked", SOON, async || match installer.asked() {
        asked if asked.is_empty() => Err("not yet".to_owned()),
        asked => Ok(asked),
    })
    .await;
    assert!(
        asked.starts_with("upgrade --namespace edge west "),
        "{asked}"
    );
    assert!(!asked.contains("cwj_"), "{asked}");
    let values = fs::read(installer.folder.join("values")).unwrap();
    let values: Value = serde_json::from_slice(&values).unwrap();
    let token = values["joinToken"]["value"].as_str().unwrap();
    assert!(token.starts_with("cwj_"), "{values}");
    assert_eq!(values["platform"]["url"], installer.mesh.router.url());
    // What helm would have brought.
    let west = installer
        .mesh
        .join("west", SandboxOptions::in_memory())
        .await;
    let status = tokio::task::block_in_place(|| installing.wait(SOON));
    let said = installing.lines().join("\n");
    assert!(status.success(), "{said}");
    assert!(said.contains("west: online, with "), "{said}");
    assert!(said.contains("tunnel-client"), "{said}");

    let gone = installer.finished(&["uninstall", "west", "--namespace=edge"]);
    gone.expect_success();
    assert!(
        installer
            .asked()
            .starts_with("uninstall --namespace edge west ")
    );
    west.stop().await;
    installer.mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_prerequisites_are_reported_without_using_the_token() {
    let installer = Installer::start().await;
    let request = CreateJoinTokenRequest {
        runtime: "west".to_owned(),
        request_id: new_id(),
    };
    let made = installer.mesh.runtimes().create_join_token(request).await;
    let token = made.unwrap().into_inner().token;
    for _ in 0..2 {
        let (code, found) = installer.preflight(&token);
        assert_eq!(code, 0, "{found:?}");
        for check in [
            "cluster",
            "permissions",
            "platform",
            "join-token",
            "name",
            "access",
        ] {
            assert_eq!(found[check], "ok", "{found:?}");
        }
    }
    let (code, found) = installer.preflight("cwj_of_somebody_else");
    assert_eq!(code, 1, "{found:?}");
    assert_eq!(found["join-token"], "fail");
    assert_eq!(found["platform"], "ok");
    installer.mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_installation_ends_with_the_reason() {
    let installer = Installer::start().await;
    let words = ["install", "north", "--skip-preflight", "--wait=1s"];
    let late = installer.finished(&words);
    assert_eq!(late.code(), 5, "{late:?}");
    let told = "north is not online after 1s: it has not joined";
    assert!(late.stderr.contains(told), "{}", late.stderr);
    installer.mesh.stop().await;
}
