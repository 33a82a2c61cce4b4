use causeway_proto::{inventory::v1 as inventory, platform::v1 as platform};
use serde_json::json;

use super::*;
use crate::{runtime::list::connection_word, words};

fn shown(name: &str) -> String {
    text(&json!(name))
}

#[test]
fn states_have_the_words_of_tables() {
    use inventory::{HealthStatus, OperationPhase, SyncStatus};
    use platform::Connection;
    for state in (1..).map_while(|it| HealthStatus::try_from(it).ok()) {
        assert_eq!(shown(state.as_str_name()), words::health_status(state));
    }
    for state in (1..).map_while(|it| SyncStatus::try_from(it).ok()) {
        assert_eq!(shown(state.as_str_name()), words::sync_status(state));
    }
    for state in (1..).map_while(|it| OperationPhase::try_from(it).ok()) {
        assert_eq!(shown(state.as_str_name()), words::phase(state));
    }
    for state in (1..).map_while(|it| Connection::try_from(it).ok()) {
        assert_eq!(shown(state.as_str_name()), connection_word(state));
    }
    for (name, word) in [
        ("HEALTH_NOT_SERVING", "not serving"),
        ("ROLLOUT_STRATEGY_BLUE_GREEN", "blue-green"),
        ("SIGNING_KEY_STATE_LEAVING", "leaving"),
        ("ADMISSION_LINKED_OR_MAPPED", "linked-or-mapped"),
        ("OUTCOME_SUCCEEDED", "Succeeded"),
    ] {
        assert_eq!(shown(name), word);
    }
}

#[test]
fn every_lower_case_enum_is_in_the_contract() {
    let pool = causeway_proto::descriptor_pool();
    for (name, _) in LOWER_CASE {
        assert!(pool.get_enum_by_name(name).is_some(), "{name}");
    }
}

#[test]
fn no_name_has_two_words() {
    let pool = causeway_proto::descriptor_pool();
    for of in pool.all_enums() {
        for (name, word) in words(&of) {
            if of.full_name().starts_with("causeway.") {
                assert_eq!(WORDS.get(&name), Some(&word), "{name}");
            }
        }
    }
}

#[test]
fn other_values_are_unchanged() {
    for text in ["guestbook", "HEALTH_STATUS_", "HEALTH_STATUS_WHATEVER", ""] {
        assert_eq!(shown(text), text);
    }
    let list = json!(["HEALTH_STATUS_HEALTHY"]);
    assert_eq!(text(&list), r#"["HEALTH_STATUS_HEALTHY"]"#);
    assert_eq!(text(&json!(3)), "3");
}
