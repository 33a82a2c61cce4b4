//! Bad input: one line that says what is wrong and what to do, and an exit code that is not 0.

use std::{fs, net::TcpListener};

use causeway_testkit::{Finished, run};

use crate::program::{Up, up_command, up_command_on};

pub(crate) fn refused(finished: &Finished, words: &[&str]) {
    assert_ne!(finished.code(), 0, "{finished:?}");
    let errors: Vec<_> = finished
        .stderr
        .lines()
        .filter(|line| line.starts_with("error:"))
        .collect();
    assert_eq!(errors.len(), 1, "{finished:?}");
    assert!(
        words.iter().all(|word| errors[0].contains(word)),
        "{words:?} are not all in {}",
        errors[0]
    );
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}

#[test]
fn port_in_use_error_names_the_flag() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for flag in [
        "--listen",
        "--tunnel-listen",
        "--kube-listen",
        "--git-listen",
        "--argocd-listen",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = up_command(folder.path());
        let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        let mut again = std::process::Command::new(command.get_program());
        let mut replace = false;
        for argument in arguments {
            again.arg(if replace {
                address.clone().into()
            } else {
                argument.clone()
            });
            replace = argument == flag;
        }
        command = again;
        refused(&run(&mut command), &[flag, &address]);
    }
}

#[test]
fn folders_in_use_and_of_newer_versions_are_not_touched() {
    let up = Up::start();
    let other = tempfile::tempdir().unwrap();
    let mut command = up_command_on(other.path(), &up.folder.path().join("data"));
    refused(&run(&mut command), &["--data", "another causeway"]);
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("data/format"), "999").unwrap();
    refused(
        &run(&mut up_command(folder.path())),
        &["newer version", "update"],
    );
}

#[test]
fn errors_distinguish_wrong_key_unknown_application_and_dead_address() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let wrong = up.folder.path().join("wrong.key");
    fs::write(&wrong, "cwk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    let finished = up.cli(&["app", "list", "--api-key-file", wrong.to_str().unwrap()]);
    refused(&finished, &["key"]);
    assert_eq!(finished.code(), 4);
    let finished = up.cli(&["app", "get", "guestbok"]);
    refused(&finished, &["guestbok", "did you mean guestbook"]);
    let dead = ["app", "list", "--address", "http://127.0.0.1:1"];
    let finished = up.cli(&dead);
    refused(&finished, &["causeway login"]);
    assert_eq!(
        finished.code(),
        4,
        "the context's key is for its own address"
    );
    let named = ["--api-key-file", wrong.to_str().unwrap()];
    let finished = up.cli(&[&dead[..], &named].concat());
    refused(&finished, &["127.0.0.1:1"]);
    assert_eq!(finished.code(), 5);
}

#[test]
fn unusable_kubeconfig_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nowhere");
    let mut command = up_command(folder.path());
    command.arg("--kubeconfig").arg(&missing);
    refused(&run(&mut command), &["--kubeconfig", "nowhere"]);
    let silent = folder.path().join("silent");
    fs::write(&silent, SILENT).unwrap();
    let other = tempfile::tempdir().unwrap();
    let mut command = up_command(other.path());
    command.arg("--kubeconfig").arg(&silent);
    refused(&run(&mut command), &["127.0.0.1:1"]);
}

#[test]
fn a_join_token_works_once() {
    let up = Up::start();
    let token = up.cli(&["runtime", "token", "second"]).expect_success();
    let file = up.folder.path().join("token");
    fs::write(&file, token).unwrap();
    let join = |name: &str| {
        let runtime = up.folder.path().join(name);
        let arguments = ["join", "--platform-url", &up.address, "--join-token-file"];
        let mut command = up.cli_command(&arguments);
        command.arg(&file).arg("--runtime-folder").arg(runtime);
        run(&mut command)
    };
    assert!(join("one").expect_success().contains("joined as second"));
    refused(&join("two"), &["token", "used"]);
}

const SILENT: &str = r"
apiVersion: v1
kind: Config
current-context: silent
contexts: [{name: silent, context: {cluster: silent, user: silent}}]
clusters: [{name: silent, cluster: {server: 'http://127.0.0.1:1'}}]
users: [{name: silent, user: {}}]
";
