use clap::Parser as _;

use super::*;

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    target: TargetArgs,
}

fn allowed(words: &[&str]) -> Result<String, String> {
    let line = ["up"].iter().chain(words);
    let line = Line::try_parse_from(line).map_err(|error| error.to_string())?;
    Ok(line.target.allowed())
}

#[test]
fn commands_in_containers_of_ones_own_cluster_are_asked_for() {
    let sandbox = allowed(&[]).unwrap();
    let has = |list: &str, action: &str| list.split(',').any(|it| it == action);
    for action in ["read", "delete", "logs", "exec", "workflow"] {
        assert!(has(&sandbox, action), "{sandbox}");
    }
    let own = ["--kubeconfig", "config"];
    let without = allowed(&own).unwrap();
    assert!(
        has(&without, "delete") && !has(&without, "exec"),
        "{without}"
    );
    let list = "read,exec:namespace=test-*";
    let given = allowed(&[&own[..], &["--allow", list]].concat());
    assert_eq!(given.unwrap(), list);
    let wrong = allowed(&["--allow", "read,everything"]).unwrap_err();
    assert!(wrong.contains("'everything' is no action"), "{wrong}");
}
