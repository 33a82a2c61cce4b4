//! What callers ask of resources and events, and what they are answered.

use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use prost::Message as _;

use crate::{
    application::{View, Visible},
    convert::{
        LONGEST_NAME, MOST_STATES, named, page_from, page_limit, selector, short, states, to_health,
    },
    event::{EventFilter, EventRecord, EventToken, EventsOf},
    inventory::WantedResource,
    page_key::CursorKey,
    report::FieldError,
    resource::{OwnerApplication, ResourceFilter, ResourceRecord, ResourceToken},
    watch::resource::{ResourceEvent, ResourceStep},
};

/// What a list of resources asks for.
pub(crate) struct ListOfResources {
    pub(crate) filter: ResourceFilter,
    pub(crate) view: View,
    pub(crate) from: Option<ResourceToken>,
    pub(crate) limit: usize,
}

impl ListOfResources {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::ListResourcesRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        Ok(Self {
            limit: page_limit(request.page_size),
            filter: filter(request.filter.unwrap_or_default(), visible)?,
            view: view(request.view)?,
            from: page_from(&request.page_token)?,
        })
    }
}

/// What a watch of resources asks for.
pub(crate) struct WatchOfResources {
    pub(crate) filter: ResourceFilter,
    pub(crate) view: View,
}

impl WatchOfResources {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::WatchResourcesRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        Ok(Self {
            filter: filter(request.filter.unwrap_or_default(), visible)?,
            view: view(request.view)?,
        })
    }
}

/// What a list of events asks for.
pub(crate) struct ListOfEvents {
    pub(crate) filter: EventFilter,
    pub(crate) from: Option<EventToken>,
    pub(crate) limit: usize,
}

impl ListOfEvents {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::ListEventsRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        names(&[
            ("runtime", &request.runtime),
            ("cluster", &request.cluster),
            ("application", &request.application),
            ("application_namespace", &request.application_namespace),
            ("name", &request.name),
            ("namespace", &request.namespace),
            ("kind", &request.kind),
        ])?;
        let of = match (request.application.is_empty(), request.name.is_empty()) {
            (false, true) => EventsOf::Application {
                namespace: request.application_namespace,
                name: request.application,
            },
            (true, false) => EventsOf::Object {
                kind: request.kind,
                namespace: request.namespace,
                name: request.name,
            },
            (true, true) => EventsOf::All {
                kind: request.kind,
                namespace: request.namespace,
            },
            (false, false) => {
                let problem = "must not be set beside name: an event is of one or of the other";
                return Err(FieldError::new("application", problem));
            }
        };
        Ok(Self {
            limit: page_limit(request.page_size),
            from: page_from(&request.page_token)?,
            filter: EventFilter {
                visible,
                runtime: request.runtime,
                cluster: request.cluster,
                of,
            },
        })
    }
}

/// The resource that a request names.
pub(crate) fn wanted_resource(
    request: pb::GetResourceRequest,
) -> Result<WantedResource, FieldError> {
    named("runtime", &request.runtime, LONGEST_NAME)?;
    named("kind", &request.kind, LONGEST_NAME)?;
    named("name", &request.name, LONGEST_NAME)?;
    names(&[
        ("namespace", &request.namespace),
        ("cluster", &request.cluster),
    ])?;
    Ok(WantedResource {
        runtime: request.runtime,
        kind: request.kind,
        name: request.name,
        namespace: request.namespace,
        cluster: request.cluster,
    })
}

fn names(texts: &[(&str, &String)]) -> Result<(), FieldError> {
    let mut texts = texts.iter();
    texts.try_for_each(|(field, text)| short(field, text, LONGEST_NAME))
}

fn view(view: i32) -> Result<View, FieldError> {
    match pb::ResourceView::try_from(view) {
        Ok(pb::ResourceView::Unspecified | pb::ResourceView::Basic) => Ok(View::Basic),
        Ok(pb::ResourceView::Full) => Ok(View::Full),
        Err(_) => Err(FieldError::new("view", "must be basic or full")),
    }
}

fn filter(filter: pb::ResourceFilter, visible: Visible) -> Result<ResourceFilter, FieldError> {
    names(&[
        ("filter.runtime", &filter.runtime),
        ("filter.cluster", &filter.cluster),
        ("filter.namespace", &filter.namespace),
        ("filter.kind", &filter.kind),
        ("filter.name", &filter.name),
        ("filter.application", &filter.application),
        (
            "filter.application_namespace",
            &filter.application_namespace,
        ),
    ])?;
    if filter.health.len() > MOST_STATES {
        let problem = format!("has too many states: at most {MOST_STATES}");
        return Err(FieldError::new("filter.health", problem));
    }
    Ok(ResourceFilter {
        visible,
        labels: selector("filter.label_selector", &filter.label_selector)?,
        health: states("filter.health", &filter.health, to_health)?,
        runtime: filter.runtime,
        cluster: filter.cluster,
        namespace: filter.namespace,
        kind: filter.kind,
        name: filter.name,
        application: filter.application,
        application_namespace: filter.application_namespace,
    })
}

/// A stored resource as callers see it, with as much as was read of it.
pub(crate) fn to_resource(record: ResourceRecord) -> Result<pb::LiveResource, prost::DecodeError> {
    let mut resource = pb::LiveResource::decode(record.basic)?;
    resource.merge(record.detail)?;
    resource.runtime = record.key.runtime_name;
    resource.cluster = record.key.cluster;
    resource.resource = record.key.resource;
    resource.namespace = record.key.namespace;
    resource.name = record.key.name;
    resource.uid = record.uid.as_str().to_owned();
    resource.resource_version = record.resource_version;
    resource.received_at = Some(millis_to_timestamp(record.received_at));
    resource.application = record.belongs.as_ref().map(to_reference);
    Ok(resource)
}

fn to_reference(belongs: &OwnerApplication) -> pb::ApplicationReference {
    pb::ApplicationReference {
        cluster: belongs.application.cluster.to_string(),
        namespace: belongs.application.namespace.to_string(),
        name: belongs.application.name.to_string(),
    }
}

/// A stored event as callers see it.
pub(crate) fn to_event(record: EventRecord) -> Result<pb::ReportedEvent, prost::DecodeError> {
    Ok(pb::ReportedEvent {
        runtime: record.runtime_name,
        cluster: record.cluster,
        application: record.belongs.as_ref().map(to_reference),
        event: Some(pb::KubernetesEvent::decode(record.content)?),
    })
}

/// A step of a watch. Fails where the stored resource cannot be read.
pub(crate) fn to_resource_step(
    step: ResourceStep,
    cursors: &CursorKey,
) -> Result<pb::WatchResourcesResponse, prost::DecodeError> {
    use pb::watch_resources_response::Event as Pb;
    let bookmark = |initial_state_sent| Pb::Bookmark(pb::WatchBookmark { initial_state_sent });
    let event = match step.event {
        ResourceEvent::Updated(record) => Pb::Updated(to_resource(*record)?),
        ResourceEvent::Gone(key) => Pb::Deleted(pb::ResourceDeleted {
            runtime: key.runtime_name,
            cluster: key.cluster,
            resource: key.resource,
            namespace: key.namespace,
            name: key.name,
        }),
        ResourceEvent::CaughtUp => bookmark(true),
        ResourceEvent::Bookmark => bookmark(false),
    };
    Ok(pb::WatchResourcesResponse {
        event: Some(event),
        cursor: step
            .cursor
            .map(|cursor| cursors.seal(cursor))
            .unwrap_or_default(),
    })
}
