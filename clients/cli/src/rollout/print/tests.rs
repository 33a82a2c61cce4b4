use anstream::adapter::strip_str;

use super::*;

fn revision(number: u64, role: pb::RolloutRole, image: &str) -> pb::RolloutRevision {
    pb::RolloutRevision {
        number,
        replica_set: format!("web-{number}"),
        images: vec![image.to_owned()],
        desired_replicas: 2,
        ready_replicas: 1,
        roles: vec![role.into()],
        ..pb::RolloutRevision::default()
    }
}

fn canary() -> pb::Rollout {
    let mut newest = revision(3, pb::RolloutRole::Canary, "nginx:2");
    newest.analysis_runs = vec![pb::RolloutAnalysis {
        name: "web-3-1".to_owned(),
        phase: "Running".to_owned(),
    }];
    pb::Rollout {
        strategy: pb::RolloutStrategy::Canary.into(),
        phase: "Paused".to_owned(),
        message: "CanaryPauseStep\nand more".to_owned(),
        current_step: Some(1),
        step_count: 3,
        steps: ["setWeight 20", "pause", "setWeight 60"]
            .map(str::to_owned)
            .into(),
        actual_weight: Some(20),
        desired_weight: Some(20),
        revisions: vec![newest, revision(2, pb::RolloutRole::Stable, "nginx:1")],
        desired_replicas: 5,
        ready_replicas: 5,
        ..pb::Rollout::default()
    }
}

fn web(rollout: pb::Rollout) -> pb::LiveResource {
    pb::LiveResource {
        runtime: "edge".to_owned(),
        cluster: "in-cluster".to_owned(),
        resource: "rollouts.argoproj.io".to_owned(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
        kind: "Rollout".to_owned(),
        detail: Some(Detail::Rollout(rollout)),
        ..pb::LiveResource::default()
    }
}

fn shown(rollout: pb::Rollout) -> String {
    strip_str(&Rollouts::details(&web(rollout))).to_string()
}

#[test]
fn a_rollout_is_a_tree_of_its_revisions() {
    let shown = shown(canary());
    let (_, tree) = shown.split_once("\n\n").unwrap();
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(
        lines,
        [
            "REVISION                 SERVES AS   STATUS    READY   IMAGES",
            "Rollout/web                          Paused    5/5",
            "├─ revision 3            canary      web-3     1/2     nginx:2",
            "│  └─ analysis web-3-1               Running",
            "└─ revision 2            stable      web-2     1/2     nginx:1",
        ]
    );
}

#[test]
fn details_stand_above_the_tree_of_revisions() {
    let shown = shown(canary());
    for line in [
        "Message:       CanaryPauseStep",
        "Strategy:      canary",
        "Step:          1/3",
        "Steps:         setWeight 20 → [pause] → setWeight 60",
        "Weight:        20 %",
        "Pods:          5 wanted, 0 updated, 5 ready, 0 available",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    assert!(!shown.contains("Aborted:") && !shown.contains("Paused:"));
}

#[test]
fn weights_steps_and_pauses_are_optional() {
    let mut rollout = canary();
    rollout.desired_weight = Some(60);
    assert_eq!(weight(&rollout), "20 % of 60 %");
    rollout.actual_weight = None;
    assert_eq!(weight(&rollout), "60 %");
    rollout.desired_weight = None;
    assert_eq!(weight(&rollout), "");
    rollout.current_step = Some(3);
    assert_eq!(step(&rollout), "3/3");
    assert!(!steps(&rollout).contains('['));
    rollout.step_count = 0;
    assert_eq!(step(&rollout), "");
    rollout.pause = Some(pb::RolloutPause {
        since: None,
        reason: "spec.paused".to_owned(),
    });
    assert_eq!(paused(&rollout), "spec.paused");
}

#[test]
fn texts_of_clusters_lose_control_characters() {
    let mut rollout = canary();
    rollout.message = "\x1b[2Jgone".to_owned();
    rollout.steps = vec!["pause\r\x07".to_owned()];
    rollout.revisions[0].images = vec!["a\x1b]0;b".to_owned()];
    let shown = Rollouts::details(&web(rollout));
    assert!(!shown.contains("\x1b[2J") && !shown.contains('\r') && !shown.contains('\x07'));
    assert!(!shown.contains("\x1b]"));
}

#[test]
fn a_list_has_one_line_for_each() {
    let text = Table::from_items::<Rollouts>(&[web(canary()), web(pb::Rollout::default())]).text();
    let text = strip_str(&text).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[1].contains("canary     Paused   1/3    20 %     5/5"),
        "{text}"
    );
    assert!(
        lines[2].contains("-          -        -      -        0/0"),
        "{text}"
    );
}
