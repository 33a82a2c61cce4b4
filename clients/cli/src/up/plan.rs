//! The flags of each part, exactly as separate processes would be given them.

use std::{net::SocketAddr, path::Path};

use super::{folder::Folder, target::Target};

/// The webhook route of the runtime.
pub(super) const WEBHOOK_ROUTE: &str = "gitea";

/// Where the parts of the platform listen.
#[derive(Debug, Clone)]
pub(super) struct PlatformAddresses {
    pub(super) router: SocketAddr,
    pub(super) tunnel: SocketAddr,
    pub(super) platform: SocketAddr,
    pub(super) inventory: SocketAddr,
    pub(super) tunnel_server: SocketAddr,
}

/// Where the parts of the runtime listen.
#[derive(Debug, Clone)]
pub(super) struct RuntimeAddresses {
    pub(super) source_server: SocketAddr,
    pub(super) app_proxy: SocketAddr,
    pub(super) event_source: SocketAddr,
    pub(super) router: SocketAddr,
}

pub(super) struct PlatformPlan<'a> {
    pub(super) addresses: PlatformAddresses,
    pub(super) folder: &'a Folder,
    pub(super) tunnel_ca: &'a Path,
}

pub(super) struct RuntimePlan<'a> {
    pub(super) addresses: RuntimeAddresses,
    pub(super) folder: &'a Folder,
}

impl PlatformPlan<'_> {
    /// The address for users.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.addresses.router)
    }

    pub(super) fn tunnel_url(&self) -> String {
        format!("wss://{}/tunnel/v1", self.addresses.tunnel)
    }

    pub(super) fn platform(&self) -> Vec<String> {
        let mut flags = part("platform");
        flag(&mut flags, "--data", self.folder.platform().display());
        flag(&mut flags, "--tunnel-url", self.tunnel_url());
        flag(&mut flags, "--tunnel-ca", self.tunnel_ca.display());
        flag(
            &mut flags,
            "--admin-key-file",
            self.folder.admin_key().display(),
        );
        flags.push("--loopback-issuers".to_owned());
        flags
    }

    pub(super) fn inventory(&self) -> Vec<String> {
        let mut flags = self.part("inventory");
        flag(&mut flags, "--data", self.folder.inventory().display());
        flags
    }

    pub(super) fn tunnel_server(&self) -> Vec<String> {
        let mut flags = self.part("tunnel-server");
        flag(&mut flags, "--data", self.folder.tunnel_server().display());
        flag(&mut flags, "--tunnel-listen", self.addresses.tunnel);
        flags
    }

    pub(super) fn router(&self) -> Vec<String> {
        let mut flags = self.part("request-router");
        flag(&mut flags, "--side", "platform");
        let addresses = &self.addresses;
        upstream(&mut flags, "platform", addresses.platform);
        upstream(&mut flags, "inventory", addresses.inventory);
        upstream(&mut flags, "tunnel-server", addresses.tunnel_server);
        flags
    }

    fn part(&self, name: &str) -> Vec<String> {
        let mut flags = part(name);
        flag(
            &mut flags,
            "--platform-url",
            format!("http://{}", self.addresses.platform),
        );
        flag(
            &mut flags,
            "--part-issuer-key",
            self.folder.part_issuer_key().display(),
        );
        flags
    }
}

impl RuntimePlan<'_> {
    pub(super) fn source_server(&self, target: &Target) -> Vec<String> {
        let mut flags = self.part("source-server");
        target.cluster_flags(&mut flags);
        target.argocd_flags(&mut flags);
        flags
    }

    pub(super) fn app_proxy(&self, target: &Target) -> Vec<String> {
        let mut flags = self.part("app-proxy");
        target.app_proxy_flags(&mut flags);
        flag(&mut flags, "--git-folder", self.folder.git().display());
        flags
    }

    /// With one webhook route, whose secret is in the data folder.
    pub(super) fn event_source(&self, target: &Target) -> Vec<String> {
        let mut flags = self.part("event-source");
        target.cluster_flags(&mut flags);
        let folder = self.folder;
        flag(&mut flags, "--data", folder.event_source().display());
        flag(
            &mut flags,
            "--webhook-route",
            format!("{WEBHOOK_ROUTE}=gitea"),
        );
        flag(&mut flags, "--webhook-secrets", folder.webhooks().display());
        flag(&mut flags, "--allow-webhook", "replay,test");
        flags
    }

    pub(super) fn router(&self) -> Vec<String> {
        let mut flags = self.part("request-router");
        flag(&mut flags, "--side", "runtime");
        upstream(&mut flags, "app-proxy", self.addresses.app_proxy);
        upstream(&mut flags, "event-source", self.addresses.event_source);
        upstream(&mut flags, "source-server", self.addresses.source_server);
        flags
    }

    pub(super) fn tunnel_client(&self) -> Vec<String> {
        let mut flags = self.part("tunnel-client");
        flag(
            &mut flags,
            "--route",
            format!("router=http://{}", self.addresses.router),
        );
        flags
    }

    pub(super) fn reporter(&self, target: &Target) -> Vec<String> {
        let mut flags = self.part("application-event-reporter");
        target.cluster_flags(&mut flags);
        target.namespace_flag(&mut flags);
        flag(
            &mut flags,
            "--source-server",
            format!("http://{}", self.addresses.source_server),
        );
        flags
    }

    pub(super) fn resource_reporter(&self, target: &Target) -> Vec<String> {
        let mut flags = self.part("resource-event-reporter");
        target.cluster_flags(&mut flags);
        target.namespace_flag(&mut flags);
        flags
    }

    pub(super) fn gitops_operator(&self, target: &Target) -> Vec<String> {
        let mut flags = self.part("gitops-operator");
        target.cluster_flags(&mut flags);
        target.namespace_flag(&mut flags);
        flags
    }

    fn part(&self, name: &str) -> Vec<String> {
        let mut flags = part(name);
        flag(
            &mut flags,
            "--runtime-folder",
            self.folder.runtime().display(),
        );
        flags
    }
}

fn part(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

fn upstream(flags: &mut Vec<String>, name: &str, address: SocketAddr) {
    flag(flags, "--upstream", format!("{name}=http://{address}"));
}

/// Adds a flag and its value.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build the value in place"
)]
pub(super) fn flag(flags: &mut Vec<String>, name: &str, value: impl ToString) {
    flags.extend([name.to_owned(), value.to_string()]);
}
