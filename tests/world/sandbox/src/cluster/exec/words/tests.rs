use super::*;

fn words(script: &str) -> Vec<Vec<String>> {
    read(script).into_iter().map(|it| it.words).collect()
}

#[test]
fn a_script_is_commands_of_words() {
    assert_eq!(
        words("echo a b; exit 3"),
        [vec!["echo", "a", "b"], vec!["exit", "3"]]
    );
    assert_eq!(
        words("echo 'a  b' \"c;d\" ''"),
        [["echo", "a  b", "c;d", ""]]
    );
    assert_eq!(words("\n ; ;\techo\n"), [["echo"]]);
    assert_eq!(words("echo 'open"), [["echo", "open\n"]]);
    assert!(words("").is_empty());
}

#[test]
fn output_goes_where_errors_go_if_it_is_sent_there() {
    let commands = read("echo a >&2; echo b");
    assert!(commands[0].to_errors && !commands[1].to_errors);
    assert_eq!(commands[0].words, ["echo", "a"]);
}
