//! Documents of real repositories and their traps, byte for byte.

use causeway_patch::{DocumentSelector, Edit, Format, Operation, Path, Value, apply};

pub(crate) fn edit(path: &str, operation: Operation) -> Edit {
    Edit::new(Path::parse(path).unwrap(), operation)
}

pub(crate) fn set(path: &str, value: &str) -> Edit {
    edit(path, Operation::Set(Value::string(value)))
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str::<serde_json::Value>(text)
        .unwrap()
        .into()
}

fn check_in(format: Format, document: &DocumentSelector, before: &str, edit: Edit, after: &str) {
    let found = apply(format, before.as_bytes(), document, &[edit]);
    let found = found.map(|it| String::from_utf8(it).unwrap());
    assert_eq!(found.as_deref(), Ok(after), "before:\n{before}");
}

fn check(before: &str, edit: Edit, after: &str) {
    check_in(Format::Yaml, &DocumentSelector::Only, before, edit, after);
}

fn remove(path: &str) -> Edit {
    edit(path, Operation::Remove)
}

fn append(path: &str, value: &str) -> Edit {
    edit(path, Operation::Append(json(value)))
}

#[test]
fn a_value_keeps_its_quotes_and_comment() {
    check(
        "# top\na: 1.0.0 # pinned\nb: x\n",
        set("a", "1.1.0"),
        "# top\na: 1.1.0 # pinned\nb: x\n",
    );
    check("a: \"x\"   # c\n", set("a", "y"), "a: \"y\"   # c\n");
    check("a: 'x'\n", set("a", "it's"), "a: 'it''s'\n");
    check("a: x\n", set("a", "true"), "a: \"true\"\n");
    check("a: x\n", set("a", "1.10"), "a: \"1.10\"\n");
    check("a: x\n", set("a", "a: b"), "a: \"a: b\"\n");
    check("a: x", set("a", "z"), "a: z");
    check(
        "a: {b: 1, c: [x, y]} # d\n",
        set("a.c[1]", "z,w"),
        "a: {b: 1, c: [x, \"z,w\"]} # d\n",
    );
}

#[test]
fn numbers_booleans_and_null_are_written_plain() {
    check("a: \"3\"\n", edit("a", Operation::Set(json("5"))), "a: 5\n");
    check(
        "a: 3\n",
        edit("a", Operation::Set(json("false"))),
        "a: false\n",
    );
    check(
        "a: 3\n",
        edit("a", Operation::Set(Value::Null)),
        "a: null\n",
    );
}

#[test]
fn windows_line_ends_stay() {
    check(
        "a: 1\r\nb:\r\n  - x\r\nc: 2\r\n",
        set("b[0]", "z"),
        "a: 1\r\nb:\r\n  - z\r\nc: 2\r\n",
    );
    check(
        "a: 1\r\nb:\r\n  - x\r\nc: 2\r\n",
        append("b", "{\"k\": 1, \"l\": 2}"),
        "a: 1\r\nb:\r\n  - x\r\n  - k: 1\r\n    l: 2\r\nc: 2\r\n",
    );
    check(
        "a: |\r\n  x\r\n  y\r\nb: 1\r\n",
        set("a", "1\n2\n"),
        "a: |\r\n  1\r\n  2\r\nb: 1\r\n",
    );
}

#[test]
fn a_byte_order_mark_and_wide_letters_stay() {
    check(
        "\u{feff}a: \u{e4}\nb: 2\n",
        set("b", "\u{1f600} \u{fc}"),
        "\u{feff}a: \u{e4}\nb: \"\u{1f600} \u{fc}\"\n",
    );
    check(
        "\u{e4}\u{f6}: {x: 1}\nb: 2\n",
        set("b", "c"),
        "\u{e4}\u{f6}: {x: 1}\nb: c\n",
    );
}

#[test]
fn missing_keys_are_inserted_behind_the_last_one() {
    check(
        "a:\n  b: 1 # one\n\n# about c\nc: 2\n",
        set("a.d", "x"),
        "a:\n  b: 1 # one\n  d: x\n\n# about c\nc: 2\n",
    );
    check("a: 1\n", set("x.w.z", "v"), "a: 1\nx:\n  w:\n    z: v\n");
    check("a: 1", set("b", "v"), "a: 1\nb: v");
    check("a:\nb: 1\n", set("a.c", "v"), "a:\n  c: v\nb: 1\n");
    check("a: # later\nb: 1\n", set("a", "v"), "a: v # later\nb: 1\n");
    check("a: {}\n", set("a.b", "v"), "a: {b: v}\n");
    check(
        "a: |\n  text\n\n\nb: 1\n",
        set("c", "v"),
        "a: |\n  text\n\n\nb: 1\nc: v\n",
    );
    check(
        "a:\n    b:\n        - c: 1\n",
        set("a.b[0].d", "v"),
        "a:\n    b:\n        - c: 1\n          d: v\n",
    );
}

