//! What the tests begin with: a handler, and what they ask it.

use std::{fs, path::Path};

use causeway_argocd::{Argocd, ArgocdArgs, Cluster, redact::Redactor};
use causeway_proto::source::v1 as pb;
use causeway_sandbox::KubeApi;
use causeway_source_server::{GitHosts, Handler, Limits, Source};

/// A handler on an Argo CD; without a token where there is none.
pub(crate) fn handler(kube: &KubeApi, url: &str, token: Option<(&Path, &str)>) -> Handler {
    let token_file = token.map(|(folder, token)| {
        let file = folder.join("token");
        fs::write(&file, token).unwrap();
        file
    });
    let args = ArgocdArgs {
        argocd_server: Some(url.parse().unwrap()),
        argocd_token_file: token_file,
        ..ArgocdArgs::default()
    };
    let cluster = Cluster::with_client(kube.client(), "the stage");
    let argocd = Argocd::open(&args, &cluster).unwrap();
    let redactor = Redactor::new(b"a key");
    let source = Source::new(argocd, Limits::with_cache(1 << 20), redactor);
    Handler::new(
        source,
        GitHosts::new(vec!["127.0.0.1=gitea".parse().unwrap()]),
    )
}

pub(crate) fn key(name: &str) -> Option<pb::ApplicationKey> {
    Some(pb::ApplicationKey {
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        project: "default".to_owned(),
    })
}

pub(crate) fn tree(name: &str, state: &str) -> tonic::Request<pb::GetResourceTreeRequest> {
    tonic::Request::new(pb::GetResourceTreeRequest {
        application: key(name),
        state_key: state.to_owned(),
    })
}
