use super::*;

fn groups() -> Vec<pb::ReporterGroup> {
    let kinds = [
        "applications.argoproj.io",
        "rollouts.argoproj.io",
        "replicasets.apps",
        "widgets.example.org",
    ];
    let group = |kind: &str| pb::ReporterGroup {
        kind: kind.to_owned(),
        cluster: "in-cluster".to_owned(),
        ..pb::ReporterGroup::default()
    };
    kinds.map(group).into()
}

#[test]
fn filters_select_by_exact_names_and_patterns_are_left_out() {
    let filter = pb::ApplicationFilter {
        runtime: "east".to_owned(),
        projects: vec!["shop".to_owned(), "pay*".to_owned()],
        ..pb::ApplicationFilter::default()
    };
    let selection = Selection::from(&filter);
    assert_eq!(selection.runtimes, ["east"]);
    assert_eq!(selection.projects, ["shop"]);
    let everything = Selection::from(&pb::ApplicationFilter::default());
    assert_eq!(everything, Selection::default());
    let filter = pb::ResourceFilter {
        cluster: "spoke".to_owned(),
        kind: "Rollout".to_owned(),
        ..pb::ResourceFilter::default()
    };
    let resources = Selection {
        kind: "Rollout".to_owned(),
        ..Selection::of_runtime("", "spoke")
    };
    assert_eq!(Selection::from(&filter), resources);
}

#[test]
fn unknown_name_is_an_error_with_the_nearest_names() {
    let known = |complete| Known {
        names: ["east", "production"].map(str::to_owned).into(),
        complete,
    };
    let check = |name: &str, complete| {
        check_each("runtime", &[name.to_owned()], &known(complete)).map_err(|it| it.to_string())
    };
    assert_eq!(check("east", true), Ok(()));
    let typo = "no runtime 'esat'; did you mean east?";
    assert_eq!(check("esat", true), Err(typo.to_owned()));
    let other = "no runtime 'zzzzzz'; see 'causeway runtime list'";
    assert_eq!(check("zzzzzz", true), Err(other.to_owned()));
    assert_eq!(check("esat", false), Ok(()), "there may be more");
}

#[test]
fn kind_that_is_not_reported_points_to_live_objects() {
    for kind in [
        "",
        "rollout",
        "Rollout",
        "ro",
        "rollouts.argoproj.io",
        "rs",
        "Widget",
        "widgets.example.org",
        "workflows.argoproj.io",
    ] {
        assert!(check_kind(kind, &groups()).is_ok(), "{kind}");
    }
    let error = |kind| check_kind(kind, &groups()).unwrap_err().to_string();
    let typo = error("rolouts");
    assert!(typo.contains("did you mean rollouts"), "{typo}");
    let unreported = error("deploy");
    assert_eq!(
        unreported,
        "no runtime reports the kind 'deploy'; 'causeway resource live' shows objects of any kind"
    );
}
