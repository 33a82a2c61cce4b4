//! Between the contract and the domain.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_proto::inventory::v1 as pb;

pub(crate) use crate::{
    application::convert::{
        details,
        facets::{Count, to_facet, to_facets, to_fields},
        named_manifests, restored, to_application, to_encoded, to_shown, with_staleness,
    },
    deployment::convert::{CountEnded, ListEnded, to_counts, to_deployment},
    history::convert::{
        Diff, ListStates, read_state, time, to_application_then, to_diff, to_states,
    },
    image::convert::{ListOfImages, to_images},
    report::convert::{delta::from_delta, to_incoming, to_response},
    reporters::convert::{runtime_of, to_groups},
    resource::convert::page::{
        ListOfEvents, ListOfResources, WatchOfResources, to_event, to_resource, to_resource_step,
        wanted_resource,
    },
};
use crate::{
    application::{
        Filter, Health, Key, LabelSelector, PageToken, SelectorError, Sync, Text, View, Visible,
        convert::{
            facets::{sort, to_source},
            filter::extended,
        },
    },
    digest::Digest,
    inventory::{ApplicationRequest, List, PageStart},
    page_key::CursorKey,
    report::FieldError,
    watch::{Event, Step},
};

pub(crate) const LONGEST_NAME: usize = 253;
const LARGEST_OFFSET: u32 = 1_000_000;
pub(crate) const MOST_STATES: usize = 16;
pub(crate) const DEFAULT_PAGE: usize = 100;
pub(crate) const LARGEST_PAGE: usize = 1000;
pub(crate) const LONGEST_TOKEN: usize = 4096;
pub(crate) const LONGEST_SELECTOR: usize = 4096;
pub(crate) const LONGEST_TEXT: usize = 256;
pub(crate) const MOST_WORDS: usize = 8;
const MOST_MANIFESTS: usize = 100;

/// A text of at most `longest` bytes.
pub(crate) fn short(field: &str, text: &str, longest: usize) -> Result<(), FieldError> {
    if text.len() > longest {
        let problem = format!("has {} bytes: at most {longest} are allowed", text.len());
        return Err(FieldError::new(field, problem));
    }
    Ok(())
}

/// A text that is there, of at most `longest` bytes, without control characters.
pub(crate) fn named(field: &str, text: &str, longest: usize) -> Result<(), FieldError> {
    if text.is_empty() {
        return Err(FieldError::new(field, "must be set"));
    }
    if text.contains(char::is_control) {
        return Err(FieldError::new(field, "must not have control characters"));
    }
    short(field, text, longest)
}

/// What a list asks for.
pub(crate) struct ListOfApplications {
    filter: Filter,
    view: View,
    from: Option<PageToken>,
    offset: usize,
    limit: usize,
}

impl ListOfApplications {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::ListApplicationsRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        let limit = page_limit(request.page_size);
        let mut filter = filter(request.filter.unwrap_or_default(), visible)?;
        filter.sort = sort(request.sort)?;
        filter.descending = request.descending;
        if request.offset > LARGEST_OFFSET {
            let problem = format!("must be at most {LARGEST_OFFSET}");
            return Err(FieldError::new("offset", problem));
        }
        let from = page_from(&request.page_token)?;
        if from.is_some() && request.offset > 0 {
            let problem = "must be 0 with a page_token: set one of them";
            return Err(FieldError::new("offset", problem));
        }
        Ok(Self {
            view: view(request.view)?,
            filter,
            from,
            offset: request.offset as usize,
            limit,
        })
    }

    /// How much it shows.
    pub(crate) fn view(&self) -> View {
        self.view
    }

    /// The list, by reference.
    pub(crate) fn list(&self) -> List<'_> {
        let offset = PageStart::Offset(self.offset);
        List {
            filter: &self.filter,
            view: self.view,
            start: self.from.as_ref().map_or(offset, PageStart::Token),
            limit: self.limit,
        }
    }
}

/// How many a page has at most.
pub(crate) fn page_limit(size: u32) -> usize {
    match size {
        0 => DEFAULT_PAGE,
        size => LARGEST_PAGE.min(size as usize),
    }
}

