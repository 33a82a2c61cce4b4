//! Parts of the runtime.

use std::{fs, path::Path};

use causeway_assertion::development_ca::DevelopmentCa;

use super::{
    Access, Reached,
    part::{PartProcess, Serve},
};

pub(super) struct Started {
    pub(super) parts: Vec<PartProcess>,
    /// URL of its router, if reachable from outside.
    pub(super) url: Option<String>,
}

pub(super) fn start(folder: &Path, reached: &Reached, serve: Serve<'_>) -> Started {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let identity = format!("--runtime-folder={}", folder.join("runtime").display());
    let own = [
        identity.clone(),
        format!("--kubeconfig={}", file("kubeconfig", &reached.kubeconfig)),
    ];
    let token = file("argocd.token", &reached.argocd_token);
    let argocd = [
        format!("--argocd-server={}", reached.argocd_url),
        format!("--argocd-token-file={token}"),
    ];
    let argocd = argocd.into_iter().chain(reached.argocd_flags.clone());
    let argocd: Vec<_> = own.iter().cloned().chain(argocd).collect();
    let source = serve.part("runtime/source-server", argocd.clone());
    let allow = format!("--allow={}", serve.setting.allow);
    let proxy = serve.part("runtime/app-proxy", argocd.into_iter().chain([allow]));
    let upstreams = [&proxy, &source].map(PartProcess::upstream).into_iter();
    let side = [identity.clone(), "--side=runtime".to_owned()];
    let by_ingress = serve.setting.access == Access::Ingress;
    let tls = by_ingress
        .then(|| certificate(folder))
        .into_iter()
        .flatten();
    let flags = upstreams.chain(side).chain(tls);
    let router = serve.part("runtime/request-router", flags);
    let (route, url) = match serve.setting.access {
        Access::Tunnel => (Some(format!("--route=router={}", router.url())), None),
        Access::Ingress => (None, Some(format!("https://{}", router.address()))),
    };
    let client = route.map(|it| serve.part("runtime/tunnel-client", [identity.clone(), it]));
    let reports = format!("--source-server={}", source.url());
    let with_reports = own.iter().cloned().chain([reports]);
    let reporter = serve.part("runtime/application-event-reporter", with_reports);
    let resources = serve.part("runtime/resource-event-reporter", own);
    let parts = [source, proxy, router].into_iter().chain(client);
    let parts = parts.chain([reporter, resources]).collect();
    Started { parts, url }
}

/// Certificate authority of the runtime's router.
pub(super) fn authority(folder: &Path) -> DevelopmentCa {
    DevelopmentCa::open_or_create(&folder.join("ingress")).unwrap()
}

/// Flags of a router with TLS.
fn certificate(folder: &Path) -> [String; 2] {
    causeway_shell::install_crypto();
    let identity = authority(folder).server_identity(&["127.0.0.1"]).unwrap();
    let file = |name: &str, pem: String| {
        let path = folder.join("ingress").join(name);
        fs::write(&path, pem).unwrap();
        path.display().to_string()
    };
    let certificate = file("tls.crt", identity.certificate_pem);
    let key = file("tls.key", identity.key_pem);
    [
        format!("--tls-certificate={certificate}"),
        format!("--tls-key={key}"),
    ]
}
