//! The cluster: opened from flags, asked whether it answers and whether it has Argo CD's resources.

use std::{path::PathBuf, time::Duration};

use kube::{
    Client, Config,
    client::ClientBuilder,
    config::{KubeConfigOptions, Kubeconfig, KubeconfigError},
};

use crate::{KubeArgs, error::root_cause, redact::Redactor, renewal, trace::TraceCluster};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);

/// A cluster that calls can be made to. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    client: Client,
    url: String,
    place: Place,
}

/// Where the process is, seen from the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside,
    Outside,
}

/// Why a cluster cannot be used. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClusterError {
    #[error("cannot read --kubeconfig {}: {cause}", file.display())]
    Kubeconfig { file: PathBuf, cause: String },
    #[error("no cluster is configured: give --kubeconfig ({cause})")]
    NotConfigured { cause: String },
    #[error("the cluster at {url} does not answer: {cause}; check --kubeconfig and --context")]
    Unreachable { url: String, cause: String },
    #[error("the cluster at {url} refuses these credentials: {cause}; {advice}")]
    Refused {
        url: String,
        cause: String,
        /// What to do.
        advice: &'static str,
    },
    #[error(
        "the cluster at {url} has no custom resource applications.argoproj.io: install Argo CD, or choose another cluster by --context"
    )]
    NoApplications { url: String },
}

impl ClusterError {
    /// Takes secrets out of what others say in it.
    pub fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Kubeconfig { cause, .. }
            | Self::NotConfigured { cause }
            | Self::Unreachable { cause, .. }
            | Self::Refused { cause, .. } => *cause = redactor.message(cause),
            Self::NoApplications { .. } => {}
        }
    }
}

impl Cluster {
    /// Reads the configuration; does not dial yet. Where the credentials are refused later it is read again.
    ///
    /// # Errors
    /// The kubeconfig cannot be read, lacks the context, or there is none.
    pub async fn open(args: &KubeArgs) -> Result<Self, ClusterError> {
        let (client, found) = connect(args).await?;
        Ok(Self {
            client: renewal::renewed(args.clone(), client),
            url: found.url,
            place: found.place,
        })
    }

    /// A cluster behind a client that there is already; `url` is for messages.
    pub fn with_client(client: Client, url: impl Into<String>) -> Self {
        let (url, place) = (url.into(), Place::Outside);
        Self { client, url, place }
    }

    /// The client.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The API server's address, for messages.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Asks whether the cluster answers and has Argo CD's resources.
    ///
    /// # Errors
    /// It does not answer within eight seconds, refuses, or has no Applications.
    pub async fn check(&self) -> Result<(), ClusterError> {
        let asked = self.client.list_api_group_resources("argoproj.io/v1alpha1");
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, asked).await;
        let answer = answer.map_err(|_| ClusterError::Unreachable {
            url: self.url.clone(),
            cause: format!("no answer within {} s", ANSWER_TIMEOUT.as_secs()),
        })?;
        let served = answer.map_err(|error| self.explain(&error))?;
        let has = |resource: &k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource| {
            resource.name == "applications"
        };
        if served.resources.iter().any(has) {
            return Ok(());
        }
        Err(self.no_applications())
    }

    /// What an error of a call about Applications means.
    pub fn explain(&self, error: &kube::Error) -> ClusterError {
        let url = self.url.clone();
        let kube::Error::Api(status) = error else {
            let cause = root_cause(error);
            return ClusterError::Unreachable { url, cause };
        };
        let cause = status.message.clone();
        match status.code {
            404 => self.no_applications(),
            401 => ClusterError::Refused {
                url,
                cause: format!("they are unknown or have expired ({cause})"),
                advice: "renew them, they are read again without a restart, or check --kubeconfig and --context",
            },
            403 => ClusterError::Refused {
                url,
                cause,
                advice: "check --kubeconfig, --context and the role",
            },
            _ => ClusterError::Unreachable { url, cause },
        }
    }

    fn no_applications(&self) -> ClusterError {
        ClusterError::NoApplications {
            url: self.url.clone(),
        }
    }
}

/// Where a configuration leads.
pub(crate) struct Found {
    url: String,
    place: Place,
}

/// A client by what the flags say at this moment. A plugin that makes credentials is run.
pub(crate) async fn connect(args: &KubeArgs) -> Result<(Client, Found), ClusterError> {
    let (mut config, place) = configure(args).await?;
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    let url = config.cluster_url.to_string();
    let url = url.trim_end_matches('/').to_owned();
    let unusable = |cause: String| ClusterError::NotConfigured { cause };
    let made = tokio::task::spawn_blocking(move || client(config)).await;
    let made = made.map_err(|error| unusable(error.to_string()))?;
    let client = made.map_err(|error| unusable(root_cause(&error)))?;
    Ok((client, Found { url, place }))
}

fn client(config: Config) -> kube::Result<Client> {
    let client = ClientBuilder::try_from(config)?;
    Ok(client.with_layer(&TraceCluster).build())
}

async fn configure(args: &KubeArgs) -> Result<(Config, Place), ClusterError> {
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
        return Ok((config.map_err(unusable)?, Place::Outside));
    }
    if args.context.is_none()
        && let Ok(config) = Config::incluster()
    {
        return Ok((config, Place::Inside));
    }
    let config = Config::from_kubeconfig(&options).await;
    let config = config.map_err(|error| ClusterError::NotConfigured {
        cause: error.to_string(),
    })?;
    Ok((config, Place::Outside))
}
