//! Between the contract and the domain.

use bytes::Bytes;
use causeway_proto::{
    ids::{RequestId, RequestIdError},
    time::millis_to_timestamp,
    webhook::v1 as pb,
};

use crate::{
    config::AllowedAction,
    delivery::{Delivery, Progress, State, Subscriber},
    event::Reference,
    index::{Entry, Filter},
    route::{Provider, Route, Secrets},
    signature::Headers,
};

const MAX_HEADERS: usize = 64;
const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 500;
const SHOWN_BODY: usize = 64 << 10;

/// A field of a request that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldError {
    #[error("a webhook has its head first, then its body, then its end")]
    Head,
    #[error("headers must have at most {MAX_HEADERS} entries")]
    Headers,
    #[error("state {0} is unknown: use pending, done or dead")]
    State(i32),
    #[error("number '{0}' is not the number of a delivery: write for example 17")]
    Number(String),
    #[error("page_token is not one of a previous page: list from the start")]
    PageToken,
    #[error(transparent)]
    RequestId(#[from] RequestIdError),
}

pub(crate) fn read_head(head: pb::WebhookHead) -> Result<(String, Headers), FieldError> {
    if head.headers.len() > MAX_HEADERS {
        return Err(FieldError::Headers);
    }
    let headers = head.headers.into_iter();
    let headers = headers.map(|header| (header.name, header.value.to_vec()));
    Ok((head.route, Headers::new(headers)))
}

/// The number of a delivery.
pub(crate) fn read_number(text: &str) -> Result<u64, FieldError> {
    let wrong = || FieldError::Number(text.chars().take(20).collect());
    text.parse().map_err(|_| wrong())
}

pub(crate) fn check_request_id(text: &str) -> Result<(), FieldError> {
    text.parse::<RequestId>()?;
    Ok(())
}

pub(crate) fn action(action: AllowedAction) -> &'static str {
    match action {
        AllowedAction::Replay => "replay",
        AllowedAction::Test => "test",
    }
}

pub(crate) fn read_list(
    request: pb::ListWebhookDeliveriesRequest,
) -> Result<(Filter, usize), FieldError> {
    let state = match request.state() {
        _ if pb::DeliveryState::try_from(request.state).is_err() => {
            return Err(FieldError::State(request.state));
        }
        pb::DeliveryState::Unspecified => None,
        pb::DeliveryState::Pending => Some(State::Pending),
        pb::DeliveryState::Done => Some(State::Done),
        pb::DeliveryState::Dead => Some(State::Dead),
    };
    let before = match request.page_token.as_str() {
        "" => None,
        token => Some(token.parse().map_err(|_| FieldError::PageToken)?),
    };
    let size = match request.page_size {
        0 => PAGE,
        size => size.min(LARGEST_PAGE),
    };
    let filter = Filter {
        route: Some(request.route).filter(|route| !route.is_empty()),
        state,
        before,
    };
    Ok((filter, size as usize))
}

/// A page of at most `size` of these.
pub(crate) fn to_page(found: &[Entry], size: usize) -> pb::ListWebhookDeliveriesResponse {
    let shown = &found[..found.len().min(size)];
    let last = shown.last().filter(|_| found.len() > size);
    pb::ListWebhookDeliveriesResponse {
        deliveries: shown.iter().map(to_delivery).collect(),
        next_page_token: last.map_or_else(String::new, |it| it.delivery.number.to_string()),
    }
}

pub(crate) fn to_route(route: &Route, secrets: &Secrets, base: &str) -> pb::WebhookRoute {
    pb::WebhookRoute {
        name: route.name.to_string(),
        provider: pb::WebhookProvider::from(route.provider).into(),
        max_bytes: route.max_bytes,
        path: format!("/webhooks/{}", route.name),
        platform_path: format!("{base}/{}", route.name),
        rotating: secrets.len() > 1,
    }
}

/// A delivery with its headers and the start of its body.
pub(crate) fn to_whole_delivery(entry: &Entry, mut body: Vec<u8>) -> pb::WebhookDelivery {
    body.truncate(SHOWN_BODY);
    let headers = entry.delivery.headers.iter();
    let headers = headers.map(|(name, value)| pb::WebhookHeader {
        name: name.clone(),
        value: value.clone().into_bytes().into(),
    });
    pb::WebhookDelivery {
        headers: headers.collect(),
        body: body.into(),
        ..to_delivery(entry)
    }
}

fn to_delivery(entry: &Entry) -> pb::WebhookDelivery {
    let delivery: &Delivery = &entry.delivery;
    let event = &delivery.event;
    let outcomes = entry.progress.iter();
    pb::WebhookDelivery {
        number: delivery.number,
        route: delivery.route.to_string(),
        provider: pb::WebhookProvider::from(delivery.provider).into(),
        delivery_id: delivery.id.clone(),
        event: event.kind.clone(),
        received_at: Some(timestamp(delivery.received_ms)),
        repositories: event.repositories.iter().map(|it| it.to_url()).collect(),
        references: event.references.iter().map(to_reference).collect(),
        pull_request: event.pull_request.unwrap_or(0),
        body_bytes: delivery.body_bytes,
        redeliveries: entry.redeliveries,
        outcomes: outcomes.map(|(name, one)| to_outcome(*name, one)).collect(),
        headers: Vec::new(),
        body: Bytes::new(),
    }
}

fn to_reference(reference: &Reference) -> pb::WebhookReference {
    pb::WebhookReference {
        name: reference.name.clone(),
        before: reference.before.clone(),
        after: reference.after.clone(),
    }
}

fn to_outcome(subscriber: Subscriber, progress: &Progress) -> pb::DeliveryOutcome {
    let state = match progress.state {
        State::Pending => pb::DeliveryState::Pending,
        State::Done => pb::DeliveryState::Done,
        State::Dead => pb::DeliveryState::Dead,
    };
    pb::DeliveryOutcome {
        subscriber: subscriber.as_str().to_owned(),
        state: state.into(),
        tries: progress.tries,
        detail: progress.detail.clone(),
        changed_at: Some(timestamp(progress.changed_ms)),
    }
}

fn timestamp(millis: u64) -> prost_types::Timestamp {
    millis_to_timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

impl From<Provider> for pb::WebhookProvider {
    fn from(provider: Provider) -> Self {
        match provider {
            Provider::Github => Self::Github,
            Provider::Gitlab => Self::Gitlab,
            Provider::BitbucketCloud => Self::BitbucketCloud,
            Provider::BitbucketDataCenter => Self::BitbucketDataCenter,
            Provider::AzureDevops => Self::AzureDevops,
            Provider::Gitea => Self::Gitea,
            Provider::Standard => Self::Standard,
        }
    }
}
