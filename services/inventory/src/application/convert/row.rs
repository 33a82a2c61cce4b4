//! The row view: what one line of a list shows.

use causeway_proto::inventory::v1 as pb;

/// Longest message of a row, in bytes.
const LONGEST_MESSAGE: usize = 200;

/// The same application without what a line does not show.
pub(crate) fn to_row(application: pb::Application) -> pb::Application {
    let spec = application.spec.map(|spec| pb::ApplicationSpec {
        project: spec.project,
        sync_policy: spec.sync_policy,
        ..pb::ApplicationSpec::default()
    });
    pb::Application {
        labels: Default::default(),
        spec,
        status: application.status.map(status),
        ..application
    }
}

fn status(status: pb::ApplicationStatus) -> pb::ApplicationStatus {
    let first = |mut texts: Vec<String>| {
        texts.truncate(1);
        texts
    };
    pb::ApplicationStatus {
        sync: status.sync.map(|sync| pb::SyncState {
            revisions: first(sync.revisions),
            ..sync
        }),
        health: status.health.map(|health| pb::HealthState {
            message: cut(health.message),
            ..health
        }),
        operation: status.operation.map(|operation| pb::Operation {
            message: cut(operation.message),
            revisions: first(operation.revisions),
            resources: Vec::new(),
            ..operation
        }),
        parent: status.parent,
        ..pb::ApplicationStatus::default()
    }
}

fn cut(mut message: String) -> String {
    message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
    message
}
