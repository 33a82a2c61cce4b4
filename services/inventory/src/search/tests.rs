use super::{convert::to_commit, *};
use crate::{
    application::Change,
    deployment::{Ended, Phase},
    fixture::{
        Bench, account, at, live_in, report,
        resource::{put, rollout},
        visible,
    },
    image::ImageName,
};

fn named((number, name, project): (u64, &str, &str), image: &str) -> Change {
    let place = at(number, 1, number);
    let mut change = live_in(&format!("u{number}"), name, place, project, &[]);
    let state = change.state.as_mut().unwrap();
    state.images = ImageName::all([image].into_iter());
    change
}

async fn filled(bench: &Bench) {
    use causeway_proto::inventory::v1 as pb;
    use prost::Message as _;
    let store = &*bench.store;
    for (number, name) in ["web-api", "my-web", "web", "cobweb", "bank"]
        .iter()
        .enumerate()
    {
        let number = number as u64 + 1;
        let project = if number == 5 { "bank" } else { "shop" };
        let image = format!("corp/web:{number}");
        let mut change = named((number, name, project), &image);
        let commit = pb::OperationRecord {
            commit: Some(pb::Commit {
                sha: number.to_string().repeat(40),
                message: format!("Fix {name}\n\nLong."),
                ..pb::Commit::default()
            }),
            ..pb::OperationRecord::default()
        };
        change.operations.push(Ended {
            started_at: 1,
            mark: "deployment 1".to_owned(),
            phase: Phase::Succeeded,
            content: bytes::Bytes::new(),
            commit: commit.encode_to_vec().into(),
        });
        report(store, change).await;
    }
    put(
        store,
        rollout("r1", "web-rollout", at(11, 1, 11), Some("web")),
    )
    .await;
    put(
        store,
        rollout("r2", "web-bank", at(12, 1, 12), Some("bank")),
    )
    .await;
}

async fn search(bench: &Bench, visible: Visible, text: &str, limit: usize) -> SearchResults {
    let query = SearchQuery {
        visible,
        words: text.split(' ').map(str::to_owned).collect(),
        limit,
    };
    let (inventory, account) = (bench.inventory(), account("default"));
    let found = inventory.search(&account, &query, &[], to_commit);
    found.await.unwrap()
}

fn names(found: &[Found]) -> Vec<String> {
    let name = |found: &Found| match found {
        Found::Application(key, _) => key.name.clone(),
        Found::Runtime(name, count) => format!("{name} {count}"),
        Found::Cluster(cluster) => format!("{} {}", cluster.cluster, cluster.applications),
        Found::Resource(record) => record.key.name.clone(),
        Found::Image(image) => format!("{}:{}", image.repository, image.tag),
        Found::Commit(commit) => commit.sha[..1].to_owned(),
    };
    found.iter().map(name).collect()
}

#[tokio::test]
async fn exact_names_come_before_beginnings_words_and_parts() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let (found, more) = search(&bench, Visible::everything(), "web", 4).await;
        let found = names(&found);
        assert_eq!(found[..4], ["web", "web-api", "my-web", "cobweb"]);
        assert_eq!(found[4..6], ["web-bank", "web-rollout"]);
        let images: Vec<String> = (1..=4).map(|it| format!("corp/web:{it}")).collect();
        assert_eq!(found[6..10], images);
        assert_eq!(found[10..].len(), 4);
        assert_eq!(more, [SearchKind::Image]);
    }
}

#[tokio::test]
async fn runtimes_clusters_and_commits_are_found() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let all = Visible::everything;
        assert_eq!(names(&search(&bench, all(), "edg", 9).await.0), ["edge 5"]);
        assert_eq!(
            names(&search(&bench, all(), "cluster", 9).await.0),
            ["in-cluster 5"]
        );
        assert_eq!(names(&search(&bench, all(), "55555", 9).await.0), ["5"]);
        assert_eq!(names(&search(&bench, all(), "fix bank", 9).await.0), ["5"]);
    }
}

#[tokio::test]
async fn search_finds_only_what_the_caller_may_read() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let bank = || visible(r#"[{"projects":["bank"]}]"#);
        let found = search(&bench, bank(), "web", 9).await.0;
        assert_eq!(names(&found), ["web-bank", "corp/web:5"]);
        assert_eq!(
            names(&search(&bench, bank(), "edge", 9).await.0),
            ["edge 1"]
        );
        assert_eq!(names(&search(&bench, bank(), "fix", 9).await.0), ["5"]);
        let nothing = search(&bench, Visible::default(), "web", 9).await;
        assert_eq!(nothing, (Vec::new(), Vec::new()));
    }
}