pub(crate) fn page_from<T: serde::de::DeserializeOwned>(
    token: &str,
) -> Result<Option<T>, FieldError> {
    if token.is_empty() {
        return Ok(None);
    }
    let wrong = || FieldError::new("page_token", "is not one that a list has sent");
    short("page_token", token, LONGEST_TOKEN)?;
    let json = URL_SAFE_NO_PAD.decode(token).map_err(|_| wrong())?;
    serde_json::from_slice(&json).map(Some).map_err(|_| wrong())
}

/// The token as its caller gets it.
pub(crate) fn page_token(token: &impl serde::Serialize) -> String {
    let json = serde_json::json!(token).to_string();
    URL_SAFE_NO_PAD.encode(json)
}

pub(crate) fn view(view: i32) -> Result<View, FieldError> {
    match pb::ApplicationView::try_from(view) {
        Ok(pb::ApplicationView::Unspecified | pb::ApplicationView::Basic) => Ok(View::Basic),
        Ok(pb::ApplicationView::Full) => Ok(View::Full),
        Ok(pb::ApplicationView::Row) => Ok(View::Row),
        Err(_) => Err(FieldError::new("view", "must be row, basic or full")),
    }
}

pub(crate) fn filter(
    mut filter: pb::ApplicationFilter,
    visible: Visible,
) -> Result<Filter, FieldError> {
    let extended = extended(&mut filter)?;
    let texts = [
        ("filter.runtime", &filter.runtime),
        ("filter.cluster", &filter.cluster),
        ("filter.namespace", &filter.namespace),
        ("filter.name", &filter.name),
        ("filter.project", &filter.project),
    ];
    for (field, text) in texts {
        short(field, text, LONGEST_NAME)?;
    }
    let states_of = [&filter.sync, &filter.health, &filter.source];
    if states_of.iter().any(|states| states.len() > MOST_STATES) {
        let problem = format!("has too many states: at most {MOST_STATES}");
        return Err(FieldError::new("filter", problem));
    }
    let labels = selector("filter.label_selector", &filter.label_selector)?;
    short("filter.text", &filter.text, LONGEST_TEXT)?;
    let text = Text::new(&filter.text);
    if text.len() > MOST_WORDS {
        let problem = format!("has {} words: at most {MOST_WORDS} are allowed", text.len());
        return Err(FieldError::new("filter.text", problem));
    }
    Ok(Filter {
        visible,
        labels,
        text,
        source: states("filter.source", &filter.source, to_source)?,
        sync: states("filter.sync", &filter.sync, to_sync)?,
        health: states("filter.health", &filter.health, to_health)?,
        runtime: filter.runtime,
        cluster: filter.cluster,
        namespace: filter.namespace,
        name: filter.name,
        project: filter.project,
        ..extended
    })
}

pub(crate) fn selector(field: &str, text: &str) -> Result<LabelSelector, FieldError> {
    short(field, text, LONGEST_SELECTOR)?;
    let selector = text.parse();
    selector.map_err(|error: SelectorError| FieldError::new(field, error.to_string()))
}

pub(crate) fn states<T>(
    field: &str,
    codes: &[i32],
    to: fn(i32) -> Option<T>,
) -> Result<Vec<T>, FieldError> {
    codes
        .iter()
        .map(|code| to(*code).ok_or_else(|| unknown_state(field, *code)))
        .collect()
}

pub(crate) fn unknown_state(field: &str, code: i32) -> FieldError {
    FieldError::new(field, format!("has {code}, which is no state"))
}

pub(crate) fn to_sync(code: i32) -> Option<Sync> {
    Some(match pb::SyncStatus::try_from(code).ok()? {
        pb::SyncStatus::Unspecified => Sync::Unspecified,
        pb::SyncStatus::Unknown => Sync::Unknown,
        pb::SyncStatus::Synced => Sync::Synced,
        pb::SyncStatus::OutOfSync => Sync::OutOfSync,
    })
}

pub(crate) fn to_health(code: i32) -> Option<Health> {
    Some(match pb::HealthStatus::try_from(code).ok()? {
        pb::HealthStatus::Unspecified => Health::Unspecified,
        pb::HealthStatus::Unknown => Health::Unknown,
        pb::HealthStatus::Progressing => Health::Progressing,
        pb::HealthStatus::Healthy => Health::Healthy,
        pb::HealthStatus::Suspended => Health::Suspended,
        pb::HealthStatus::Degraded => Health::Degraded,
        pb::HealthStatus::Missing => Health::Missing,
    })
}

