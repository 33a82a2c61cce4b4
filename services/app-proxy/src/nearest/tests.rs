use super::nearest;

fn near(name: &str) -> Vec<String> {
    let all = [
        ("argocd", "web"),
        ("argocd", "web-api"),
        ("team", "web"),
        ("team", "billing"),
    ];
    nearest(
        "argocd",
        name,
        all.map(|(space, name)| (space.to_owned(), name.to_owned()))
            .into_iter(),
    )
}

#[test]
fn the_nearest_name_comes_first() {
    assert_eq!(near("wbe")[0], "argocd/web");
    assert_eq!(near("biling"), ["team/billing"]);
}

#[test]
fn nothing_near_offers_nothing() {
    assert!(near("zzzz").is_empty());
}
