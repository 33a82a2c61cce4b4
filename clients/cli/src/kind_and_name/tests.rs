use super::*;

fn check(line: &str, expected: &str) {
    let words = line.split(' ').map(OsString::from).collect();
    let found = split(crate::command(), words);
    let found: Vec<_> = found.iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(found.join(" "), expected, "{line}");
}

#[test]
fn kind_and_name_may_be_one_word() {
    for (line, expected) in [
        (
            "causeway resource get deploy/web",
            "causeway resource get deploy web",
        ),
        (
            "causeway resource get -n shop -o json rollouts.argoproj.io/eu/shop/web",
            "causeway resource get -n shop -o json rollouts.argoproj.io eu/shop/web",
        ),
        (
            "causeway resource --context lab live Node/node-1",
            "causeway resource --context lab live Node node-1",
        ),
        (
            "causeway resource list Pod/web-1 -A",
            "causeway resource list Pod web-1 -A",
        ),
        (
            "causeway app resource get argocd/web deploy/web",
            "causeway app resource get argocd/web deploy web",
        ),
    ] {
        check(line, expected);
        let words = expected.split(' ');
        crate::command().try_get_matches_from(words).unwrap();
    }
}

#[test]
fn other_words_with_a_slash_stay_as_they_are() {
    for line in [
        "causeway resource get Rollout eu/shop/web",
        "causeway app get argocd/web",
        "causeway resource logs deploy/web",
        "causeway resource exec deploy/web -- ls /tmp",
        "causeway event list Pod/web-1",
        "causeway --server http://127.0.0.1:7400 app list",
        "causeway resource get /web",
    ] {
        check(line, line);
    }
}
