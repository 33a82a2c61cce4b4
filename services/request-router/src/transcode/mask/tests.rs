use causeway_proto::inventory::v1 as inventory;
use prost::Message as _;
use prost_reflect::DynamicMessage;
use serde_json::{Value, json};

use super::*;

fn descriptor() -> MessageDescriptor {
    let pool = causeway_proto::descriptor_pool();
    pool.get_message_by_name("causeway.inventory.v1.ListApplicationsResponse")
        .unwrap()
}

fn masked(text: &str) -> Result<Value, TranscodeError> {
    let application = |name: &str| inventory::Application {
        name: name.to_owned(),
        namespace: "argocd".to_owned(),
        spec: Some(inventory::ApplicationSpec {
            project: "default".to_owned(),
            sources: vec![inventory::ApplicationSource {
                path: "web".to_owned(),
                chart: "web".to_owned(),
                ..Default::default()
            }],
            ..Default::default()
        }),
        ..Default::default()
    };
    let answer = inventory::ListApplicationsResponse {
        applications: ["a", "b"].map(application).to_vec(),
        next_page_token: "next".to_owned(),
        ..Default::default()
    };
    let mask = Mask::parse(text, &descriptor())?;
    let encoded = answer.encode_to_vec();
    let mut message = DynamicMessage::decode(descriptor(), encoded.as_slice()).unwrap();
    mask.apply(&mut message);
    Ok(serde_json::to_value(&message).unwrap())
}

#[test]
fn only_the_named_fields_stay_in_each_item_too() {
    let cases = [
        ("nextPageToken", json!({"nextPageToken": "next"})),
        ("next_page_token", json!({"nextPageToken": "next"})),
        (
            "applications.name",
            json!({"applications": [{"name": "a"}, {"name": "b"}]}),
        ),
        (
            "applications.spec.sources.path, applications.name",
            json!({"applications": [
                {"name": "a", "spec": {"sources": [{"path": "web"}]}},
                {"name": "b", "spec": {"sources": [{"path": "web"}]}},
            ]}),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(masked(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_star_and_a_whole_field_win_over_parts_of_it() {
    let whole = masked("*").unwrap();
    assert_eq!(masked("applications.name,*").unwrap(), whole);
    assert_eq!(masked("*,applications.name").unwrap(), whole);
    let field = masked("applications").unwrap();
    assert_eq!(field["applications"], whole["applications"]);
    assert_eq!(masked("applications,applications.name").unwrap(), field);
    assert_eq!(masked("applications.name,applications").unwrap(), field);
}

#[test]
fn a_path_that_the_answer_lacks_is_told() {
    let many = vec!["nextPageToken"; 101].join(",");
    let deep = vec!["applications"; 17].join(".");
    let cases = [
        ("", "has an empty path"),
        ("applications,", "has an empty path"),
        (
            "nextPageTokn",
            "names 'nextPageTokn', which the answer lacks; did you mean 'nextPageToken'",
        ),
        (
            "*,applications.nam",
            "names 'nam', which the answer lacks; did you mean 'name'",
        ),
        (
            "nextPageToken.x",
            "names a part of 'nextPageToken', which is taken whole",
        ),
        (&many, "has more than 100 paths"),
        (&deep, "is nested too deeply"),
    ];
    for (text, problem) in cases {
        let error = masked(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("'fields' {problem}")), "{error}");
    }
}
