use serde_json::{Value, json};

use super::{Plan, RolloutRefusal, RolloutState, Verb};

const NOW: u64 = 1_767_225_600;

fn canary(spec: &Value, status: &Value) -> Value {
    let steps = json!([{"setWeight": 20}, {"pause": {}}, {"setWeight": 60}]);
    let mut rollout = json!({
        "metadata": {"namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7"},
        "spec": {"strategy": {"canary": {"steps": steps}}},
        "status": {"currentPodHash": "new", "stableRS": "old", "currentStepIndex": 1},
    });
    for (at, more) in [("spec", spec), ("status", status)] {
        for (field, value) in more.as_object().unwrap() {
            rollout[at][field] = value.clone();
        }
    }
    rollout
}

fn paused() -> Value {
    json!({
        "controllerPause": true,
        "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:00:00Z"}],
    })
}

fn plan(verb: &Verb, rollout: &Value) -> (Option<Value>, Option<Value>) {
    let seen = RolloutState {
        rollout,
        replica_sets: &[],
        now: NOW,
    };
    let Plan { object, status } = verb.plan(seen).unwrap();
    (object, status)
}

fn status(patch: &Value) -> (Option<Value>, Option<Value>) {
    (None, Some(json!({"status": patch})))
}

fn unpaused() -> Option<Value> {
    Some(json!({"spec": {"paused": false}}))
}

#[test]
fn a_pause_is_promoted_by_taking_its_conditions_away() {
    let rollout = canary(&json!({}), &paused());
    let wanted = status(&json!({"pauseConditions": null}));
    assert_eq!(plan(&Verb::Promote, &rollout), wanted);
    let both = canary(&json!({"paused": true}), &paused());
    assert_eq!(plan(&Verb::Promote, &both), (unpaused(), wanted.1));
}

#[test]
fn a_step_that_is_no_pause_is_promoted_by_its_index() {
    let rollout = canary(&json!({}), &json!({}));
    let wanted = status(&json!({"pauseConditions": null, "currentStepIndex": 2}));
    assert_eq!(plan(&Verb::Promote, &rollout), wanted);
    let done = canary(&json!({}), &json!({"currentStepIndex": 3}));
    assert_eq!(plan(&Verb::Promote, &done), (None, None));
}

#[test]
fn an_analysis_that_told_nothing_is_promoted_past_its_step() {
    let mut rollout = canary(&json!({}), &paused());
    rollout["status"]["canary"] =
        json!({"currentStepAnalysisRunStatus": {"status": "Inconclusive"}});
    let wanted = json!({"pauseConditions": null, "controllerPause": false, "currentStepIndex": 2});
    assert_eq!(plan(&Verb::Promote, &rollout), status(&wanted));
}

#[test]
fn what_has_no_steps_is_promoted_by_unpausing_it_alone() {
    let spec = json!({"strategy": {"blueGreen": {}}, "paused": true});
    assert_eq!(
        plan(&Verb::Promote, &canary(&spec, &json!({}))),
        (unpaused(), None)
    );
    let waits = plan(&Verb::Promote, &canary(&spec, &paused()));
    assert_eq!(waits.1, Some(json!({"status": {"pauseConditions": null}})));
}

#[test]
fn a_full_promotion_is_for_what_is_under_way() {
    let rollout = canary(&json!({}), &json!({}));
    let wanted = status(&json!({"promoteFull": true}));
    assert_eq!(plan(&Verb::PromoteFull, &rollout), wanted);
    let done = canary(&json!({}), &json!({"stableRS": "new"}));
    assert_eq!(plan(&Verb::PromoteFull, &done), (None, None));
}

#[test]
fn the_other_verbs_write_what_they_are_called() {
    let rollout = canary(&json!({}), &json!({}));
    let pause = (Some(json!({"spec": {"paused": true}})), None);
    assert_eq!(plan(&Verb::Pause, &rollout), pause);
    assert_eq!(plan(&Verb::Resume, &rollout), (None, None));
    assert_eq!(
        plan(&Verb::Abort, &rollout),
        status(&json!({"abort": true}))
    );
    assert_eq!(plan(&Verb::Retry, &rollout), (None, None));
    let aborted = canary(&json!({}), &json!({"abort": true}));
    assert_eq!(plan(&Verb::Abort, &aborted), (None, None));
    assert_eq!(
        plan(&Verb::Retry, &aborted),
        status(&json!({"abort": false}))
    );
    let both = canary(&json!({"paused": true}), &paused());
    let resumed = plan(&Verb::Resume, &both);
    assert_eq!(
        resumed,
        (
            unpaused(),
            Some(json!({"status": {"pauseConditions": null}}))
        )
    );
    let restart = (
        Some(json!({"spec": {"restartAt": "2026-01-01T00:01:00Z"}})),
        None,
    );
    assert_eq!(plan(&Verb::Restart { delay: 60 }, &rollout), restart);
}

#[test]
fn what_contradicts_its_schema_is_no_panic() {
    for rollout in [
        json!(null),
        json!({"spec": 5, "status": []}),
        json!({"spec": {"strategy": {"canary": {"steps": 5}}}}),
    ] {
        for verb in [Verb::Promote, Verb::PromoteFull, Verb::Resume, Verb::Retry] {
            let seen = RolloutState {
                rollout: &rollout,
                replica_sets: &[],
                now: u64::MAX,
            };
            drop(verb.plan(seen));
        }
        let seen = RolloutState {
            rollout: &rollout,
            replica_sets: &[json!(5)],
            now: 0,
        };
        Verb::Undo { revision: None }.plan(seen).unwrap_err();
        drop(Verb::Restart { delay: u64::MAX }.plan(seen));
    }
}

