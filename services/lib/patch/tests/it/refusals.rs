use causeway_patch::{DocumentSelector, Edit, Format, Operation, PatchError, Path, Value, apply};

use crate::awkward::{edit, json, set};

fn refused(text: &str, edit: Edit) -> PatchError {
    apply(
        Format::Yaml,
        text.as_bytes(),
        &DocumentSelector::Only,
        &[edit],
    )
    .unwrap_err()
}

#[test]
fn aliases_anchors_tags_merges_and_duplicates_are_refused_by_name() {
    let anchored = "a: &x {b: 1}\nc: *x\n";
    for path in ["a.b", "a", "c", "c.b"] {
        assert!(
            matches!(
                refused(anchored, set(path, "v")),
                PatchError::Anchored { .. }
            ),
            "{path}"
        );
    }
    assert!(matches!(
        refused("a: !vault x\n", set("a", "v")),
        PatchError::Tagged { .. }
    ));
    assert!(matches!(
        refused("a: !m {b: 1}\n", set("a.b", "v")),
        PatchError::Tagged { .. }
    ));
    assert!(matches!(
        refused("d: &d {x: 1}\na:\n  <<: *d\n  b: 1\n", set("a.b", "v")),
        PatchError::MergeKey { .. }
    ));
    assert!(
        matches!(refused("a: 1\nb: 2\na: 3\n", set("b", "v")), PatchError::DuplicateKey { key, .. } if key == "a")
    );
    assert!(matches!(
        refused("l: [{n: a}, {n: a}]\n", set("l[n=a].v", "v")),
        PatchError::AmbiguousItem { count: 2, .. }
    ));
    assert!(matches!(
        refused("? a\n: 1\n", edit("a", Operation::Set(json("[1]")))),
        PatchError::Layout { .. }
    ));
}

#[test]
fn wrong_paths_are_refused() {
    let text = "a: {b: 1}\nl: [x]\n";
    assert!(matches!(
        refused(text, set("a.b.c", "v")),
        PatchError::WrongKind {
            found: "scalar",
            ..
        }
    ));
    assert!(matches!(
        refused(text, set("a[0]", "v")),
        PatchError::WrongKind {
            found: "mapping",
            ..
        }
    ));
    assert!(matches!(
        refused(text, set("l.x", "v")),
        PatchError::WrongKind { found: "list", .. }
    ));
    assert!(matches!(
        refused(text, set("l[1]", "v")),
        PatchError::NotFound { .. }
    ));
    assert!(matches!(
        refused(text, edit("a.x", Operation::Remove)),
        PatchError::NotFound { .. }
    ));
    assert!(matches!(
        refused(text, edit("a", Operation::Append(Value::Null))),
        PatchError::WrongKind { .. }
    ));
}

#[test]
fn an_unexpected_old_value_is_a_conflict_with_both_sides() {
    let expecting = |value: &str| set("a", "3").expecting(Some(Value::string(value)));
    let error = refused("a: \"1\"\n", expecting("2"));
    assert_eq!(
        error.to_string(),
        "a is \"1\", not \"2\" as expected: read the file again and repeat the edit"
    );
    let apply = |edit| {
        apply(
            Format::Yaml,
            b"a: \"1\"\n",
            &DocumentSelector::Only,
            &[edit],
        )
    };
    assert_eq!(apply(expecting("1")), Ok(b"a: \"3\"\n".to_vec()));
    let missing = set("b", "v").expecting(Some(Value::Null));
    assert_eq!(apply(missing), Ok(b"a: \"1\"\nb: v\n".to_vec()));
}

#[test]
fn bytes_that_are_no_text_and_bounds_are_refused() {
    let only = &DocumentSelector::Only;
    let edits = [set("a", "v")];
    assert_eq!(
        apply(Format::Yaml, b"a: \xff\n", only, &edits),
        Err(PatchError::NotUtf8)
    );
    let large = format!("a: 1\nb: {}\n", "x".repeat(2 << 20));
    assert!(matches!(
        apply(Format::Yaml, large.as_bytes(), only, &edits),
        Err(PatchError::TooLarge { .. })
    ));
    assert!(matches!(
        refused("a: 1\n", set("a", &"x".repeat(300_000))),
        PatchError::GrowsTooMuch { .. }
    ));
    let deep = "[".repeat(50_000);
    assert!(matches!(
        refused(&deep, set("a", "v")),
        PatchError::Syntax(_)
    ));
    let deep = (0..2000).fold(String::new(), |text, depth| {
        format!("{text}{}a:\n", " ".repeat(depth))
    });
    assert!(matches!(
        refused(&deep, set("a", "v")),
        PatchError::Syntax(_)
    ));
    let mut value = Value::Null;
    for _ in 0..40 {
        value = Value::List(vec![value]);
    }
    assert!(matches!(
        refused("a: 1\n", edit("a", Operation::Set(value))),
        PatchError::InvalidValue(_)
    ));
    assert!(matches!(
        refused(
            "a: 1\n",
            edit("a", Operation::Set(Value::Number("1 # x".to_owned())))
        ),
        PatchError::InvalidValue(_)
    ));
}

#[test]
fn documents_are_selected_without_a_guess() {
    let apply =
        |text: &str, selector| apply(Format::Yaml, text.as_bytes(), &selector, &[set("a", "v")]);
    let object = || DocumentSelector::Object {
        kind: "A".to_owned(),
        name: "x".to_owned(),
    };
    assert!(matches!(
        apply("a: 1\n---\na: 2\n", DocumentSelector::Only),
        Err(PatchError::AmbiguousDocument { count: 2 })
    ));
    assert!(matches!(
        apply("a: 1\n", DocumentSelector::Index(1)),
        Err(PatchError::DocumentNotFound { .. })
    ));
    assert!(matches!(
        apply("a: 1\n", object()),
        Err(PatchError::DocumentNotFound { .. })
    ));
    assert!(matches!(
        apply("", DocumentSelector::Only),
        Err(PatchError::DocumentNotFound { .. })
    ));
    let twice = "kind: A\nmetadata: {name: x}\n---\nkind: A\nmetadata: {name: x}\n";
    assert!(matches!(
        apply(twice, object()),
        Err(PatchError::AmbiguousDocument { count: 2 })
    ));
}

#[test]
fn an_edit_that_changes_nothing_returns_the_same_bytes() {
    let text = "a:   \"x\"\nb: [1,2]\n";
    let edits = [set("a", "x"), edit("b", Operation::Set(json("[1, 2]")))];
    let found = apply(
        Format::Yaml,
        text.as_bytes(),
        &DocumentSelector::Only,
        &edits,
    );
    assert_eq!(found, Ok(text.as_bytes().to_vec()));
}

#[test]
fn all_edits_apply_or_none() {
    let edits = [set("a", "v"), set("a.b", "w")];
    let found = apply(Format::Yaml, b"a: 1\n", &DocumentSelector::Only, &edits);
    assert!(matches!(found, Err(PatchError::WrongKind { .. })));
}

#[test]
fn broken_json_is_refused_even_where_yaml_would_read_it() {
    let path = Path::parse("a").unwrap();
    let edits = [Edit::new(path, Operation::Set(Value::Null))];
    for text in ["{a: 1}", "{\"a\": 1,}", "{\"a\": 1} # c", "\"a\": 1"] {
        let found = apply(
            Format::Json,
            text.as_bytes(),
            &DocumentSelector::Only,
            &edits,
        );
        assert!(
            matches!(found, Err(PatchError::Syntax(_))),
            "{text}: {found:?}"
        );
    }
}
