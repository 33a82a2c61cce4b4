//! The source server before a stand-in Argo CD, called as its server calls it.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod counted;
#[cfg(test)]
mod questions;

#[cfg(test)]
use std::{fs, path::Path};

#[cfg(test)]
use causeway_argocd::{Argocd, ArgocdArgs, Cluster};
#[cfg(test)]
use causeway_proto::source::v1 as pb;
#[cfg(test)]
use causeway_sandbox::KubeApi;
#[cfg(test)]
use causeway_source_server::{Handler, Limits, Source};

/// A handler on an Argo CD; without a token where there is none.
#[cfg(test)]
fn handler(kube: &KubeApi, url: &str, token: Option<(&Path, &str)>) -> Handler {
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
    Handler::new(Source::new(argocd, Limits::with_cache(1 << 20)))
}

#[cfg(test)]
fn key(name: &str) -> Option<pb::ApplicationKey> {
    Some(pb::ApplicationKey {
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        project: "default".to_owned(),
    })
}

#[cfg(test)]
fn tree(name: &str, state: &str) -> tonic::Request<pb::GetResourceTreeRequest> {
    tonic::Request::new(pb::GetResourceTreeRequest {
        application: key(name),
        state_key: state.to_owned(),
    })
}
