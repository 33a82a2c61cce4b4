//! Views: from requests, and their changes to those who watch.

use std::collections::HashSet;

use causeway_proto::inventory::v1 as pb;
use prost::DecodeError;

use super::{ViewStep, WatchedView};
use crate::{
    application::{FacetQuery, View, Visible},
    convert::{filter, named, to_deleted, to_facet, to_fields, to_shown, view},
    page_key::CursorKey,
    report::FieldError,
    watch::Event,
};

const MOST_VIEWS: usize = 32;
const LONGEST_ID: usize = 64;
/// Values of each field that are counted.
const MOST_VALUES: usize = 20;

/// The views of a request.
pub(crate) fn to_views(
    request: pb::WatchViewsRequest,
    visible: &Visible,
) -> Result<Vec<WatchedView>, FieldError> {
    let count = request.views.len();
    if count == 0 || count > MOST_VIEWS {
        let problem = format!("has {count} entries: 1 to {MOST_VIEWS} are allowed");
        return Err(FieldError::new("views", problem));
    }
    let mut ids = HashSet::new();
    let numbered = request.views.into_iter().enumerate();
    let views = numbered.map(|(index, wanted)| {
        let at = |error: FieldError| {
            FieldError::new(format!("views[{index}].{}", error.field), error.problem)
        };
        if !ids.insert(wanted.id.clone()) {
            return Err(at(FieldError::new("id", "is that of another view")));
        }
        to_view(wanted, visible.clone()).map_err(at)
    });
    views.collect()
}

fn to_view(mut wanted: pb::View, visible: Visible) -> Result<WatchedView, FieldError> {
    named("id", &wanted.id, LONGEST_ID)?;
    if wanted.view() == pb::ApplicationView::Unspecified {
        wanted.set_view(pb::ApplicationView::Row);
    }
    Ok(WatchedView {
        view: view(wanted.view)?,
        cursor: None,
        filter: filter(wanted.filter.unwrap_or_default(), visible)?,
        query: FacetQuery {
            fields: to_fields("facets", &wanted.facets)?,
            labels: Vec::new(),
            most: MOST_VALUES,
            own_condition_left_out: true,
        },
        id: wanted.id,
    })
}

/// A response for a view. Fails where a stored application cannot be read.
pub(crate) fn to_response(
    step: ViewStep,
    cursors: &CursorKey,
) -> Result<pb::WatchViewsResponse, DecodeError> {
    let mut changes = Vec::with_capacity(step.events.len());
    for event in step.events {
        changes.extend(to_change(event, step.view)?);
    }
    let facets = step.facets.map(|facets| facets.facets).unwrap_or_default();
    Ok(pb::WatchViewsResponse {
        id: step.id,
        changes,
        total: step.total,
        facets: facets.into_iter().map(to_facet).collect(),
        cursor: cursors.seal(step.cursor),
    })
}

fn to_change(event: Event, view: View) -> Result<Option<pb::ViewChange>, DecodeError> {
    use pb::view_change::Change as Pb;
    let change = match event {
        Event::Updated(record) => Pb::Updated(to_shown(*record, view)?),
        Event::Gone(key) => Pb::Deleted(to_deleted(key)),
        Event::CaughtUp | Event::Bookmark => return Ok(None),
    };
    Ok(Some(pb::ViewChange {
        change: Some(change),
    }))
}
