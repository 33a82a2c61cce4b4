//! Work and output stay within bounds, whatever an object holds.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{CANARY, encode, redactor};

const LARGE: usize = 256 << 10;

fn output_of(mut value: Value) -> usize {
    redactor().manifest(&mut value);
    value.to_string().len()
}

fn configuration(text: &str) -> Value {
    json!({"kind": "ConfigMap", "data": {"a": text}})
}

/// Aliases of aliases: expanded, this text would have 10^9 entries.
fn aliases() -> String {
    let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let inner = vec![format!("*a{}", level - 1); 10].join(",");
        writeln!(text, "a{level}: &a{level} [{inner}]").unwrap();
    }
    text
}

/// Objects that once cost much more than their size.
fn hostile() -> Vec<(&'static str, Value)> {
    let begin = "-----BEGIN ";
    let mut nested = format!("password: {CANARY}");
    while nested.len() < LARGE / 4 {
        nested = encode(&nested);
    }
    let unit = |text: &str| configuration(&text.repeat(LARGE / text.len()));
    vec![
        ("aliases", configuration(&aliases())),
        ("many aliases", configuration(&aliases().repeat(20))),
        ("beginnings of keys", unit(begin)),
        ("beginnings of objects", unit("{\"")),
        ("beginnings of addresses", unit("://a@")),
        ("short names", unit("auth ")),
        ("pgpass", unit("a:1:b:c:")),
        ("yaml", unit("a: {b: c}\n")),
        ("base64 in base64", configuration(&nested)),
        ("percent", unit("%25")),
        (
            "one letter secrets",
            json!({"tokens": vec!["a"; LARGE / 4]}),
        ),
        (
            "secrets",
            json!({"kind": "Secret", "data": (0..LARGE / 8).map(|at| (format!("{at}"), json!("a"))).collect::<serde_json::Map<_, _>>()}),
        ),
        (
            "list of yaml",
            json!(vec!["a:\n  b: {c: [d, e]}\n"; LARGE / 24]),
        ),
    ]
}

#[test]
fn the_output_of_a_hostile_object_is_at_most_four_times_its_size() {
    for (name, value) in hostile() {
        let size = value.to_string().len();
        let output = output_of(value);
        assert!(
            output <= 4 * size + (64 << 10),
            "{name}: {size} bytes became {output}"
        );
    }
}

#[test]
fn a_secret_beyond_the_budget_is_hidden_with_its_text() {
    let filler = format!("a: {{b: [{}]}}\n", "c, ".repeat(4_000));
    let texts: Vec<Value> = (0..200).map(|_| json!(filler)).collect();
    let mut value = json!({"a": texts, "z": format!("x:\n  password: {CANARY}\n")});
    redactor().manifest(&mut value);
    let text = value.to_string();
    assert!(!text.contains(CANARY));
    assert!(
        text.contains("too large to check"),
        "the budget was not used up"
    );
}

#[test]
fn an_ordinary_object_does_not_use_up_its_budget() {
    let settings = (0..2_000).map(|at| format!("key{at}:\n  value: {at}\n  list: [a, b]\n"));
    let text: String = settings.collect();
    let mut value = configuration(&text);
    redactor().manifest(&mut value);
    assert_eq!(value, configuration(&text));
}
