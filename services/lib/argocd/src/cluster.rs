//! Access to one Kubernetes cluster, with a check that its API server serves Argo CD's resources.

use std::time::Duration;

use kube::Client;

use crate::{
    ClusterError, KubeArgs,
    connect::{self, Location},
    credential_renewal,
    error::root_cause,
};

const CHECK_TIMEOUT: Duration = Duration::from_secs(8);

/// Handle to a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    client: Client,
    url: String,
    location: Location,
}

impl Cluster {
    /// Reads the configuration without dialling. Later refused credentials cause it to be read again.
    ///
    /// # Errors
    /// The kubeconfig cannot be read, lacks the context, or there is none.
    pub async fn open(args: &KubeArgs) -> Result<Self, ClusterError> {
        let (client, endpoint) = connect::connect(args).await?;
        Ok(Self {
            client: credential_renewal::with_renewal(args.clone(), client),
            url: endpoint.url,
            location: endpoint.location,
        })
    }

    /// Wraps an existing client; `url` appears in messages only.
    pub fn with_client(client: Client, url: impl Into<String>) -> Self {
        Self {
            client,
            url: url.into(),
            location: Location::Outside,
        }
    }

    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the API server's address, for messages.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn location(&self) -> Location {
        self.location
    }

    /// Checks that the cluster responds and serves Argo CD's resources.
    ///
    /// # Errors
    /// The cluster does not respond within eight seconds, rejects the credentials, or serves no Applications.
    pub async fn check(&self) -> Result<(), ClusterError> {
        let request = self.client.list_api_group_resources("argoproj.io/v1alpha1");
        let response = tokio::time::timeout(CHECK_TIMEOUT, request).await;
        let response = response.map_err(|_| ClusterError::Unreachable {
            url: self.url.clone(),
            cause: format!("no answer within {} s", CHECK_TIMEOUT.as_secs()),
        })?;
        let served = response.map_err(|error| self.explain(&error))?;
        let has = |resource: &k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource| {
            resource.name == "applications"
        };
        if served.resources.iter().any(has) {
            return Ok(());
        }
        Err(self.no_applications())
    }

    /// Classifies the error of a call on Applications.
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
