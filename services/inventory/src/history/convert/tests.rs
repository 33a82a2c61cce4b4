use super::*;

fn resource(name: String) -> pb::Resource {
    pb::Resource {
        name,
        images: vec!["x".repeat(1_000)],
        ..pb::Resource::default()
    }
}

fn snapshot(resources: Vec<pb::Resource>) -> Snapshot {
    let state = pb::ApplicationState {
        status: Some(pb::ApplicationStatus {
            resources,
            ..pb::ApplicationStatus::default()
        }),
        ..pb::ApplicationState::default()
    };
    Snapshot {
        key: crate::application::Key {
            runtime_name: "edge".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            cluster: "in-cluster".to_owned(),
            runtime: "rt-1".to_owned(),
        },
        uid: "u1".into(),
        resource_version: 1,
        received_at: 1,
        canonical: state.encode_to_vec().into(),
    }
}

#[test]
fn a_diff_stays_within_its_size_and_says_how_many_are_left_off() {
    let many = (0..4_000).map(|number| resource(number.to_string()));
    let diff = to_diff(snapshot(Vec::new()), snapshot(many.collect())).unwrap();
    assert!(diff.encoded_len() <= ANSWER_BYTES);
    assert!(diff.resources.len() > 2_000);
    let left_off = usize::try_from(diff.resources_left_off).unwrap();
    assert_eq!(diff.resources.len() + left_off, 4_000);
}

#[test]
fn a_time_that_no_calendar_has_is_refused() {
    let time_of = |seconds, nanos| time("at", Some(&prost_types::Timestamp { seconds, nanos }));
    assert_eq!(time_of(1, 999_999_999).unwrap(), Some(1_999));
    assert_eq!(time("at", None).unwrap(), None);
    for (seconds, nanos) in [(0, -1), (0, 1_000_000_000), (i64::MAX, 0), (i64::MIN, 0)] {
        assert_eq!(time_of(seconds, nanos).unwrap_err().field, "at");
    }
}

#[test]
fn a_token_of_another_list_begins_no_page_of_states() {
    assert_eq!(states_from("").unwrap(), None);
    let moment = Moment { at: 5, change: 7 };
    assert_eq!(states_from("5.7").unwrap(), Some(moment));
    for wrong in ["x", "5", "5.", ".7", "5.7.9", "5.-7", "eyJhIjoxfQ"] {
        assert_eq!(states_from(wrong).unwrap_err().field, "page_token");
    }
}
