//! A client of a cluster whose credentials may expire and be renewed.
//!
//! Owns: that credentials which are renewed in their file, or by their plugin, count without a restart. They are read again when
//! the API server refuses them or does not answer. Never: sends a request twice that may have been heard; only one that was
//! refused for its credentials is.

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

use crate::{KubeArgs, cluster};

/// Between two readings of the configuration, however many requests are refused.
const PAUSE: Duration = Duration::from_secs(1);
/// For a plugin that makes credentials.
const WITHIN: Duration = Duration::from_secs(15);

struct Renewal {
    args: KubeArgs,
    held: Mutex<Held>,
    /// when the configuration was read again
    read: AsyncMutex<Option<Instant>>,
}

#[derive(Clone)]
struct Held {
    client: Client,
    /// Counts the clients that there were.
    number: u64,
}

/// A client that begins as this one, which was made by these flags.
pub(crate) fn renewed(args: KubeArgs, first: Client) -> Client {
    let namespace = first.default_namespace().to_owned();
    let held = Held {
        client: first,
        number: 0,
    };
    let renewal = Arc::new(Renewal {
        args,
        held: Mutex::new(held),
        read: AsyncMutex::new(None),
    });
    let send = move |request| {
        let renewal = Arc::clone(&renewal);
        async move { renewal.send(request).await }
    };
    Client::new(tower::service_fn(send), namespace)
}

impl Renewal {
    async fn send(&self, request: Request<Body>) -> Result<Response<Body>, kube::Error> {
        let (parts, body) = request.into_parts();
        // All requests of this client are small and in memory; what is streamed are answers.
        let body = body.collect_bytes().await?;
        let request = || Request::from_parts(parts.clone(), Body::from(body.clone()));
        let held = self.held();
        let answer = held.client.send(request()).await;
        let status = answer.as_ref().ok().map(Response::status);
        if status.is_some_and(|status| status != StatusCode::UNAUTHORIZED) {
            return answer;
        }
        let renewed = self.renew(held.number).await;
        if renewed && status.is_some() {
            return self.held().client.send(request()).await;
        }
        answer
    }

    fn held(&self) -> Held {
        let held = self.held.lock();
        held.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the configuration again; whether there is another client than that of this number.
    async fn renew(&self, number: u64) -> bool {
        let mut read = self.read.lock().await;
        if self.held().number != number {
            return true;
        }
        if read.is_some_and(|at| at.elapsed() < PAUSE) {
            return false;
        }
        let opened = timeout(WITHIN, cluster::connect(&self.args)).await;
        *read = Some(Instant::now());
        let client = match opened {
            Ok(Ok((client, _))) => client,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the credentials of the cluster cannot be read again");
                return false;
            }
            Err(_) => return false,
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.client = client;
        held.number += 1;
        true
    }
}