#[test]
fn a_standing_is_another_one_as_soon_as_the_verb_had_its_effect_and_only_then() {
    let before = canary(&json!({}), &paused());
    let same = canary(
        &json!({"paused": true}),
        &json!({"phase": "Paused", "pauseConditions": paused()["pauseConditions"]}),
    );
    for verb in [Verb::Promote, Verb::PromoteFull, Verb::Resume, Verb::Abort] {
        assert_eq!(verb.standing(&before), verb.standing(&same), "{verb:?}");
        let plan = plan(&verb, &before);
        let after = crate::merge::applied(&before, &plan.1.unwrap());
        assert_ne!(verb.standing(&before), verb.standing(&after), "{verb:?}");
    }
    // What another step or another reader does is nothing to an abort.
    let further = canary(&json!({}), &json!({"currentStepIndex": 2}));
    assert_eq!(
        Verb::Abort.standing(&before),
        Verb::Abort.standing(&further)
    );
    assert_ne!(
        Verb::Promote.standing(&before),
        Verb::Promote.standing(&further)
    );
}

fn template(image: &str, hash: Option<&str>) -> Value {
    let mut template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image}, {"name": "side", "image": "side:1"}]},
    });
    if let Some(hash) = hash {
        template["metadata"]["labels"]["rollouts-pod-template-hash"] = json!(hash);
        template["metadata"]["creationTimestamp"] = json!(null);
        template["spec"]["restartPolicy"] = json!("Always");
    }
    template
}

fn replica_set(revision: u64, image: &str, owner: &str) -> Value {
    json!({
        "metadata": {
            "annotations": {"rollout.argoproj.io/revision": revision.to_string()},
            "ownerReferences": [{"uid": "somebody"}, {"uid": owner, "controller": true}],
        },
        "spec": {"template": template(image, Some("hash"))},
    })
}

fn undone(revision: Option<u64>) -> Result<Option<Value>, RolloutRefusal> {
    let rollout = canary(&json!({"template": template("main:3", None)}), &json!({}));
    let sets = [
        replica_set(9, "foreign:1", "other"),
        replica_set(1, "main:1", "u"),
        replica_set(3, "main:3", "u"),
        replica_set(2, "main:2", "u"),
    ];
    let seen = RolloutState {
        rollout: &rollout,
        replica_sets: &sets,
        now: NOW,
    };
    let plan = Verb::Undo { revision }.plan(seen)?;
    let object = plan
        .object
        .map(|patch| crate::merge::applied(&rollout, &patch));
    Ok(object.map(|object| object["spec"]["template"].clone()))
}

#[test]
fn an_undo_takes_the_template_of_the_revision_without_its_hash() {
    let restored = |image: &str| {
        let mut template = template(image, None);
        template["spec"]["restartPolicy"] = json!("Always");
        Ok(Some(template))
    };
    assert_eq!(undone(None), restored("main:2"));
    assert_eq!(undone(Some(1)), restored("main:1"));
    assert_eq!(undone(Some(3)), Ok(None));
    assert_eq!(undone(Some(9)), Err(RolloutRefusal::NoRevision(9)));
}

#[test]
fn an_image_is_changed_in_one_container_or_in_all() {
    let rollout = canary(&json!({"template": template("main:1", None)}), &json!({}));
    let images = |container: &str| {
        let verb = Verb::SetImage {
            container: container.to_owned(),
            image: "new:2".to_owned(),
        };
        let object = crate::merge::applied(&rollout, &plan(&verb, &rollout).0.unwrap());
        let containers = object
            .pointer("/spec/template/spec/containers")
            .unwrap()
            .clone();
        [
            containers[0]["image"].clone(),
            containers[1]["image"].clone(),
        ]
    };
    assert_eq!(images("main"), ["new:2", "side:1"]);
    assert_eq!(images("*"), ["new:2", "new:2"]);
    let verb = Verb::SetImage {
        container: "mian".to_owned(),
        image: "new:2".to_owned(),
    };
    let seen = RolloutState {
        rollout: &rollout,
        replica_sets: &[],
        now: NOW,
    };
    let refusal = verb.plan(seen).unwrap_err().to_string();
    assert!(
        refusal.contains("mian") && refusal.contains("main, side"),
        "{refusal}"
    );
}

#[test]
fn a_template_that_is_anothers_is_changed_there() {
    let reference = json!({"workloadRef": {"kind": "Deployment", "name": "web"}});
    let rollout = canary(&reference, &json!({}));
    let seen = RolloutState {
        rollout: &rollout,
        replica_sets: &[],
        now: NOW,
    };
    let refusal = Verb::Undo { revision: None }.plan(seen).unwrap_err();
    assert!(refusal.to_string().contains("Deployment/web"), "{refusal}");
}

#[test]
fn the_text_of_a_verb_stays_the_same_over_releases() {
    // Digests of it are in annotations of live objects.
    let text = |verb: Verb| format!("{verb:?}");
    assert_eq!(text(Verb::PromoteFull), "PromoteFull");
    assert_eq!(text(Verb::Restart { delay: 5 }), "Restart { delay: 5 }");
    assert_eq!(
        text(Verb::Undo { revision: Some(3) }),
        "Undo { revision: Some(3) }"
    );
    let image = Verb::SetImage {
        container: "web".to_owned(),
        image: "nginx:2".to_owned(),
    };
    assert_eq!(
        text(image),
        r#"SetImage { container: "web", image: "nginx:2" }"#
    );
}
