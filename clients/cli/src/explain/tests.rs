use causeway_proto::{error::v1::Reason, inventory::v1 as pb, platform::v1 as platform};

use super::*;
use crate::words;

fn words_of(kind: &str) -> Vec<&'static str> {
    all()
        .filter(|it| it.kind == kind)
        .map(|it| it.word)
        .collect()
}

#[test]
fn every_reason_of_the_contract_is_explained_with_what_to_do() {
    let known = words_of("reason");
    for number in 1.. {
        let Ok(reason) = Reason::try_from(number) else {
            assert_eq!(usize::try_from(number - 1), Ok(known.len()));
            break;
        };
        let name = reason.as_str_name();
        let found = meant(name);
        assert_eq!(found.len(), 1, "{name}");
        assert!(
            !found[0].why.is_empty() && !found[0].next.is_empty(),
            "{name}"
        );
    }
}

#[test]
fn every_state_of_the_contract_is_explained() {
    let check = |kind: &str, word: &str| assert!(words_of(kind).contains(&word), "{kind} {word}");
    for number in 1..=6 {
        check(
            "health",
            words::health_status(pb::HealthStatus::try_from(number).unwrap()),
        );
    }
    for number in 1..=3 {
        check(
            "sync state",
            words::sync_status(pb::SyncStatus::try_from(number).unwrap()),
        );
    }
    for number in 1..=5 {
        check(
            "operation",
            words::phase(pb::OperationPhase::try_from(number).unwrap()),
        );
    }
    for number in 1..=4 {
        let connection = platform::Connection::try_from(number).unwrap();
        check("runtime", crate::runtime::list::connection_word(connection));
    }
    assert!(platform::Connection::try_from(5).is_err());
    assert!(pb::HealthStatus::try_from(7).is_err());
    assert!(pb::SyncStatus::try_from(4).is_err());
    assert!(pb::OperationPhase::try_from(6).is_err());
}

#[test]
fn a_word_is_known_however_it_is_written_and_in_all_that_it_means() {
    let kinds = |word: &str| meant(word).iter().map(|it| it.kind).collect::<Vec<_>>();
    assert_eq!(kinds("unknown"), ["health", "sync state"]);
    assert_eq!(kinds("out-of-sync"), ["sync state"]);
    assert_eq!(kinds("desired unknown"), ["what is shown"]);
    assert_eq!(kinds("runtime_not_connected"), ["reason"]);
    assert_eq!(kinds("exit code 5"), ["exit code"]);
    assert_eq!(kinds("5"), ["exit code"]);
}

#[test]
fn a_typo_is_answered_with_the_nearest_words() {
    assert!(unknown("Degradd").contains("did you mean Degraded"));
    assert!(unknown("%").contains("see 'causeway explain'"));
}

#[test]
fn every_command_that_an_explanation_names_is_there() {
    for explanation in all() {
        for text in explanation.why.iter().chain(explanation.next) {
            for quoted in text.split('\'').skip(1).step_by(2) {
                crate::tests::check_command(quoted);
            }
        }
    }
}

#[test]
fn an_explanation_says_what_it_means_why_it_comes_and_what_to_do() {
    let text = meant("TUNNEL_LOST")[0].text();
    let lines: Vec<_> = text.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "TUNNEL_LOST (reason)",
            "  The session ended while the call was under way; its outcome is unknown.",
            "Why it comes:",
        ]
    );
    assert!(text.contains("\nWhat to do:\n  - look with"), "{text}");
}
