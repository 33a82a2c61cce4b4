//! Kubernetes client that renews expired credentials without a restart.
//!
//! The kubeconfig is read again when the API server rejects the credentials or does not respond. Only a request rejected with
//! 401 is sent a second time: any other one may have taken effect.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::{Request, Response, StatusCode};
use kube::{Client, client::Body};
use tokio::{
    sync::Mutex as AsyncMutex,
    time::{Instant, timeout},
};

use crate::{KubeArgs, connect};

/// Minimum time between two reads of the configuration, however many requests are rejected.
const MIN_RELOAD_INTERVAL: Duration = Duration::from_secs(1);
/// Time limit of a credential plugin.
const PLUGIN_TIMEOUT: Duration = Duration::from_secs(15);

struct RenewingClient {
    args: KubeArgs,
    current: Mutex<CurrentClient>,
    /// Time of the last reload. The lock makes concurrent reloads one.
    last_reload: AsyncMutex<Option<Instant>>,
}

#[derive(Clone)]
struct CurrentClient {
    client: Client,
    /// Increases with each renewed client.
    generation: u64,
}

/// Wraps the client built from these flags in one that renews its credentials.
pub(crate) fn with_renewal(args: KubeArgs, first: Client) -> Client {
    let namespace = first.default_namespace().to_owned();
    let current = CurrentClient {
        client: first,
        generation: 0,
    };
    let client = Arc::new(RenewingClient {
        args,
        current: Mutex::new(current),
        last_reload: AsyncMutex::new(None),
    });
    let send = move |request| {
        let client = Arc::clone(&client);
        async move { client.send(request).await }
    };
    Client::new(tower::service_fn(send), namespace)
}

impl RenewingClient {
    async fn send(&self, request: Request<Body>) -> Result<Response<Body>, kube::Error> {
        let (parts, body) = request.into_parts();
        // All requests of this client are small and in memory; what is streamed are answers.
        let body = body.collect_bytes().await?;
        let request = || Request::from_parts(parts.clone(), Body::from(body.clone()));
        let current = self.current();
        let response = current.client.send(request()).await;
        let status = response.as_ref().ok().map(Response::status);
        if status.is_some_and(|status| status != StatusCode::UNAUTHORIZED) {
            return response;
        }
        let renewed = self.renew(current.generation).await;
        if renewed && status.is_some() {
            return self.current().client.send(request()).await;
        }
        response
    }

    fn current(&self) -> CurrentClient {
        let current = self.current.lock();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reloads the configuration; returns true if the client is newer than this generation.
    async fn renew(&self, generation: u64) -> bool {
        let mut last_reload = self.last_reload.lock().await;
        // Another request renewed it while this one waited for the lock.
        if self.current().generation != generation {
            return true;
        }
        if last_reload.is_some_and(|at| at.elapsed() < MIN_RELOAD_INTERVAL) {
            return false;
        }
        let opened = timeout(PLUGIN_TIMEOUT, connect::connect(&self.args)).await;
        *last_reload = Some(Instant::now());
        let client = match opened {
            Ok(Ok((client, _))) => client,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the credentials of the cluster cannot be read again");
                return false;
            }
            Err(_) => return false,
        };
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.client = client;
        current.generation += 1;
        true
    }
}
