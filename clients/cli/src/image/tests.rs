use super::*;

fn image(digest: &str, applications: &[&str]) -> pb::ImageInUse {
    let user = |name: &&str| pb::ImageUser {
        runtime: "edge".to_owned(),
        namespace: "argocd".to_owned(),
        name: (*name).to_owned(),
        ..pb::ImageUser::default()
    };
    pb::ImageInUse {
        repository: "nginx".to_owned(),
        tag: "1".to_owned(),
        digest: digest.to_owned(),
        applications: applications.iter().map(user).collect(),
    }
}

#[test]
fn an_image_that_goes_on_in_the_next_page_is_one() {
    let pages = [
        image("", &["a", "b"]),
        image("", &["c"]),
        image("sha256:1", &["d"]),
    ];
    assert_eq!(
        merge_pages(pages.into()),
        [image("", &["a", "b", "c"]), image("sha256:1", &["d"])]
    );
}

#[test]
fn an_image_is_one_line_with_the_first_of_its_applications() {
    let text = output::Table::from_items::<Images>(&[
        image("", &["a", "b", "c", "d", "e"]),
        image("sha256:1", &["a"]),
    ])
    .text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "IMAGE   TAG   DIGEST     APPLICATIONS",
            "nginx   1     -          edge/argocd/a, edge/argocd/b, edge/argocd/c and 2 more",
            "nginx   1     sha256:1   edge/argocd/a",
        ]
    );
}