impl TryFrom<pb::GetApplicationRequest> for ApplicationRequest {
    type Error = FieldError;

    fn try_from(request: pb::GetApplicationRequest) -> Result<Self, FieldError> {
        named("runtime", &request.runtime, LONGEST_NAME)?;
        named("namespace", &request.namespace, LONGEST_NAME)?;
        named("name", &request.name, LONGEST_NAME)?;
        short("cluster", &request.cluster, LONGEST_NAME)?;
        Ok(Self {
            runtime: request.runtime,
            namespace: request.namespace,
            name: request.name,
            cluster: request.cluster,
        })
    }
}

/// The digest that a request names.
pub(crate) fn digest(request: &pb::GetManifestRequest) -> Result<Digest, FieldError> {
    Digest::from_hex(&request.digest_hex)
        .ok_or_else(|| FieldError::new("digest_hex", "must be 64 hex digits"))
}

/// The digests that a request names, each once.
pub(crate) fn digests(request: &pb::BatchGetManifestsRequest) -> Result<Vec<Digest>, FieldError> {
    let count = request.digests_hex.len();
    if !(1..=MOST_MANIFESTS).contains(&count) {
        let problem = format!("has {count} entries: give 1 to {MOST_MANIFESTS}");
        return Err(FieldError::new("digests_hex", problem));
    }
    let mut digests = Vec::with_capacity(count);
    for text in &request.digests_hex {
        let digest = Digest::from_hex(text);
        let digest =
            digest.ok_or_else(|| FieldError::new("digests_hex", "must be 64 hex digits each"))?;
        if !digests.contains(&digest) {
            digests.push(digest);
        }
    }
    Ok(digests)
}

/// Manifests as they are sent.
pub(crate) fn to_manifests(
    (found, omitted): (Vec<(Digest, bytes::Bytes)>, Vec<Digest>),
) -> pb::BatchGetManifestsResponse {
    let found = found.into_iter();
    let manifests = found.map(|(digest, content)| pb::FoundManifest {
        digest_hex: digest.to_string(),
        content,
    });
    pb::BatchGetManifestsResponse {
        manifests: manifests.collect(),
        omitted: omitted.iter().map(Digest::to_string).collect(),
    }
}

/// The application that a request for a manifest names, if it does.
pub(crate) fn manifest_of(
    [runtime, namespace, name, cluster]: [String; 4],
) -> Result<Option<ApplicationRequest>, FieldError> {
    if [&runtime, &namespace, &name, &cluster].map(String::is_empty) == [true; 4] {
        return Ok(None);
    }
    ApplicationRequest::try_from(pb::GetApplicationRequest {
        runtime,
        namespace,
        name,
        cluster,
        at: None,
    })
    .map(Some)
}

/// What a watch asks for.
pub(crate) struct WatchFrom {
    pub(crate) filter: Filter,
    pub(crate) view: View,
}

impl WatchFrom {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::WatchApplicationsRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        Ok(Self {
            view: view(request.view)?,
            filter: filter(request.filter.unwrap_or_default(), visible)?,
        })
    }
}

/// Names an application that is gone.
pub(crate) fn to_deleted(key: Key) -> pb::ApplicationDeleted {
    pb::ApplicationDeleted {
        runtime: key.runtime_name,
        cluster: key.cluster,
        namespace: key.namespace,
        name: key.name,
    }
}

/// A step of a watch. Fails where the stored application cannot be read.
pub(crate) fn to_watch_response(
    step: Step,
    (view, stale_since): (View, Option<i64>),
    cursors: &CursorKey,
) -> Result<pb::WatchApplicationsResponse, prost::DecodeError> {
    use pb::watch_applications_response::Event as Pb;
    let bookmark = |initial_state_sent| Pb::Bookmark(pb::WatchBookmark { initial_state_sent });
    let event = match step.event {
        Event::Updated(record) => {
            Pb::Updated(with_staleness(to_shown(*record, view)?, stale_since))
        }
        Event::Gone(key) => Pb::Deleted(to_deleted(key)),
        Event::CaughtUp => bookmark(true),
        Event::Bookmark => bookmark(false),
    };
    Ok(pb::WatchApplicationsResponse {
        event: Some(event),
        cursor: step
            .cursor
            .map(|cursor| cursors.seal(cursor))
            .unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests;
