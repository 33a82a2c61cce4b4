use bytes::Bytes;

use super::*;

fn file(path: &str, text: &str) -> File {
    File {
        path: path.to_owned(),
        content: Bytes::copy_from_slice(text.as_bytes()),
    }
}

fn names(files: &[File]) -> Vec<String> {
    let objects = render(files).unwrap();
    objects
        .iter()
        .map(|object| object["metadata"]["name"].as_str().unwrap().to_owned())
        .collect()
}

fn pod(name: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n")
}

#[test]
fn documents_lists_and_json_become_objects() {
    let list = r#"{"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}, {"kind": "nothing"}]}"#;
    let two = format!("---\n{}---\n# only a comment\n---\n{}", pod("a"), pod("b"));
    let files = [
        file("a.yaml", &two),
        file("list.json", list),
        file("README.md", "# kind: Pod"),
    ];
    assert_eq!(names(&files), ["a", "b", "c"]);
}

#[test]
fn broken_yaml_is_an_error_only_when_it_looks_like_a_manifest() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a\n";
    let error = render(&[file("bad.yaml", text)]).unwrap_err();
    assert!(
        error.to_string().contains("bad.yaml") && !error.to_string().contains('\n'),
        "{error}"
    );
    assert_eq!(render(&[file("values.yaml", "a: {b\n")]), Ok(Vec::new()));
    assert!(render(&[file("bad.json", "{")]).is_err());
}

#[test]
fn charts_and_kustomizations_are_refused() {
    for tool in ["Chart.yaml", "kustomization.yaml"] {
        let error = render(&[file("a.yaml", &pod("a")), file(tool, "")]).unwrap_err();
        assert!(error.to_string().contains(tool), "{error}");
    }
}
