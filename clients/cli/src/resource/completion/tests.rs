use causeway_proto::inventory::v1::live_resource::Detail;
use serde_json::json;

use super::*;

const KIND: CompletionKind = CompletionKind {
    name: "workflow",
    line: phase,
    phase,
    is_end: |phase| matches!(phase, "Succeeded" | "Failed"),
};

fn phase(resource: &pb::LiveResource) -> String {
    match &resource.detail {
        Some(Detail::Workflow(workflow)) => workflow.phase.clone(),
        Some(_) | None => String::new(),
    }
}

fn reported(phase: &str, resource_version: u64) -> pb::LiveResource {
    let workflow = pb::Workflow {
        phase: phase.to_owned(),
        ..pb::Workflow::default()
    };
    pb::LiveResource {
        resource_version,
        detail: Some(Detail::Workflow(workflow)),
        ..pb::LiveResource::default()
    }
}

fn live_state(phase: &str, resource_version: u64) -> LiveState {
    LiveState {
        resource_version,
        phase: phase.to_owned(),
    }
}

#[test]
fn an_outdated_report_does_not_complete_a_wait() {
    for (phase, version, now, outdated) in [
        // It was begun again, and the report of that is on its way.
        ("Failed", 7, live_state("Running", 9), true),
        ("Succeeded", 7, live_state("Failed", 9), true),
        // What was reported is as new, or newer.
        ("Failed", 9, live_state("Running", 9), false),
        ("Succeeded", 11, live_state("Running", 9), false),
        // What changed since is none of what is reported.
        ("Failed", 7, live_state("Failed", 9), false),
        // What is no end is shown as it is.
        ("Running", 7, live_state("Running", 9), false),
        ("Pending", 7, live_state("Failed", 9), false),
    ] {
        let told = is_outdated(&reported(phase, version), &KIND, Some(&now));
        assert_eq!(told, outdated, "{phase} {version} {now:?}");
    }
    assert!(!is_outdated(&reported("Failed", 7), &KIND, None));
}

#[test]
fn an_unobserved_generation_is_not_completed() {
    for (manifest, seen) in [
        (
            json!({"metadata": {"generation": 3}, "status": {"observedGeneration": "3"}}),
            true,
        ),
        (
            json!({"metadata": {"generation": 3}, "status": {"observedGeneration": 3}}),
            true,
        ),
        (
            json!({"metadata": {"generation": 4}, "status": {"observedGeneration": "3"}}),
            false,
        ),
        (
            json!({"metadata": {"generation": 4}, "status": {"phase": "Running"}}),
            true,
        ),
        (
            json!({"metadata": {"generation": 4}, "status": {"observedGeneration": "6c9f8"}}),
            true,
        ),
        (json!(null), true),
    ] {
        assert_eq!(is_observed(&manifest), seen, "{manifest}");
    }
}

#[test]
fn a_timeout_names_the_next_step() {
    let late = anyhow::Error::from(timeout_error("rollout", "web", "5s".parse().unwrap()));
    assert!(late.to_string().ends_with("'causeway rollout get web'"));
    let code = format!("{:?}", crate::failure::exit_code(&late));
    assert_eq!(code, format!("{:?}", std::process::ExitCode::from(5)));
}
