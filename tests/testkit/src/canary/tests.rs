use serde_json::json;

use super::*;

#[test]
fn every_canary_is_planted_and_found_in_each_of_its_forms() {
    let canaries = Canaries::default();
    assert!(canaries.beginnings().iter().all(|it| it.len() >= 5));
    assert!(canaries.all.len() >= 45, "{}", canaries.all.len());
    let texts = [
        &canaries.health_message,
        &canaries.commit_message,
        &canaries.failure,
    ];
    let all = json!([canaries.manifests, canaries.application, texts]).to_string();
    // The binary canary starts with two bytes of its own; another one is in a text that is encoded as a whole.
    for canary in &canaries.all {
        assert!(canary.is_in(all.as_bytes()), "{}", canary.place);
        for before in ["", "a", "ab"] {
            let encoded = BASE64_STANDARD.encode(format!("{before}{} after", canary.text));
            assert!(canary.is_in(encoded.as_bytes()), "{}", canary.place);
        }
        assert!(!canary.is_in(b"c4n4ry-00-9d2f7"));
    }
}
