use causeway_proto::inventory::v1 as pb;
use clap::Parser;

use super::{
    AppCommand,
    filter::{parse_source, parse_sync},
    list::parse_sort,
};
use crate::words::{self, parse_health};

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
    for number in 1..=7 {
        let sort = pb::ApplicationSort::try_from(number).unwrap();
        let name = sort.as_str_name().trim_start_matches("APPLICATION_SORT_");
        assert_eq!(parse_sort(&name.to_lowercase()), Ok(sort));
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
