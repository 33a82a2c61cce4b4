//! An Argo CD stand-in: the application controller and the REST API of 3.5, as far as Causeway uses them.
//!
//! Owns: what an Application's status says, when a sync starts, what it applies and prunes.
//! Never: talks to Kubernetes but through `kube::Client`, or lets one bad Application stop the others.

mod application;
mod automation;
mod cluster;
mod compare;
mod controller;
mod events;
mod health;
mod live;
mod manifest;
mod operation;
mod origin;
mod plan;
mod predict;
mod queue;
mod reconcile;
mod render;
mod rest;
mod source;
mod status;
mod token;
mod tree;

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use kube::Client;

use self::{
    controller::{Controller, ControllerOptions},
    rest::Server,
};
use crate::git::GitServer;

/// Options of the Argo CD stand-in.
pub struct ArgocdOptions {
    /// where the REST API listens
    pub listen: SocketAddr,
    pub client: Client,
    pub git: Arc<GitServer>,
    /// the token, and mirrors of repositories elsewhere
    pub folder: PathBuf,
    /// Argo CD's own namespace
    pub namespace: String,
}

/// Failure to start the Argo CD stand-in.
#[derive(Debug, thiserror::Error)]
pub enum ArgocdError {
    #[error("cannot listen on {address}: {source}; give another address with --argocd-listen")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("cannot use the folder {}: {source}; give a folder that this user may write", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("Argo CD cannot use the cluster: {0}")]
    Cluster(String),
}

/// A running Argo CD. Stops when dropped.
pub struct Argocd {
    controller: Controller,
    server: Server,
    token: String,
}

impl Argocd {
    pub async fn start(options: ArgocdOptions) -> Result<Self, ArgocdError> {
        let unusable = |source| ArgocdError::Folder {
            path: options.folder.clone(),
            source,
        };
        let token = token::load(&options.folder).map_err(unusable)?;
        let listener = rest::bind(options.listen).await?;
        let controller = Controller::start(ControllerOptions {
            client: options.client,
            git: options.git,
            mirrors: options.folder.join("mirrors"),
            namespace: options.namespace,
        });
        let controller = controller
            .await
            .map_err(|error| ArgocdError::Cluster(error.to_string()))?;
        let server = Server::start(listener, controller.reconciler(), &token)?;
        Ok(Self {
            controller,
            server,
            token,
        })
    }

    /// `http://ADDRESS`
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Bearer token of the REST API.
    pub fn token(&self) -> &str {
        &self.token
    }

    pub async fn stop(&self) {
        self.server.stop().await;
        self.controller.stop().await;
    }
}
