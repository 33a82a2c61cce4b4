//! Generated documents: an edit changes the requested value and no comment.

use std::fmt::Write as _;

use causeway_patch::{
    DocumentSelector, Edit, Format, Operation, PatchError, Path, Segment, Value, apply, read,
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

/// A document, with the style of each node and noise between its lines.
#[derive(Debug, Clone)]
enum Tree {
    Scalar(&'static str),
    List(Vec<Self>, bool),
    Map(Vec<(String, Self)>, bool),
}

const SCALARS: [&str; 16] = [
    "x",
    "1",
    "1.0",
    "true",
    "\"q\\t\"",
    "'it''s'",
    "~",
    "\"\"",
    "v1.2.3",
    "a b",
    "-1",
    "\"#\"",
    "a#b",
    "\u{e4}",
    "http://x/y?z=1",
    "",
];

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = proptest::sample::select(SCALARS.to_vec()).prop_map(Tree::Scalar);
    leaf.prop_recursive(4, 40, 5, |inner| {
        let list = (prop::collection::vec(inner.clone(), 0..4), any::<bool>());
        let keys = prop::collection::btree_map("[a-e]{1,2}|name|a\\.b", inner, 0..4);
        prop_oneof![
            list.prop_map(|(items, flow)| Tree::List(items, flow)),
            (keys, any::<bool>())
                .prop_map(|(map, flow)| Tree::Map(map.into_iter().collect(), flow)),
        ]
    })
}

struct Writer {
    text: String,
    newline: &'static str,
    noise: u64,
}

impl Writer {
    /// A comment or a blank line from time to time, by a number that the case brings.
    fn line_end(&mut self, indent: usize) {
        self.noise = self
            .noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let newline = self.newline;
        match self.noise >> 60 {
            0 | 1 => write!(self.text, " # note: {}{newline}", self.noise >> 50).unwrap(),
            2 => write!(self.text, "{newline}{newline}").unwrap(),
            3 => write!(
                self.text,
                "{newline}{}# own - line{newline}",
                " ".repeat(indent)
            )
            .unwrap(),
            _ => self.text.push_str(newline),
        }
    }

    fn flow(&mut self, tree: &Tree) {
        match tree {
            Tree::Scalar("") => self.text.push_str("null"),
            Tree::Scalar(text) => self.text.push_str(text),
            Tree::List(items, _) => {
                self.text.push('[');
                for (position, item) in items.iter().enumerate() {
                    self.text.push_str(if position == 0 { "" } else { ", " });
                    self.flow(item);
                }
                self.text.push(']');
            }
            Tree::Map(entries, _) => {
                self.text.push('{');
                for (position, (key, value)) in entries.iter().enumerate() {
                    self.text.push_str(if position == 0 { "" } else { ", " });
                    write!(self.text, "{key}: ").unwrap();
                    self.flow(value);
                }
                self.text.push('}');
            }
        }
    }

    /// What follows a colon or a dash.
    fn block(&mut self, tree: &Tree, indent: usize, behind_dash: bool) {
        match tree {
            Tree::Map(entries, false) if !entries.is_empty() => {
                if behind_dash {
                    self.text.push(' ')
                } else {
                    self.line_end(indent)
                }
                self.map(entries, indent, behind_dash);
            }
            Tree::List(items, false) if !items.is_empty() => {
                if behind_dash {
                    self.text.push(' ')
                } else {
                    self.line_end(indent)
                }
                self.list(items, indent, behind_dash);
            }
            Tree::Scalar("") => self.line_end(indent),
            Tree::Scalar(_) | Tree::List(..) | Tree::Map(..) => {
                self.text.push(' ');
                self.flow(tree);
                self.line_end(indent);
            }
        }
    }

    fn map(&mut self, entries: &[(String, Tree)], indent: usize, started: bool) {
        for (position, (key, value)) in entries.iter().enumerate() {
            let lead = if started && position == 0 { 0 } else { indent };
            write!(self.text, "{}{key}:", " ".repeat(lead)).unwrap();
            self.block(value, indent + 2, false);
        }
    }

    fn list(&mut self, items: &[Tree], indent: usize, started: bool) {
        for (position, item) in items.iter().enumerate() {
            let lead = if started && position == 0 { 0 } else { indent };
            write!(self.text, "{}-", " ".repeat(lead)).unwrap();
            self.block(item, indent + 2, true);
        }
    }
}

fn write_document(tree: &Tree, noise: u64) -> String {
    let newline = if noise.is_multiple_of(5) {
        "\r\n"
    } else {
        "\n"
    };
    let mut writer = Writer {
        text: String::new(),
        newline,
        noise,
    };
    let root = vec![
        ("root".to_owned(), tree.clone()),
        ("tail".to_owned(), Tree::Scalar("end")),
    ];
    writer.map(&root, 0, false);
    writer.text
}

/// A path into the tree by repeated choices, perhaps with one missing key at its end.
fn choose(tree: &Tree, mut choice: u64) -> Vec<Segment> {
    let mut path = vec![Segment::Key("root".to_owned())];
    let mut node = tree;
    loop {
        let (next, rest) = ((choice % 7) as usize, choice / 7);
        choice = rest;
        node = match node {
            Tree::Map(_, _) if next == 6 => {
                path.push(Segment::Key("missing".to_owned()));
                return path;
            }
            Tree::Map(entries, _) if !entries.is_empty() && next != 5 => {
                let (key, value) = &entries[next % entries.len()];
                path.push(Segment::Key(key.clone()));
                value
            }
            Tree::List(items, _) if !items.is_empty() && next != 5 => {
                path.push(Segment::Index(next % items.len()));
                &items[next % items.len()]
            }
            Tree::Scalar(_) | Tree::List(..) | Tree::Map(..) => return path,
        };
    }
}

fn values() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        ".{0,12}",
        "[a-z0-9.:-]{1,8}",
        "([a-z #:-]{0,6}\n){0,3}[a-z]{0,3}"
    ];
    prop_oneof![
        4 => text.prop_map(Value::String),
        1 => Just(Value::Null),
        1 => Just(Value::Bool(true)),
        1 => Just(Value::Number("12".to_owned())),
        1 => Just(Value::List(vec![Value::string("a"), Value::Map(vec![("k".to_owned(), Value::string("no"))])])),
        1 => Just(Value::Map(vec![("k".to_owned(), Value::List(vec![])), ("l".to_owned(), Value::string("x\ny\n"))])),
    ]
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => values().prop_map(Operation::Set),
        1 => values().prop_map(Operation::Append),
        1 => Just(Operation::Remove),
    ]
}

