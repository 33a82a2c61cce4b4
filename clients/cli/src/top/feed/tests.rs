use super::*;

fn updated(name: &str, phase: pb::OperationPhase) -> pb::WatchApplicationsResponse {
    let operation = pb::Operation {
        phase: phase.into(),
        ..pb::Operation::default()
    };
    let application = pb::Application {
        runtime: "eu".to_owned(),
        name: name.to_owned(),
        status: Some(pb::ApplicationStatus {
            operation: Some(operation),
            commit: Some(pb::Commit {
                message: "Add\u{1b}[2J a page\nand more".to_owned(),
                ..pb::Commit::default()
            }),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::Application::default()
    };
    pb::WatchApplicationsResponse {
        event: Some(Event::Updated(application)),
        cursor: String::new(),
    }
}

#[test]
fn a_watch_fills_the_model_and_steers_no_terminal() {
    let mut model = Model::new();
    see(&mut model, &updated("pay", pb::OperationPhase::Running));
    see(&mut model, &updated("web", pb::OperationPhase::Succeeded));
    model.arrange();
    let rows: Vec<_> = model.lines(0, 9).map(|(_, row, _)| row.clone()).collect();
    assert_eq!([rows[0].operation, rows[1].operation], ["Running", ""]);
    assert_eq!(rows[0].message, "Add[2J a page");
    let gone = pb::ApplicationDeleted {
        runtime: "eu".to_owned(),
        name: "web".to_owned(),
        ..pb::ApplicationDeleted::default()
    };
    let gone = pb::WatchApplicationsResponse {
        event: Some(Event::Deleted(gone)),
        cursor: String::new(),
    };
    see(&mut model, &gone);
    assert_eq!(model.total(), 1);
}
