use anstream::adapter::strip_str;
use clap::Parser;

use super::*;

#[derive(Parser, Debug)]
struct Line {
    #[command(subcommand)]
    command: EventCommand,
}

fn asked(words: &[&str]) -> Result<pb::ListEventsRequest, clap::Error> {
    let all = ["event", "list"].iter().chain(words);
    let EventCommand::List(args) = Line::try_parse_from(all)?.command;
    let enough = args.limit.map_or(usize::MAX, NonZeroUsize::get);
    Ok(args.to_request(enough))
}

#[test]
fn events_are_requested_by_application_object_or_all() {
    let of = asked(&["--application", "argocd/web"]).unwrap();
    assert_eq!(
        (&*of.application_namespace, &*of.application),
        ("argocd", "web")
    );
    assert_eq!((&*of.name, &*of.kind), ("", ""));
    let of = asked(&["Rollout/web", "-n", "shop"]).unwrap();
    assert_eq!(
        (&*of.kind, &*of.namespace, &*of.name),
        ("Rollout", "shop", "web")
    );
    assert_eq!(asked(&["web"]).unwrap().name, "web");
    for (limit, page_size) in [("1", 2), ("999", 1_000), ("5000", 1_000)] {
        let of = asked(&["web", "--limit", limit]).unwrap();
        assert_eq!(of.page_size, page_size);
    }
    assert_eq!(asked(&["web"]).unwrap().page_size, 1_000, "all of them");
    let all = asked(&["-n", "shop", "--kind", "Pod", "--runtime", "eu"]).unwrap();
    assert_eq!((&*all.application, &*all.name), ("", ""));
    assert_eq!(
        (&*all.kind, &*all.namespace, &*all.runtime),
        ("Pod", "shop", "eu")
    );
    for wrong in [
        &["web", "--application", "web"][..],
        &["web", "--limit", "0"],
        &["web", "--kind", "Pod"],
        &["--type", "Odd"],
    ] {
        assert!(asked(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn an_event_is_one_line_without_control_characters() {
    let event = pb::KubernetesEvent {
        r#type: "Warning".to_owned(),
        reason: "BackOff".to_owned(),
        message: "\x1b[2Jback-off\nand more".to_owned(),
        regarding: Some(pb::ObjectReference {
            kind: "Pod".to_owned(),
            name: "web-1".to_owned(),
            namespace: "shop".to_owned(),
            ..pb::ObjectReference::default()
        }),
        ..pb::KubernetesEvent::default()
    };
    let reported = pb::ReportedEvent {
        runtime: "edge".to_owned(),
        event: Some(event),
        ..pb::ReportedEvent::default()
    };
    let text = output::Table::from_items::<Events>(&[reported]).text();
    assert!(!text.contains("\x1b[2J"));
    let lines: Vec<String> = text.lines().map(|it| strip_str(it).to_string()).collect();
    assert_eq!(
        lines,
        [
            "LAST SEEN   COUNT   TYPE      REASON    OBJECT      NAMESPACE   RUNTIME   MESSAGE",
            "-           1       Warning   BackOff   Pod/web-1   shop        edge      [2Jback-off",
        ]
    );
}

#[test]
fn events_before_the_requested_time_are_left_out() {
    let at = |seconds: i64| pb::ReportedEvent {
        event: Some(pb::KubernetesEvent {
            last_seen: Some(causeway_proto::time::millis_to_timestamp(seconds * 1_000)),
            ..Default::default()
        }),
        ..Default::default()
    };
    let line = ["event", "list", "--since", "1970-01-01T00:01:00Z"];
    let EventCommand::List(args) = Line::try_parse_from(line).unwrap().command;
    let wanted = [59, 60, 61].map(|seconds| args.wants(&at(seconds)));
    assert_eq!(wanted, [false, true, true]);
    assert!(args.wants(&pb::ReportedEvent::default()), "without a time");
    for word in ["today", "yesterday", "1h", "2026-01-31"] {
        Line::try_parse_from(["event", "list", "--since", word]).unwrap();
    }
}

#[test]
fn events_are_sorted_by_their_last_occurrence_newest_first() {
    let event = |seconds: Option<i64>| pb::ReportedEvent {
        event: Some(pb::KubernetesEvent {
            last_seen: seconds.map(|seconds| prost_types::Timestamp { seconds, nanos: 0 }),
            ..pb::KubernetesEvent::default()
        }),
        ..pb::ReportedEvent::default()
    };
    let mut events = [Some(5), None, Some(9), Some(7)].map(event);
    list::sort_newest_first(&mut events);
    let seen = events.map(|it| it.event.unwrap().last_seen.map(|it| it.seconds));
    assert_eq!(seen, [Some(9), Some(7), Some(5), None]);
}