/// Comments, which an edit of a scalar or of a missing key never touches.
fn comments(text: &str) -> usize {
    text.matches("# own - line").count() + text.matches("# note: ").count()
}

fn is_scalar(value: Option<&Value>) -> bool {
    !matches!(value, Some(Value::List(_) | Value::Map(_)))
}

fn check(
    tree: &Tree,
    noise: u64,
    choice: u64,
    operation: &Operation,
) -> Result<bool, TestCaseError> {
    let before = write_document(tree, noise);
    let path = Path::new(choose(tree, choice)).unwrap();
    let edit = Edit::new(path.clone(), operation.clone());
    let only = &DocumentSelector::Only;
    let after = match apply(Format::Yaml, before.as_bytes(), only, &[edit]) {
        Ok(after) => String::from_utf8(after).unwrap(),
        Err(PatchError::NotFound { .. } | PatchError::WrongKind { .. }) => return Ok(false),
        // Refused is allowed; wrong is not. The share is checked at the end.
        Err(PatchError::Unproven { .. } | PatchError::Layout { .. }) => {
            return Ok(true);
        }
        Err(other) => {
            return Err(TestCaseError::fail(format!(
                "{other}\n{path} {operation:?}\n{before}"
            )));
        }
    };
    let old = read(Format::Yaml, before.as_bytes(), only, &path).unwrap();
    let found = read(Format::Yaml, after.as_bytes(), only, &path).unwrap();
    if let Operation::Set(value) = operation {
        prop_assert_eq!(found.as_ref(), Some(value), "{}\n---\n{}", before, after);
    }
    prop_assert!(after.contains("tail: end"));
    if *operation != Operation::Remove && is_scalar(old.as_ref()) {
        prop_assert_eq!(
            comments(&after),
            comments(&before),
            "{}\n---\n{}",
            before,
            after
        );
    }
    Ok(false)
}

#[test]
fn generated_documents_change_in_exactly_the_requested_value() {
    // PROPTEST_CASES asks for more.
    let cases = Config::default().cases.max(10_000);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let refused = std::cell::Cell::new(0_u32);
    let input = (trees(), any::<u64>(), any::<u64>(), operations());
    TestRunner::new(config)
        .run(&input, |(tree, noise, choice, operation)| {
            let is_refused = check(&tree, noise, choice, &operation)?;
            refused.set(refused.get() + u32::from(is_refused));
            Ok(())
        })
        .unwrap();
    assert!(
        refused.get() <= cases / 200,
        "{} of {cases} were refused",
        refused.get()
    );
}

#[test]
fn any_text_is_edited_or_refused_without_a_panic() {
    let config = Config {
        cases: 2000,
        failure_persistence: None,
        ..Config::default()
    };
    let text = prop_oneof![
        ".{0,80}",
        "([a-c ]{0,3}[-:?&*!|>'\"\\[\\]{},#%@` \t\r\n0-9]{0,3}){0,20}"
    ];
    TestRunner::new(config)
        .run(&(text, values()), |(text, value)| {
            for path in ["a", "a.b", "[0]", "a[0].b", "a[b=c].d"] {
                for operation in [Operation::Set(value.clone()), Operation::Remove] {
                    let edit = Edit::new(Path::parse(path).unwrap(), operation);
                    let _ = apply(
                        Format::Yaml,
                        text.as_bytes(),
                        &DocumentSelector::Only,
                        &[edit],
                    );
                }
            }
            Ok(())
        })
        .unwrap();
}
