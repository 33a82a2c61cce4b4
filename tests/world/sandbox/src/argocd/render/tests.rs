use bytes::Bytes;

use super::*;

fn file(path: &str, text: &str) -> File {
    File {
        path: path.to_owned(),
        content: Bytes::copy_from_slice(text.as_bytes()),
    }
}

fn names(files: &[File], directory: &Directory) -> Vec<String> {
    let objects = render(files, directory).unwrap();
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
    assert_eq!(names(&files, &Directory::default()), ["a", "b", "c"]);
}

#[test]
fn broken_yaml_is_an_error_only_when_it_looks_like_a_manifest() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a\n";
    let error = render(&[file("bad.yaml", text)], &Directory::default()).unwrap_err();
    assert!(
        error.to_string().contains("bad.yaml") && !error.to_string().contains('\n'),
        "{error}"
    );
    assert_eq!(
        render(&[file("values.yaml", "a: {b\n")], &Directory::default()),
        Ok(Vec::new())
    );
    assert!(render(&[file("bad.json", "{")], &Directory::default()).is_err());
}

#[test]
fn include_and_exclude_choose_files() {
    let files = [
        file("a.yaml", &pod("a")),
        file("b.yml", &pod("b")),
        file("sub/c.yaml", &pod("c")),
    ];
    let check = |include: &str, exclude: &str, expected: &[&str]| {
        let directory = Directory {
            recurse: true,
            include: include.to_owned(),
            exclude: exclude.to_owned(),
        };
        assert_eq!(
            names(&files, &directory),
            expected,
            "{include:?} {exclude:?}"
        );
    };
    check("", "", &["a", "b", "c"]);
    check("*.yaml", "", &["a", "c"]);
    check("", "sub/*", &["a", "b"]);
    check("{a.yaml,b.*}", "", &["a", "b"]);
    check("?.yml", "", &["b"]);
}

#[test]
fn the_source_or_its_files_say_which_tool_renders_it() {
    let plain = Source::default();
    let of = |name: &str, source: &Source| SourceType::of(&[file(name, "")], source);
    assert_eq!(of("kustomization.yaml", &plain), SourceType::Kustomize);
    assert_eq!(of("Chart.yaml", &plain), SourceType::Helm);
    assert_eq!(of("a.yaml", &plain), SourceType::Directory);
    let told = Source {
        helm: Some(crate::argocd::application::Helm::default()),
        ..Source::default()
    };
    assert_eq!(of("a.yaml", &told), SourceType::Helm);
}