#[test]
fn items_are_found_by_key_and_by_index() {
    let helm = "spec:\n  parameters:\n  - name: image.tag # current\n    value: v1\n  - value: \"3\"\n    name: replicas\n";
    check(
        helm,
        set("spec.parameters[name=image.tag].value", "v2"),
        &helm.replace("v1", "v2"),
    );
    check(
        helm,
        set("spec.parameters[name=replicas].value", "5"),
        &helm.replace("\"3\"", "\"5\""),
    );
    check(
        helm,
        set("spec.parameters[1].value", "5"),
        &helm.replace("\"3\"", "\"5\""),
    );
    let added = format!("{helm}  - name: new\n    value: x\n");
    check(helm, set("spec.parameters[name=new].value", "x"), &added);
}

#[test]
fn block_scalars_are_replaced_with_their_comment_kept() {
    check(
        "a: | # sh\n  x\n  y\n\nb: 1\n",
        set("a", "z\n"),
        "a: | # sh\n  z\n\nb: 1\n",
    );
    check(
        "a: >-\n    folded\n    text\nb: 1\n",
        set("a", "p\nq"),
        "a: |-\n  p\n  q\nb: 1\n",
    );
    check(
        "a: |+\n  x\n\nb: 1\n",
        set("a", "z\n\n"),
        "a: |+\n  z\n\nb: 1\n",
    );
    check(
        "a:\n  - |\n    x\n  - y\n",
        set("a[0]", "z\nw\n"),
        "a:\n  - |\n    z\n    w\n  - y\n",
    );
    check("a: x # c\n", set("a", "1\n2\n"), "a: | # c\n  1\n  2\n");
    check(
        "a: x\nb: 1\n",
        set("a", "1\n\n2\n"),
        "a: |\n  1\n\n  2\nb: 1\n",
    );
    check(
        "a: x\nb: 1\n",
        set("a", " 1\n2\n"),
        "a: \" 1\\n2\\n\"\nb: 1\n",
    );
}

#[test]
fn plain_scalars_over_several_lines_are_one_value() {
    check(
        "a: one\n  two # c\nb: 1\n",
        set("a", "three"),
        "a: three # c\nb: 1\n",
    );
    check(
        "a:\n  one\n  two\nb: 1\n",
        set("a", "three"),
        "a:\n  three\nb: 1\n",
    );
}

#[test]
fn one_of_several_documents_is_edited() {
    let text = "# head\nkind: A\nmetadata: {name: x}\nv: 1\n---\n# second\nkind: A\nmetadata:\n  name: y\nv: 1\n...\n---\nkind: B\nmetadata: {name: y}\nv: 1\n";
    let object = DocumentSelector::Object {
        kind: "A".to_owned(),
        name: "y".to_owned(),
    };
    let after = text.replacen("name: y\nv: 1", "name: y\nv: w", 1);
    check_in(Format::Yaml, &object, text, set("v", "w"), &after);
    check_in(
        Format::Yaml,
        &DocumentSelector::Index(1),
        text,
        set("v", "w"),
        &after,
    );
    let third = format!("{}v: w\n", text.strip_suffix("v: 1\n").unwrap());
    check_in(
        Format::Yaml,
        &DocumentSelector::Index(2),
        text,
        set("v", "w"),
        &third,
    );
    let added = text.replacen("name: y\nv: 1\n", "name: y\nv: 1\nw: w\n", 1);
    check_in(Format::Yaml, &object, text, set("w", "w"), &added);
}

#[test]
fn entries_are_removed_with_their_line_and_nothing_else() {
    check(
        "a: 1 # one\n# about b\nb: 2\nc: 3\n",
        remove("b"),
        "a: 1 # one\n# about b\nc: 3\n",
    );
    check("a:\n  b: 1\nc: 3\n", remove("a.b"), "a: {}\nc: 3\n");
    check("a:\n- b\n- c\n", remove("a[0]"), "a:\n- c\n");
    check(
        "a:\n  # why\n  - b\n",
        remove("a[0]"),
        "a:\n  # why\n  []\n",
    );
    check(
        "l:\n  - a: 1 # x\n    b: 2\n",
        remove("l[0].a"),
        "l:\n  - b: 2\n",
    );
    check(
        "l:\n  - a: 1\n    # why\n    b: 2\n",
        remove("l[0].a"),
        "l:\n  - # why\n    b: 2\n",
    );
    check("a: [x, y, z]\n", remove("a[1]"), "a: [x, z]\n");
    check("a: [x, y, z]\n", remove("a[2]"), "a: [x, y]\n");
    check("a: {b: 1}\n", remove("a.b"), "a: {}\n");
    check("a: |\n  t\nb: 2", remove("b"), "a: |\n  t\n");
    check("a: |+\n  t\n\nb: 2\nc: 1\n", remove("a"), "b: 2\nc: 1\n");
}

