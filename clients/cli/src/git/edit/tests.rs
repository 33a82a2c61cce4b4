use clap::Parser;

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    edits: EditArgs,
}

fn read(args: &[&str]) -> anyhow::Result<Vec<pb::FileEdit>> {
    let line = ["git"].iter().chain(args);
    Typed::try_parse_from(line)?.edits.read()
}

fn one(args: &[&str]) -> pb::FileEdit {
    read(args).unwrap().remove(0)
}

#[test]
fn a_text_value_is_sent_as_json_text() {
    let set = one(&["--set", "apps/values.yaml:image.tag=1.10"]);
    assert_eq!(set.path, "apps/values.yaml");
    let expected = set_value("image.tag", "\"1.10\"".to_owned());
    assert_eq!(set.edit, Some(Edit::SetValue(expected)));
    let set = one(&["--set-json", "a.yaml:replicas=3"]);
    let expected = set_value("replicas", "3".to_owned());
    assert_eq!(set.edit, Some(Edit::SetValue(expected)));
}

#[test]
fn a_match_in_a_path_is_no_end_of_it() {
    let set = one(&["--set", "a.yaml:spec.containers[name=web].image=web:v2=x"]);
    let expected = set_value("spec.containers[name=web].image", "\"web:v2=x\"".to_owned());
    assert_eq!(set.edit, Some(Edit::SetValue(expected)));
}

#[test]
fn a_document_of_a_file_is_named_after_a_hash() {
    let set = one(&["--image", "all.yaml#Deployment/web:spec.image=web:v2"]);
    assert_eq!((&*set.path, &*set.document), ("all.yaml", "Deployment/web"));
}

#[test]
fn edits_keep_the_order_of_the_help() {
    let edits = read(&["--delete", "old", "--copy", "a=b", "--set", "a.yaml:b=c"]).unwrap();
    let paths: Vec<_> = edits.iter().map(|edit| edit.path.as_str()).collect();
    assert_eq!(paths, ["a.yaml", "b", "old"]);
}

#[test]
fn a_wrong_edit_is_named_with_its_flag() {
    for (args, text) in [
        (["--set", "a.yaml"], "--set a.yaml: it has no ':'"),
        (["--set", "a.yaml:b"], "--set a.yaml:b: it has no '='"),
        (["--set", "a.yaml:=c"], "--set a.yaml:=c: it has no path"),
        (["--copy", "a"], "--copy a: it has no '='"),
        (
            ["--write", "a=/nowhere/b"],
            "--write a=/nowhere/b: /nowhere/b",
        ),
    ] {
        let error = format!("{:#}", read(&args).unwrap_err());
        assert!(error.starts_with(text), "{error}");
    }
    assert!(read(&[]).is_err());
}
