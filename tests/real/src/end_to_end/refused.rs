//! What is wrong is said in one line, with what to do.

use causeway_cluster::Cluster;

use crate::{
    clusters::shared,
    stage::is_possible,
    trial::{Trial, cluster_only, the_error, with_token},
};

#[test]
fn unknown_argo_cd_token_error_names_the_flag() {
    let Some(shared) = shared() else { return };
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "eyJhbGciOiJIUzI1NiJ9.e30.AAAA").unwrap();
    let mut argocd = shared.plain().clone();
    argocd.admin_token_file = token.path().to_owned();
    let flags = with_token(&shared.kubeconfig(), &argocd);
    let error = the_error(&Trial::refused(&flags));
    assert!(error.contains("refused the token"), "{error}");
    assert!(error.contains("--argocd-token-file"), "{error}");
}

#[test]
fn missing_argo_cd_root_path_error_names_the_flag() {
    let Some(shared) = shared() else { return };
    let mut argocd = shared.secured().clone();
    argocd.url.set_path("");
    let flags = with_token(&shared.kubeconfig(), &argocd);
    let error = the_error(&Trial::refused(&flags));
    assert!(error.contains("--argocd-server"), "{error}");
}

#[test]
fn untrusted_certificate_error_names_the_flag() {
    let Some(shared) = shared() else { return };
    let mut argocd = shared.secured().clone();
    argocd.ca_file = None;
    let flags = with_token(&shared.kubeconfig(), &argocd);
    let error = the_error(&Trial::refused(&flags));
    assert!(error.contains("--argocd-ca-file"), "{error}");
}

#[test]
fn cluster_without_argo_cd_fails_before_start() {
    if !is_possible() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cluster = runtime.block_on(Cluster::minimal()).unwrap();
    let error = the_error(&Trial::refused(&cluster_only(cluster.kubeconfig())));
    assert!(error.contains("applications.argoproj.io"), "{error}");
    assert!(error.contains("install Argo CD"), "{error}");
    runtime.block_on(cluster.stop());
}
