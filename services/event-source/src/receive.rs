//! Receives webhooks: bounds, verification, then the spool. Owns the promise that a webhook that is not verified has no effect.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::BytesMut;
use causeway_shell::{ByteBudget, ByteReservation};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    event,
    route::{LARGEST_BODY, Provider, Route, RouteName, RouteSecrets, Routes},
    signature::{self, Headers, NotVerified, Verification},
    spool::{NewDelivery, Receipt, Spool, SpoolError},
};

/// Bodies of all webhooks in flight.
const BODIES: u64 = 128 << 20;
/// Webhooks of one route in flight.
const ROUTE_PLACES: usize = 256;
/// Webhooks of unknown routes in flight.
const UNKNOWN_PLACES: usize = 64;
const UNKNOWN_BYTES: u64 = 1 << 20;
/// A sender gets its answer within a second.
const STORE_WITHIN: Duration = Duration::from_millis(800);
const MAX_HEADER_BYTES: usize = 1024;
/// Never stored.
const CREDENTIALS: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-gitlab-token",
];

/// Why a webhook is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReceiveError {
    #[error(transparent)]
    NotVerified(#[from] NotVerified),
    #[error("the body is larger than the route takes")]
    TooLarge,
    #[error("the route has {ROUTE_PLACES} webhooks in flight; send again in a second")]
    Busy,
    #[error("the memory for webhooks in flight is used up; send again in a second")]
    NoMemory,
    #[error("the webhook was not on disk within a second; send again")]
    Slow,
    #[error(transparent)]
    Spool(#[from] SpoolError),
    #[error("there is no webhook route '{0}': 'causeway webhook routes' lists them")]
    NoRoute(String),
}

/// Receives webhooks of the configured routes.
pub(crate) struct Receiver {
    routes: Routes,
    spool: Spool,
    budget: ByteBudget,
    places: BTreeMap<RouteName, Arc<Semaphore>>,
    unknown: Arc<Semaphore>,
}

/// A webhook whose body is arriving.
pub(crate) struct Incoming {
    /// None for an unknown route.
    route: Option<Route>,
    headers: Headers,
    verification: Verification,
    limit: u64,
    received: u64,
    body: BytesMut,
    reservation: ByteReservation,
    _place: OwnedSemaphorePermit,
}

pub(crate) fn now_seconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

impl Receiver {
    pub(crate) fn new(routes: Routes, spool: Spool) -> Self {
        let names = routes.iter().map(|it| it.route.name.clone());
        let place = |name| (name, Arc::new(Semaphore::new(ROUTE_PLACES)));
        Self {
            places: names.map(place).collect(),
            unknown: Arc::new(Semaphore::new(UNKNOWN_PLACES)),
            budget: ByteBudget::new(BODIES),
            routes,
            spool,
        }
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Begins with the head. An unknown route fails at the end, as a wrong signature does.
    pub(crate) fn begin(&self, route: &str, headers: Headers) -> Result<Incoming, ReceiveError> {
        let found = self.routes.find(route);
        let places = found.and_then(|found| self.places.get(&found.route.name));
        let place = Arc::clone(places.unwrap_or(&self.unknown)).try_acquire_owned();
        let place = place.map_err(|_| ReceiveError::Busy)?;
        let begin = |found: &RouteSecrets| {
            let provider = found.route.provider;
            Verification::begin(provider, &found.secrets(), &headers, now_seconds())
        };
        if found.is_none() {
            tracing::warn!(route, "a webhook names no route of this runtime");
        }
        Ok(Incoming {
            verification: found.map_or_else(Verification::failing, begin),
            limit: found.map_or(UNKNOWN_BYTES, |found| found.route.max_bytes),
            route: found.map(|found| found.route.clone()),
            headers,
            received: 0,
            body: BytesMut::new(),
            reservation: self.budget.reserve(),
            _place: place,
        })
    }

    /// Verifies the whole webhook and stores it.
    pub(crate) async fn finish(&self, incoming: Incoming) -> Result<Receipt, ReceiveError> {
        let Incoming {
            route,
            headers,
            verification,
            body,
            reservation,
            ..
        } = incoming;
        let verified = verification.finish();
        let (Some(route), Ok(trust)) = (route, verified) else {
            return Err(NotVerified.into());
        };
        let body = reservation.attach(body.freeze());
        let read = event::read(route.provider, trust, &headers, &body);
        let new = NewDelivery {
            route: route.name,
            provider: route.provider,
            id: read.delivery_id,
            event: read.event,
            headers: to_stored(&headers),
            body,
        };
        let stored = timeout(STORE_WITHIN, self.spool.receive(new)).await;
        Ok(stored.map_err(|_| ReceiveError::Slow)??)
    }

    /// Sends a signed sample through all of it.
    pub(crate) async fn send_sample(&self, route: &str, id: &str) -> Result<Receipt, ReceiveError> {
        let found = self.routes.find(route);
        let found = found.ok_or_else(|| ReceiveError::NoRoute(route.chars().take(63).collect()))?;
        let secrets = found.secrets();
        let secret = secrets.first().ok_or(NotVerified)?;
        let provider = found.route.provider;
        let (own, body) = sample(provider, id);
        let signed = signature::sign(provider, secret, (id, now_seconds()), &body);
        let headers = own.into_iter().chain(signed);
        let headers = headers.map(|(name, value)| (name.to_owned(), value.into_bytes()));
        let mut incoming = self.begin(route, Headers::new(headers))?;
        incoming.push(&body).await?;
        self.finish(incoming).await
    }
}

impl Incoming {
    /// Takes the next bytes of the body.
    pub(crate) async fn push(&mut self, bytes: &[u8]) -> Result<(), ReceiveError> {
        self.received += bytes.len() as u64;
        if self.received > self.limit.min(LARGEST_BODY) {
            return Err(ReceiveError::TooLarge);
        }
        self.verification.update(bytes);
        if self.route.is_none() {
            return Ok(());
        }
        let length = self.body.len() + bytes.len();
        let grown = self.reservation.grow_to(length).await;
        grown.map_err(|_| ReceiveError::NoMemory)?;
        self.body.extend_from_slice(bytes);
        Ok(())
    }
}

/// Headers that are kept for a replay, without credentials.
fn to_stored(headers: &Headers) -> Vec<(String, String)> {
    let kept = |(name, value): (&str, &[u8])| {
        let text = std::str::from_utf8(value).ok()?;
        let is_kept = !CREDENTIALS.contains(&name) && text.len() <= MAX_HEADER_BYTES;
        is_kept.then(|| (name.to_owned(), text.to_owned()))
    };
    headers.iter().filter_map(kept).collect()
}

/// A webhook that a provider sends to try a route. It names no repository.
fn sample(provider: Provider, id: &str) -> (Vec<(&'static str, String)>, Vec<u8>) {
    let own = |event: &'static str, kind: &str, delivery: &'static str| {
        vec![(event, kind.to_owned()), (delivery, id.to_owned())]
    };
    let zen = br#"{"zen":"A sample of Causeway."}"#.to_vec();
    match provider {
        Provider::Github => (own("x-github-event", "ping", "x-github-delivery"), zen),
        Provider::Gitea => (own("x-gitea-event", "ping", "x-gitea-delivery"), zen),
        Provider::Gitlab => (
            own("x-gitlab-event", "Sample Hook", "idempotency-key"),
            br#"{"object_kind":"ping"}"#.to_vec(),
        ),
        Provider::BitbucketCloud => (
            own("x-event-key", "diagnostics:ping", "x-request-uuid"),
            br#"{"test":true}"#.to_vec(),
        ),
        Provider::BitbucketDataCenter => (
            own("x-event-key", "diagnostics:ping", "x-request-id"),
            br#"{"test":true}"#.to_vec(),
        ),
        Provider::AzureDevops => (
            Vec::new(),
            format!(r#"{{"eventType":"ping","id":"{id}"}}"#).into_bytes(),
        ),
        Provider::Standard => (Vec::new(), br#"{"type":"ping"}"#.to_vec()),
    }
}

#[cfg(test)]
mod tests;
