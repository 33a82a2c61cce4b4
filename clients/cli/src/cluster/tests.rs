use causeway_proto::platform::v1::PartStatus;

use super::{reports::notices, *};

fn group(kind: &str, reporters: usize) -> pb::ReporterGroup {
    pb::ReporterGroup {
        kind: kind.to_owned(),
        cluster: "edge".to_owned(),
        runtime: "prod".to_owned(),
        reporters: vec![pb::Reporter::default(); reporters],
        objects: 7,
        ..pb::ReporterGroup::default()
    }
}

fn cluster(reporters: [usize; 2], notices: &[&str]) -> Cluster {
    let kinds = ["rollouts.argoproj.io", "workflows.argoproj.io"];
    let groups = kinds.iter().zip(reporters);
    Cluster {
        runtime: "prod".to_owned(),
        name: "edge".to_owned(),
        groups: groups
            .map(|(kind, reporters)| group(kind, reporters))
            .collect(),
        notices: notices.iter().map(|&it| it.to_owned()).collect(),
    }
}

#[test]
fn a_cluster_is_healthy_with_reporters_of_all_kinds_and_no_notices() {
    assert_eq!(cluster([1, 2], &[]).state(), "Healthy");
    assert_eq!(cluster([1, 0], &[]).state(), "Degraded");
    assert_eq!(cluster([1, 1], &["it is not"]).state(), "Degraded");
    assert_eq!(cluster([0, 0], &[]).state(), "Lost");
    let said = print::summary(&cluster([0, 1], &["the token\u{1b}[2J is over"]));
    assert!(
        said.contains("no reporter for rollouts.argoproj.io"),
        "{said}"
    );
    assert!(said.contains("the token[2J is over"), "{said}");
}

#[test]
fn clusters_are_listed_in_the_order_of_their_kinds() {
    let named = |name: &str| Cluster {
        name: name.to_owned(),
        ..cluster([1, 1], &[])
    };
    let all = || vec![named("edge"), named("home"), named("spoke")];
    let names = |numbers: &[usize]| {
        let found = dedup_in_order(all(), numbers).into_iter();
        found.map(|it| it.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&[0, 0, 1, 1, 2, 2]), ["edge", "home", "spoke"]);
    assert_eq!(names(&[2, 0, 2, 0]), ["spoke", "edge"]);
    assert_eq!(names(&[]), Vec::<String>::new());
    let whole = dedup_in_order(all(), &[1]);
    assert_eq!(whole[0].groups.len(), 2);
}

#[test]
fn the_error_without_clusters_names_the_runtime() {
    assert_eq!(
        no_cluster_error(Some("prdo")).to_string(),
        "no cluster of the runtime 'prdo' is reported of; see 'causeway runtime list' and 'causeway status'"
    );
    let said = no_cluster_error(None).to_string();
    assert!(said.starts_with("no cluster is reported of;"), "{said}");
}

#[test]
fn a_notice_belongs_to_the_cluster_that_it_names() {
    let part = |runtime: &str, notices: &[&str]| PartStatus {
        runtime: runtime.to_owned(),
        notices: notices.iter().map(|&it| it.to_owned()).collect(),
        ..PartStatus::default()
    };
    let about = "the managed cluster edge is not watched: refused";
    let parts = [
        part(
            "prod",
            &[about, "the managed cluster edge-2 is not watched"],
        ),
        part("test", &[about]),
    ];
    assert_eq!(notices(&parts, "prod", "edge"), [about]);
    assert_eq!(notices(&parts, "prod", "dge").len(), 0);
}

#[test]
fn the_account_may_read_and_no_more() {
    #[derive(clap::Parser)]
    struct Parsed {
        #[command(flatten)]
        args: AddArgs,
    }
    let words = [
        "add",
        "edge",
        "--kind",
        "services",
        "--kind",
        "cronworkflows.argoproj.io",
    ];
    let parsed = <Parsed as clap::Parser>::try_parse_from(words).unwrap();
    let objects = parsed.args.objects();
    let rules = objects[1]["rules"].as_array().unwrap();
    for rule in rules {
        for verb in rule["verbs"].as_array().unwrap() {
            assert!(
                ["get", "list", "watch"].contains(&verb.as_str().unwrap()),
                "{rule}"
            );
        }
    }
    let last = &rules[rules.len() - 1];
    assert_eq!(last["resources"][0], "cronworkflows");
    assert_eq!(last["apiGroups"][0], "argoproj.io");
    assert_eq!(objects[2]["subjects"][0]["namespace"], "kube-system");
}
