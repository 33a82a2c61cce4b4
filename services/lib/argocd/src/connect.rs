//! Connects to the cluster that the flags select.

use std::time::Duration;

use kube::{
    Client, Config,
    client::ClientBuilder,
    config::{KubeConfigOptions, Kubeconfig, KubeconfigError},
};

use crate::{ClusterError, KubeArgs, error::root_cause, trace::TraceCluster};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Position of this process relative to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Inside,
    Outside,
}

/// API server of a loaded configuration.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) location: Location,
}

/// Builds a client from the current kubeconfig, running its credential plugin if it has one.
pub(crate) async fn connect(args: &KubeArgs) -> Result<(Client, Endpoint), ClusterError> {
    let (mut config, location) = load_config(args).await?;
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    let url = config.cluster_url.to_string();
    let url = url.trim_end_matches('/').to_owned();
    let not_configured = |cause: String| ClusterError::NotConfigured { cause };
    // An exec plugin blocks while it runs, so the client is not built on a worker of the runtime.
    let built = tokio::task::spawn_blocking(move || build_client(config)).await;
    let built = built.map_err(|error| not_configured(error.to_string()))?;
    let client = built.map_err(|error| not_configured(root_cause(&error)))?;
    Ok((client, Endpoint { url, location }))
}

fn build_client(config: Config) -> kube::Result<Client> {
    let client = ClientBuilder::try_from(config)?;
    Ok(client.with_layer(&TraceCluster).build())
}

async fn load_config(args: &KubeArgs) -> Result<(Config, Location), ClusterError> {
    let options = KubeConfigOptions {
        context: args.context.clone(),
        ..KubeConfigOptions::default()
    };
    if let Some(file) = &args.kubeconfig {
        let unusable = |error: KubeconfigError| ClusterError::Kubeconfig {
            file: file.clone(),
            cause: error.to_string(),
        };
        let read = Kubeconfig::read_from(file).map_err(unusable)?;
        let config = Config::from_custom_kubeconfig(read, &options).await;
        return Ok((config.map_err(unusable)?, Location::Outside));
    }
    // A named context can only be of a kubeconfig: the service account in the pod has none.
    if args.context.is_none()
        && let Ok(config) = Config::incluster()
    {
        return Ok((config, Location::Inside));
    }
    let config = Config::from_kubeconfig(&options).await;
    let config = config.map_err(|error| ClusterError::NotConfigured {
        cause: error.to_string(),
    })?;
    Ok((config, Location::Outside))
}
