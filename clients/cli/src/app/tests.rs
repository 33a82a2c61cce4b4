use causeway_proto::inventory::v1 as pb;
use clap::Parser;

use super::{
    AppCommand,
    filter::{parse_source, parse_sync},
    list::parse_sort,
    print::Applications,
};
use crate::{
    output::Table,
    words::{self, parse_health},
};

#[derive(Parser)]
struct Typed {
    #[command(subcommand)]
    command: AppCommand,
}

#[test]
fn states_are_read_as_they_are_printed() {
    for number in 1..=6 {
        let status = pb::HealthStatus::try_from(number).unwrap();
        assert_eq!(parse_health(words::health_status(status)), Ok(status));
    }
    for number in 1..=3 {
        let status = pb::SyncStatus::try_from(number).unwrap();
        assert_eq!(
            parse_sync(&words::sync_status(status).to_lowercase()),
            Ok(status)
        );
    }
    assert!(parse_health("Fine").unwrap_err().contains("Degraded"));
}

#[test]
fn orders_and_sources_are_read_by_the_words_of_the_contract() {
    for number in 1..=10 {
        let sort = pb::ApplicationSort::try_from(number).unwrap();
        let name = sort.as_str_name().trim_start_matches("APPLICATION_SORT_");
        let name = name.to_lowercase().replace('_', "-");
        assert_eq!(parse_sort(&name), Ok(sort));
    }
    for number in 1..=3 {
        let kind = pb::SourceKind::try_from(number).unwrap();
        let name = kind.as_str_name().trim_start_matches("SOURCE_KIND_");
        assert_eq!(parse_source(name), Ok(kind));
    }
    assert!(parse_sort("colour").unwrap_err().contains("health"));
}

#[test]
fn flags_become_one_filter() {
    let line = "app list pay team -l team=a,!old --health degraded --sync OutOfSync --cluster spoke --sort name --limit 5";
    let typed = Typed::parse_from(line.split(' '));
    let AppCommand::List(args) = typed.command else {
        panic!("it is a list");
    };
    assert_eq!(args.sort, pb::ApplicationSort::Name);
    assert_eq!(args.limit.map(Into::into), Some(5_usize));
    let expected = pb::ApplicationFilter {
        text: "pay team".to_owned(),
        label_selector: "team=a,!old".to_owned(),
        health: vec![pb::HealthStatus::Degraded.into()],
        sync: vec![pb::SyncStatus::OutOfSync.into()],
        cluster: "spoke".to_owned(),
        ..pb::ApplicationFilter::default()
    };
    assert_eq!(args.filter.to_filter_with(&args.words), expected);
}

#[test]
fn repeated_names_wildcards_and_exclusions_become_lists() {
    let line = "app list --runtime east --cluster a --cluster b -p pay* --operation failed --automated false \
        --repository https://git/one --parent argocd/root --exclude health=healthy --exclude name=test-* \
        --exclude label=a=b --exclude label=!c --sort last-operation --descending --offset 100";
    let typed = Typed::parse_from(line.split_whitespace());
    let AppCommand::List(args) = typed.command else {
        panic!("it is a list");
    };
    assert_eq!(args.sort, pb::ApplicationSort::LastOperation);
    assert!(args.descending);
    assert_eq!(args.offset, 100);
    let texts = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
    let expected = pb::ApplicationFilter {
        runtime: "east".to_owned(),
        clusters: texts(&["a", "b"]),
        projects: texts(&["pay*"]),
        operation: vec![pb::OperationPhase::Failed.into()],
        automated: Some(false),
        repositories: texts(&["https://git/one"]),
        parents: texts(&["argocd/root"]),
        exclude: Some(pb::ApplicationExclusion {
            names: texts(&["test-*"]),
            health: vec![pb::HealthStatus::Healthy.into()],
            label_selector: "a=b,!c".to_owned(),
            ..Default::default()
        }),
        ..Default::default()
    };
    assert_eq!(args.filter.to_filter(None), expected);
    for wrong in ["health", "health=fine", "colour=red"] {
        let line = ["app", "list", "--exclude", wrong];
        assert!(Typed::try_parse_from(line).is_err(), "{wrong}");
    }
}

#[test]
fn line_of_an_application_says_what_is_wrong_in_place_of_its_commit() {
    let healthy = pb::Application {
        status: Some(pb::ApplicationStatus {
            commit: Some(pb::Commit {
                message: "Add a page".to_owned(),
                ..pb::Commit::default()
            }),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::Application::default()
    };
    let with = |change: fn(&mut pb::ApplicationStatus)| {
        let mut application = healthy.clone();
        change(application.status.as_mut().unwrap());
        Table::from_items::<Applications>(&[application]).text()
    };
    assert!(with(|_| {}).contains("Add a page"));
    let failing = with(|status| {
        let condition = |kind: &str, message: &str| pb::Condition {
            r#type: kind.to_owned(),
            message: message.to_owned(),
            ..pb::Condition::default()
        };
        status.conditions = vec![
            condition("OrphanedResourceWarning", "2 orphans"),
            condition("ComparisonError", "cannot render"),
        ];
    });
    assert!(
        failing.contains("ComparisonError: cannot render"),
        "{failing}"
    );
    assert!(!failing.contains("Add a page"), "{failing}");
    let degraded = with(|status| {
        status.health = Some(pb::HealthState {
            status: pb::HealthStatus::Degraded.into(),
            message: "back-off".to_owned(),
            ..pb::HealthState::default()
        });
    });
    assert!(degraded.contains("back-off"), "{degraded}");
    let failed = with(|status| {
        status.operation = Some(pb::Operation {
            phase: pb::OperationPhase::Failed.into(),
            message: "one hook failed".to_owned(),
            ..pb::Operation::default()
        });
    });
    assert!(failed.contains("one hook failed"), "{failed}");
}
