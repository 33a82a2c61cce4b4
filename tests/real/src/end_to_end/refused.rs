//! What is wrong is said in one line, with what to do.

use causeway_cluster::Cluster;

use crate::{
    clusters::shared,
    stage::is_possible,
    trial::{Trial, cluster_only, the_error, with_token},
};

#[test]
fn a_token_that_argo_cd_does_not_know_is_told_with_the_flag() {
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
fn an_address_without_the_root_path_of_argo_cd_is_told_with_the_flag() {
    let Some(shared) = shared() else { return };
    let mut argocd = shared.secured().clone();
    argocd.url.set_path("");
    let flags = with_token(&shared.kubeconfig(), &argocd);
    let error = the_error(&Trial::refused(&flags));
    assert!(error.contains("--argocd-server"), "{error}");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_told_with_the_flag() {
    let Some(shared) = shared() else { return };
    let mut argocd = shared.secured().clone();
    argocd.ca_file = None;
    let flags = with_token(&shared.kubeconfig(), &argocd);
    let error = the_error(&Trial::refused(&flags));
    assert!(error.contains("--argocd-ca-file"), "{error}");
}

#[test]
fn a_cluster_without_argo_cd_is_told_before_anything_starts() {
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