#[test]
fn items_are_appended_in_the_style_of_the_list() {
    check(
        "a:\n- x # c\n# end\nb: 1\n",
        append("a", "\"z\""),
        "a:\n- x # c\n- z\n# end\nb: 1\n",
    );
    check(
        "a: [x, # c\n  y]\n",
        append("a", "\"z\""),
        "a: [x, # c\n  y, z]\n",
    );
    check(
        "a: [\n  x,\n  y\n]\n",
        append("a", "\"z\""),
        "a: [\n  x,\n  y,\n  z\n]\n",
    );
    check("a: []\n", append("a", "\"z\""), "a: [z]\n");
    check(
        "a: 1\n",
        append("b.c", "{\"k\": [1, 2]}"),
        "a: 1\nb:\n  c:\n    - k:\n        - 1\n        - 2\n",
    );
    check(
        "a:\n  -\n  - x\n",
        append("a", "\"z\""),
        "a:\n  -\n  - x\n  - z\n",
    );
    check(
        "- a\n",
        edit("[0]", Operation::Set(json("{\"k\": \"v\"}"))),
        "- k: v\n",
    );
}

#[test]
fn collections_replace_and_are_replaced() {
    check("a:\n  b: 1\n  c: 2\nd: 1\n", set("a", "x"), "a: x\nd: 1\n");
    check(
        "a: x # c\nd: 1\n",
        edit("a", Operation::Set(json("{}"))),
        "a: {} # c\nd: 1\n",
    );
    check(
        "a: x\nd: 1\n",
        edit("a", Operation::Set(json("{\"b\": [\"z\"]}"))),
        "a:\n  b:\n    - z\nd: 1\n",
    );
    check(
        "a: [1, 2]\nd: 1\n",
        edit("a[0]", Operation::Set(json("{\"b\": \"no\"}"))),
        "a: [{b: \"no\"}, 2]\nd: 1\n",
    );
}

#[test]
fn anchors_and_tags_elsewhere_do_not_matter() {
    let text = "base: &base\n  x: 1\nuse:\n  <<: *base\n  y: !!str 2\nv: 1\n";
    check(text, set("v", "w"), &text.replace("v: 1", "v: w"));
}

#[test]
fn directives_markers_and_quoted_keys_are_kept() {
    check(
        "%YAML 1.1\n---\n\"a.b\": 1\n? c\n: 2\n",
        set("[\"a.b\"]", "x"),
        "%YAML 1.1\n---\n\"a.b\": x\n? c\n: 2\n",
    );
    check(
        "'it''s': {\"q\":1}\n",
        set("[\"it's\"].q", "x"),
        "'it''s': {\"q\":x}\n",
    );
    check("a:   \t 1\nb : 2\n", set("b", "x"), "a:   \t 1\nb : x\n");
}

#[test]
fn json_stays_json() {
    let json_file = |before: &str, edit, after: &str| {
        check_in(Format::Json, &DocumentSelector::Only, before, edit, after)
    };
    let text = "{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ],\n  \"c\": {}\n}\n";
    json_file(text, set("b[0]", "y"), &text.replace("\"x\"", "\"y\""));
    json_file(
        text,
        append("b", "{\"k\": true}"),
        &text.replace("\"x\"", "\"x\",\n    {\"k\": true}"),
    );
    json_file(text, set("c.d", "v"), &text.replace("{}", "{\"d\": \"v\"}"));
    json_file(
        text,
        set("e", "v"),
        &text.replace("{}\n", "{},\n  \"e\": \"v\"\n"),
    );
    json_file(
        text,
        remove("c"),
        "{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ]\n}\n",
    );
    json_file(
        text,
        edit("a", Operation::Set(Value::Null)),
        &text.replace('1', "null"),
    );
    json_file(
        "{\t\"a\":\t\"\\/ \\u00e4\"}",
        set("a", "\u{e4}\n"),
        "{\t\"a\":\t\"\u{e4}\\n\"}",
    );
}

#[test]
fn toml_keeps_comments_and_order() {
    let toml = |before: &str, edit, after: &str| {
        check_in(Format::Toml, &DocumentSelector::Only, before, edit, after)
    };
    let text = "# top\n[a]\nx = \"1\" # pinned\nl = [1, 2]\n\n[b]\ny = 2\n";
    toml(text, set("a.x", "2"), &text.replace("\"1\"", "\"2\""));
    toml(
        text,
        edit("a.l", Operation::Append(json("3"))),
        &text.replace("[1, 2]", "[1, 2, 3]"),
    );
    toml(text, remove("b.y"), &text.replace("y = 2\n", ""));
    toml(
        text,
        set("a.z", "n"),
        &text.replace("[1, 2]\n", "[1, 2]\nz = \"n\"\n"),
    );
}
