use causeway_argocd::application::Application;
use serde_json::json;

use super::*;

fn asked(rules: &str, allowed: &str) -> PolicyDecision {
    let application = Application::from_value(json!({
        "metadata": {
            "namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "1",
            "labels": {"team": "a"},
        },
        "spec": {"project": "shop"},
    }))
    .unwrap();
    let requester = Requester {
        asked_at: 0,
        user: "ada".parse().unwrap(),
        scope: serde_json::from_str(&format!(r#"{{"rules":{rules}}}"#)).unwrap(),
    };
    let place = ScopeTarget {
        runtime: "east".parse().unwrap(),
        cluster: "in-cluster".to_owned(),
    };
    let policy = Policy::new(allowed.split(',').map(|entry| entry.parse().unwrap()));
    answer(&requester, &policy, &place, Action::Sync, &application)
}

#[test]
fn the_platforms_scope_comes_before_the_runtimes_list() {
    let all = "read,sync,refresh";
    for (rules, allowed, expected) in [
        ("[]", all, PolicyDecision::Hidden),
        ("[{}]", all, PolicyDecision::Allowed),
        ("[{}]", "read", PolicyDecision::Denied),
        (
            "[{}]",
            "read:project=bank,sync:project=bank",
            PolicyDecision::Hidden,
        ),
        (r#"[{"runtimes":["west"]}]"#, all, PolicyDecision::Hidden),
        (
            r#"[{"runtimes":["e*"],"clusters":["in-*"]}]"#,
            all,
            PolicyDecision::Allowed,
        ),
        (r#"[{"clusters":["other"]}]"#, all, PolicyDecision::Hidden),
        (
            r#"[{"projects":["shop"],"labels":{"team":"a"}}]"#,
            all,
            PolicyDecision::Allowed,
        ),
        (
            r#"[{"projects":["shop"],"labels":{"team":"b"}}]"#,
            all,
            PolicyDecision::Hidden,
        ),
        (
            r#"[{"projects":["bank"]}]"#,
            "sync:project=shop",
            PolicyDecision::Hidden,
        ),
    ] {
        assert_eq!(asked(rules, allowed), expected, "{rules} {allowed}");
    }
}
