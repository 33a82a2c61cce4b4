//! The values of the chart that answers come to; what is as the chart has it is left out.

use anyhow::{Context as _, bail};
use causeway_proto::ids::RuntimeName;
use serde_json::{Value, json};

use super::ChosenArgs;
use crate::preflight::{Access, InstallationArgs};

/// Choices of the installation.
pub(super) struct InstallChoices<'a> {
    pub(super) name: &'a RuntimeName,
    /// The platform's address as the runtime reaches it.
    pub(super) platform: &'a str,
    pub(super) chosen: &'a ChosenArgs,
    pub(super) install: &'a InstallationArgs,
    /// True if the chart's Job looks first.
    pub(super) preflight: bool,
}

const USUAL: [&str; 3] = ["read", "sync", "refresh"];

impl InstallChoices<'_> {
    /// All but the join token.
    pub(super) fn values(&self) -> anyhow::Result<Value> {
        let (chosen, install) = (self.chosen, self.install);
        let mut values = json!({"platform": {"url": self.platform}});
        if self.platform.starts_with("http://") {
            values["platform"]["plaintext"] = json!(true);
        }
        if !install.scope_namespaces.is_empty() {
            values["scope"] = json!({"mode": "namespaced", "namespaces": install.scope_namespaces});
        }
        if let Some(namespace) = &install.argocd_namespace {
            values["argocd"]["namespace"] = json!(namespace);
        }
        if let Some(secret) = &chosen.argocd_token_secret {
            values["argocd"]["token"]["existingSecret"] = json!(secret);
        }
        if install.new_argocd {
            values["argo-cd"]["enabled"] = json!(true);
        }
        if install.access != Access::Tunnel {
            values["access"] = self.access()?;
        }
        if chosen.high_availability {
            values["highAvailability"] = json!(true);
        }
        if install.allow != USUAL {
            values["app-proxy"]["allow"] = json!(install.allow);
        }
        match (&chosen.ca_secret, &install.platform_ca_file) {
            (Some(secret), _) => values["ca"]["existingSecret"] = json!(secret),
            (None, Some(file)) => bail!(
                "--platform-ca-file: the runtime needs the certificates too; make a Secret by 'kubectl create secret generic causeway-ca -n {} --from-file=ca.crt={}', and give --ca-secret causeway-ca",
                install.namespace,
                file.display()
            ),
            (None, None) => {}
        }
        if !self.preflight {
            values["preflight"]["enabled"] = json!(false);
        }
        if let Some(proxy) = &chosen.proxy {
            values["proxy"]["url"] = json!(proxy);
        }
        Ok(values)
    }

    fn access(&self) -> anyhow::Result<Value> {
        let (chosen, install) = (self.chosen, self.install);
        Ok(match install.access {
            Access::Tunnel => json!({"mode": "tunnel"}),
            Access::Url => json!({"mode": "url", "url": chosen.access_url}),
            Access::Ingress => {
                let mut ingress = json!({"host": chosen.host, "tlsSecret": chosen.tls_secret});
                if let Some(class) = &install.ingress_class {
                    ingress["className"] = json!(class);
                }
                json!({"mode": "ingress", "ingress": ingress})
            }
            Access::HttpRoute => {
                let gateway = install.gateway.as_deref().unwrap_or_default();
                let (namespace, name) = gateway
                    .split_once('/')
                    .context("--gateway: write it as NAMESPACE/NAME")?;
                let parent = json!({"namespace": namespace, "name": name});
                json!({"mode": "httpRoute", "httpRoute": {"parentRefs": [parent], "hostnames": [chosen.host]}})
            }
        })
    }
}
