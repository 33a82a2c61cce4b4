//! What the Argo CD of the sandbox answers, and what it refuses.

use std::time::Duration;

use causeway_client::reason;
use causeway_proto::{
    error::v1::Reason,
    source::v1::{self as pb, source_service_server::SourceService as _},
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::wait_until;
use serde_json::json;
use tonic::{Code, Request};

use crate::stage::{handler, key, tree};

const MAP: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {a: '1'}\n";

/// A sandbox with an application `web`, and the commit that it is at.
async fn stage() -> (Sandbox, String) {
    causeway_shell::install_crypto();
    let sandbox = Sandbox::start(SandboxOptions::in_memory()).await.unwrap();
    let commit = sandbox
        .push("apps", &[("web/a.yaml", MAP)], "the message")
        .await
        .unwrap();
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"namespace": "argocd", "name": "web"},
        "spec": {
            "project": "default",
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "source": {"repoURL": sandbox.git_url("apps"), "path": "web", "targetRevision": "main"},
            "syncPolicy": {"automated": {}},
        },
    });
    sandbox
        .kube()
        .write_raw("applications.argoproj.io", object)
        .unwrap();
    wait_until("synced", Duration::from_secs(120), async || {
        let truth = sandbox.kube().snapshot();
        let web = &truth.find("Application", "argocd", "web").unwrap().object;
        let synced = web["status"]["sync"]["status"] == "Synced";
        if synced { Ok(()) } else { Err(web.to_string()) }
    })
    .await;
    (sandbox, commit)
}

fn revision(revision: &str, repository: &str) -> Request<pb::GetRevisionMetadataRequest> {
    Request::new(pb::GetRevisionMetadataRequest {
        application: key("web"),
        revision: revision.to_owned(),
        source_index: 0,
        repository_url: repository.to_owned(),
    })
}

#[tokio::test]
async fn tree_manifests_and_commit_are_answered() {
    let (sandbox, commit) = stage().await;
    let folder = tempfile::tempdir().unwrap();
    let token = Some((folder.path(), sandbox.argocd_token()));
    let handler = handler(sandbox.kube(), &sandbox.argocd_url(), token);
    let nodes = handler
        .get_resource_tree(tree("web", "1"))
        .await
        .unwrap()
        .into_inner()
        .nodes;
    assert_eq!(
        (nodes[0].kind.as_str(), nodes[0].name.as_str()),
        ("ConfigMap", "a")
    );
    assert!(!nodes[0].uid.is_empty() && nodes[0].created_at.is_some());
    let request = pb::GetManagedResourcesRequest {
        application: key("web"),
        state_key: "1".to_owned(),
    };
    let managed = handler
        .get_managed_resources(Request::new(request))
        .await
        .unwrap();
    let managed = managed.into_inner().resources;
    assert!(
        managed[0].live_json.contains("ConfigMap") && managed[0].desired_json.contains("ConfigMap")
    );
    let metadata = handler
        .get_revision_metadata(revision(&commit, "http://127.0.0.1:3000/a/b"))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(metadata.message.trim(), "the message");
    assert!(metadata.author.contains('<') && metadata.committed_at.is_some());
    let page = format!("http://127.0.0.1:3000/a/b/commit/{commit}");
    assert_eq!((metadata.url, metadata.avatar_url), (page, String::new()));
}

#[tokio::test]
async fn what_argo_cd_does_not_know_is_not_found() {
    let (sandbox, _) = stage().await;
    let folder = tempfile::tempdir().unwrap();
    let token = Some((folder.path(), sandbox.argocd_token()));
    let handler = handler(sandbox.kube(), &sandbox.argocd_url(), token);
    let unknown = handler
        .get_resource_tree(tree("nobody", "1"))
        .await
        .unwrap_err();
    assert_eq!(
        (unknown.code(), reason(&unknown)),
        (Code::NotFound, Some(Reason::ApplicationUnknown))
    );
    let unknown = handler
        .get_revision_metadata(revision(&"0".repeat(40), ""))
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound, "{unknown}");
}

#[tokio::test]
async fn without_a_token_and_with_a_wrong_one_the_precondition_is_named() {
    let (sandbox, _) = stage().await;
    let url = sandbox.argocd_url();
    let folder = tempfile::tempdir().unwrap();
    for (token, words) in [
        (None, "give --argocd-server and --argocd-token-file"),
        (Some((folder.path(), "wrong")), "refused the token"),
    ] {
        let handler = handler(sandbox.kube(), &url, token);
        let refused = handler
            .get_resource_tree(tree("web", "1"))
            .await
            .unwrap_err();
        let reason = reason(&refused);
        assert_eq!(
            (refused.code(), reason),
            (Code::FailedPrecondition, Some(Reason::ArgocdTokenRefused))
        );
        assert!(refused.message().contains(words), "{refused}");
    }
}

#[tokio::test]
async fn a_request_that_names_nothing_is_refused() {
    let (sandbox, _) = stage().await;
    let handler = handler(sandbox.kube(), &sandbox.argocd_url(), None);
    for request in [tree("", "1"), tree("web", "")] {
        let wrong = handler.get_resource_tree(request).await.unwrap_err();
        assert_eq!(
            (wrong.code(), reason(&wrong)),
            (Code::InvalidArgument, Some(Reason::FieldInvalid))
        );
    }
}
