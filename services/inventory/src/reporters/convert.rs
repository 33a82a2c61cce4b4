//! Converts the list of reporters.

use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};

use crate::{
    convert::{LONGEST_NAME, named},
    report::{
        FieldError,
        membership::{Move, MoveKind},
    },
    reporters::Group,
};

/// The runtime that is asked for.
pub(crate) fn runtime_of(request: pb::ListReportersRequest) -> Result<String, FieldError> {
    named("runtime", &request.runtime, LONGEST_NAME)?;
    Ok(request.runtime)
}

/// The reporters of a runtime as they are told.
pub(crate) fn to_groups(
    runtime: &str,
    groups: Vec<Group>,
    next_page_token: String,
) -> pb::ListReportersResponse {
    let groups = groups.into_iter().map(|group| to_group(runtime, group));
    pb::ListReportersResponse {
        groups: groups.collect(),
        next_page_token,
    }
}

fn to_group(runtime: &str, group: Group) -> pb::ReporterGroup {
    let shares = group.shares.into_iter();
    let reporters = shares.map(|(instance, (seat, objects))| pb::Reporter {
        instance: instance.to_string(),
        version: seat.reporter_version,
        since: Some(millis_to_timestamp(seat.since)),
        last_heard_at: Some(millis_to_timestamp(seat.heard_at)),
        inventory_instance: seat.replica.to_string(),
        epoch: seat.epoch,
        objects,
    });
    pb::ReporterGroup {
        kind: group.scope.kind.as_str().to_owned(),
        cluster: group.scope.cluster.to_string(),
        reporters: reporters.collect(),
        objects: group.objects,
        objects_complete: group.complete,
        version: group.version,
        last_move: group.last_move.map(to_move),
        runtime: runtime.to_owned(),
    }
}

fn to_move((last, objects): (Move, u64)) -> pb::ReporterMove {
    let kind = match last.kind {
        MoveKind::Joined => pb::ReporterMoveKind::Joined,
        MoveKind::Left => pb::ReporterMoveKind::Left,
        MoveKind::Lost => pb::ReporterMoveKind::Lost,
    };
    pb::ReporterMove {
        instance: last.instance.to_string(),
        kind: kind.into(),
        moved_at: Some(millis_to_timestamp(last.at)),
        objects,
    }
}
