use clap::Parser;

use super::*;

#[derive(Parser, Debug)]
struct Line {
    #[command(flatten)]
    args: CanIArgs,
}

fn asked(line: &str) -> pb::CheckPermissionRequest {
    let line = Line::try_parse_from(line.split_whitespace()).unwrap();
    line.args.into_request()
}

#[test]
fn a_question_names_a_permission_and_what_it_is_for() {
    let request = asked("can-i sync app/guestbook --runtime east -p shop -l tier=web --as kim");
    let target = request.target.unwrap();
    let names = (request.permission.as_str(), request.user.as_str());
    assert_eq!(names, ("application.sync", "kim"));
    let place = [target.name, target.runtime, target.project];
    assert_eq!(place, ["guestbook", "east", "shop"]);
    assert_eq!(target.labels["tier"], "web");
}

#[test]
fn entities_may_be_many_or_short() {
    let cases = [
        ("list apps", "application.list"),
        ("get runtime", "runtime.get"),
        ("list api-keys", "api-key.list"),
        ("set-roles user/kim", "user.set-roles"),
    ];
    for (line, expected) in cases {
        assert_eq!(asked(&format!("can-i {line}")).permission, expected);
    }
}

#[test]
fn several_verbs_are_one_request() {
    let line = "can-i sync,refresh app/guestbook --runtime east";
    let line = Line::try_parse_from(line.split_whitespace()).unwrap();
    let request = line.args.into_requests();
    assert_eq!(
        request.permissions,
        ["application.sync", "application.refresh"]
    );
    assert_eq!(request.targets.len(), 1);
    assert_eq!(request.targets[0].name, "guestbook");
}

#[test]
fn each_decision_has_an_answer() {
    let decision = |allowed, conditional| {
        answer(&pb::PermissionDecision {
            allowed,
            conditional,
            reason: "no rule".to_owned(),
        })
    };
    assert_eq!(decision(false, false), "no: no rule");
    assert_eq!(decision(true, false), "yes");
    assert_eq!(decision(true, true), "yes, where a rule selects it");
}
