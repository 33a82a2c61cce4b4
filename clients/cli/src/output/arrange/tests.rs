use causeway_proto::inventory::v1 as pb;
use clap::Parser;

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    arrangement: Arrangement,
}

fn application(name: &str, health: pb::HealthStatus, version: u64) -> pb::Application {
    let health = pb::HealthState {
        status: health.into(),
        ..pb::HealthState::default()
    };
    pb::Application {
        name: name.to_owned(),
        resource_version: version,
        status: Some(pb::ApplicationStatus {
            health: Some(health),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::Application::default()
    }
}

fn arranged(flags: &[&str]) -> Vec<String> {
    let mut applications = vec![
        application("pay", pb::HealthStatus::Degraded, 9),
        application("cart", pb::HealthStatus::Healthy, 10),
        application("old", pb::HealthStatus::Degraded, 0),
    ];
    let line = std::iter::once(&"causeway").chain(flags);
    let arrangement = Typed::parse_from(line).arrangement;
    let values = vec!["pay", "cart", "old"];
    let values = arrangement.apply(&mut applications, values).unwrap();
    let names: Vec<_> = applications.into_iter().map(|it| it.name).collect();
    assert_eq!(names, values);
    names
}

#[test]
fn lists_are_filtered_by_states_and_contract_values() {
    let by = |selector: &str| arranged(&["--field-selector", selector]);
    assert_eq!(by("status.health.status=Degraded"), ["pay", "old"]);
    assert_eq!(
        by("status.health.status=HEALTH_STATUS_DEGRADED"),
        ["pay", "old"]
    );
    assert_eq!(by("status.health.status!=degraded"), ["cart"]);
    assert_eq!(by("metadata.name==cart"), ["cart"]);
    assert_eq!(
        by("name!=cart, .status.health.status=Degraded"),
        ["pay", "old"]
    );
    assert_eq!(by("status.health.status=HEALTH"), Vec::<String>::new());
    assert_eq!(by("nothing="), ["pay", "cart", "old"]);
}

#[test]
fn lists_are_ordered_by_a_field_and_numbers_by_their_size() {
    assert_eq!(arranged(&["--sort-by", ".name"]), ["cart", "old", "pay"]);
    assert_eq!(
        arranged(&["--sort-by", "{.resourceVersion}"]),
        ["old", "pay", "cart"]
    );
    assert_eq!(
        arranged(&["--sort-by", "status.health.status"]),
        ["pay", "old", "cart"]
    );
    assert_eq!(arranged(&[]), ["pay", "cart", "old"]);
}

#[test]
fn states_of_several_words_are_known() {
    assert!(is_state("SYNC_STATUS_OUT_OF_SYNC", "OutOfSync"));
    assert!(is_state("SYNC_STATUS_OUT_OF_SYNC", "out-of-sync"));
    assert!(!is_state("SYNC_STATUS_SYNCED", "OutOfSync"));
    assert!(!is_state("a_Degraded", "Degraded"));
}

#[test]
fn a_selector_without_an_operator_is_rejected() {
    let error = "status".parse::<FieldSelector>().unwrap_err();
    assert_eq!(error, "'status' is not FIELD=VALUE or FIELD!=VALUE");
}
