//! `causeway up --kubeconfig`: on a cluster and an Argo CD that are there already.

use std::{fs, path::Path};

use causeway_sandbox::{Demo, KubeApi, KubeOptions, Sandbox, SandboxOptions};
use causeway_testkit::{run, wait_until_blocking};
use serde_json::json;

use crate::{
    hostile::refused,
    program::{SOON, Up, argocd_url, metric, up_command},
};

/// The flags for the cluster of a kubeconfig and the Argo CD at a URL.
fn flags(kubeconfig: &Path, url: &str, token: &Path) -> Vec<String> {
    let kubeconfig = kubeconfig.display().to_string();
    let token = token.display().to_string();
    let flags = [
        ["--kubeconfig", &kubeconfig],
        ["--context", "sandbox"],
        ["--argocd-namespace", "argocd"],
        ["--argocd-server", url],
        ["--argocd-token-file", &token],
    ];
    flags.concat().into_iter().map(str::to_owned).collect()
}

#[test]
fn cluster_of_another_process_is_managed() {
    let theirs = Up::start();
    let data = theirs.folder.path().join("data");
    let url = argocd_url(theirs.folder.path());
    let token = data.join("argocd.token");
    let mine = Up::start_on(&flags(&theirs.kubeconfig(), &url, &token));
    mine.wait_for_health("guestbook", "HEALTHY");
    let synced = mine.cli(&["app", "sync", "guestbook"]).expect_success();
    assert!(synced.contains("Succeeded"), "{synced}");
    // Whoever starts it on a cluster of their own says first that commands may be run there.
    let exec = ["app", "exec", "guestbook", "--", "true"];
    let refused = mine.cli(&exec);
    assert_eq!(refused.code(), 4, "{refused:?}");
    assert!(refused.stderr.contains("--allow exec"), "{refused:?}");
    theirs.cli(&exec).expect_success();
    let sha = theirs.push(
        "guestbook/deployment.yaml",
        |text| text.replace("replicas: 2", "replicas: 3"),
        "Seen by both",
    );
    for up in [&theirs, &mine] {
        up.wait_for("guestbook", "at the commit", |application| {
            application["status"]["sync"]["revisions"][0] == sha.as_str()
        });
    }
    let finished = mine.cli(&["status"]);
    assert_eq!(finished.code(), 0, "{finished:?}");
}

#[test]
fn an_argo_cd_that_refuses_or_does_not_answer_is_named_before_anything_starts() {
    let theirs = Up::start();
    let url = argocd_url(theirs.folder.path());
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("wrong.token");
    fs::write(&token, "wrong").unwrap();
    let refuse = |flags: &[String], words: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        refused(&run(up_command(folder.path()).args(flags)), words);
    };
    let wrong = flags(&theirs.kubeconfig(), &url, &token);
    refuse(&wrong, &["refused the token", "--argocd-token-file", &url]);
    let absent = folder.path().join("absent");
    let absent = flags(&theirs.kubeconfig(), &url, &absent);
    refuse(&absent, &["cannot read --argocd-token-file", "absent"]);
    let nobody = flags(&theirs.kubeconfig(), "http://127.0.0.1:1", &token);
    refuse(
        &nobody,
        &["Argo CD at http://127.0.0.1:1", "--argocd-server"],
    );
    let mut context = flags(&theirs.kubeconfig(), &url, &token);
    context[3] = "elsewhere".to_owned();
    refuse(&context, &["--kubeconfig", "elsewhere"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_without_argo_cd_is_named_before_anything_starts() {
    let kube = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/applications.argoproj.io";
    let delete = http::Request::delete(path).body(Vec::new()).unwrap();
    kube.client().request_text(delete).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    fs::write(&kubeconfig, kube.kubeconfig()).unwrap();
    let finished = tokio::task::block_in_place(|| {
        let mut command = up_command(folder.path());
        run(command.arg("--kubeconfig").arg(&kubeconfig))
    });
    refused(
        &finished,
        &["applications.argoproj.io", "install Argo CD", "--context"],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_application_is_skipped_counted_and_named() {
    let options = SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    };
    let sandbox = Sandbox::start(options).await.unwrap();
    let malformed = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"namespace": "argocd", "name": "garbled"},
        "spec": {"project": "default", "sources": "none"},
    });
    sandbox
        .kube()
        .write_raw("applications.argoproj.io", malformed)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (kubeconfig, token) = (
        folder.path().join("kubeconfig"),
        folder.path().join("token"),
    );
    fs::write(&kubeconfig, sandbox.kubeconfig()).unwrap();
    fs::write(&token, sandbox.argocd_token()).unwrap();
    let flags = flags(&kubeconfig, &sandbox.argocd_url(), &token);
    let (up, admin) = tokio::task::block_in_place(|| {
        let (up, admin) = Up::start_measured(&flags);
        up.wait_for_health("guestbook", "HEALTHY");
        wait_until_blocking("the notice", SOON, || {
            let status = up.cli(&["status"]).stdout;
            let told = status.contains("argocd/garbled") && status.contains("cannot read 1 of");
            told.then_some(()).ok_or(status)
        });
        let listed = up.cli(&["app", "list"]).expect_success();
        assert!(!listed.contains("garbled"), "{listed}");
        (up, admin)
    });
    assert_eq!(
        metric(&admin, "causeway_reporter_objects_unread").await,
        Some(1.0)
    );
    let remove = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/garbled";
    let remove = http::Request::delete(remove).body(Vec::new()).unwrap();
    sandbox.kube().client().request_text(remove).await.unwrap();
    tokio::task::block_in_place(|| {
        wait_until_blocking("the end of the notice", SOON, || {
            let status = up.cli(&["status"]).stdout;
            let told = status.contains("garbled");
            (!told).then_some(()).ok_or(status)
        });
    });
}
