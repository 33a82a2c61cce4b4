//! Rejects words outside the glossary in identifiers and texts.

use std::collections::BTreeMap;

use crate::files::{files, is_test, read, shown, sources};

/// Words that no identifier contains. The glossary in services/README.md has the standard terms.
const IDENTIFIER_WORDS: [&str; 12] = [
    "told",
    "tell",
    "hear",
    "heard",
    "said",
    "anew",
    "whoever",
    "somebody",
    "nobody",
    "beside",
    "stranger",
    "strangers",
];

/// Type names that are participles, moods, pronouns or particles.
const TYPE_NAMES: [&str; 20] = [
    "Told", "Held", "Heard", "Kept", "Gone", "Ran", "Begun", "Unmet", "Wanted", "Asked", "Said",
    "Wish", "Patience", "Leash", "Muteness", "Whose", "When", "Which", "Rest", "Again",
];

/// Words that comments, messages and documents do not use.
const TEXT_WORDS: [&str; 9] = [
    "anew",
    "whoever",
    "somebody",
    "nobody",
    "anybody",
    "stranger",
    "vouches for",
    "is told",
    "hears of",
];

/// Splits an identifier in snake or camel case into lower-case words.
fn words(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in identifier.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let (Some(last), true) = (words.last_mut(), letter != '_') {
            last.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Names that a source file declares: types, functions, constants and modules.
fn declared_names(text: &str) -> impl Iterator<Item = &str> {
    const KEYWORDS: [&str; 8] = [
        "struct ", "enum ", "trait ", "type ", "fn ", "const ", "static ", "mod ",
    ];
    let code = text.lines().map(str::trim_start);
    let code = code.filter(|line| !line.starts_with("//"));
    code.filter_map(|line| {
        let (_, rest) = KEYWORDS.iter().find_map(|word| line.split_once(word))?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        Some(&rest[..end.unwrap_or(rest.len())])
    })
}

fn is_banned_name(name: &str) -> bool {
    TYPE_NAMES.contains(&name)
        || words(name)
            .iter()
            .any(|word| IDENTIFIER_WORDS.contains(&word.as_str()))
}

/// Comments, and lines with a string literal.
fn has_prose(line: &str) -> bool {
    line.trim_start().starts_with("//") || line.contains('"')
}

fn is_banned_text(line: &str) -> bool {
    TEXT_WORDS.iter().any(|word| line.contains(word))
}

/// The room of a path: a crate, a chart or a top-level folder.
fn room(path: &str) -> String {
    let deep = path.starts_with("services/lib/") || path.starts_with("tests/world/");
    let folders = path.split('/').take(if deep { 3 } else { 2 });
    folders.collect::<Vec<_>>().join("/")
}

fn findings() -> BTreeMap<String, Vec<String>> {
    let mut findings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |path: &str, what: &str| {
        let finding = format!("{path}: {}", what.trim());
        findings.entry(room(path)).or_default().push(finding);
    };
    for path in sources().iter().filter(|path| !is_test(path)) {
        let (name, text) = (shown(path), read(path));
        declared_names(&text)
            .filter(|declared| is_banned_name(declared))
            .for_each(|declared| add(&name, declared));
        text.lines()
            .filter(|line| has_prose(line) && is_banned_text(line))
            .for_each(|line| add(&name, line));
    }
    for path in files("", &[".md", ".tpl", ".yaml", ".proto"]) {
        let (name, text) = (shown(&path), read(&path));
        // Names of tests stand between backquotes.
        let lines = text.lines().filter(|line| !line.contains("::"));
        lines
            .filter(|line| is_banned_text(line))
            .for_each(|line| add(&name, line));
    }
    findings
}

#[test]
fn names_and_texts_use_words_of_the_field() {
    let mut found = String::new();
    for (room, findings) in findings() {
        found += &format!("{room}: {}\n{}\n", findings.len(), findings.join("\n"));
    }
    assert!(found.is_empty(), "words outside the glossary:\n{found}");
}

#[test]
fn banned_names_and_texts_are_found() {
    assert_eq!(words("ToldBy_whom"), ["told", "by", "whom"]);
    assert!(is_banned_name("told_revision") && is_banned_name("Gone"));
    assert!(!is_banned_name("retold") && !is_banned_name("list_applications"));
    let declared: Vec<_> =
        declared_names("// fn told()\npub(crate) async fn hear(a: u8)").collect();
    assert_eq!(declared, ["hear"]);
    assert!(has_prose("    /// Written anew.") && is_banned_text("Written anew."));
}
