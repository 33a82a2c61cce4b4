//! Expected results: the files in `expected/argocd`, recorded from the real Argo CD.
//!
//! A line of steps begins with `=` (must be seen), `?` (may be missed) or `~` (neighbours that come in any order).

use std::{collections::BTreeMap, fs, path::PathBuf};

/// Observed results by section: steps or one JSON text.
pub(crate) type Seen = BTreeMap<String, Section>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Section {
    Steps(Vec<String>),
    Text(String),
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("expected/argocd/{name}.txt"))
}

/// Reads the sections of the file; nothing without a file.
pub(crate) fn read(name: &str) -> Option<BTreeMap<String, Vec<String>>> {
    let text = fs::read_to_string(file(name)).ok()?;
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            current = title.to_owned();
            sections.entry(current.clone()).or_default();
        } else if !line.trim().is_empty() {
            sections
                .entry(current.clone())
                .or_default()
                .push(line.to_owned());
        }
    }
    Some(sections)
}

pub(crate) fn write(name: &str, seen: &Seen) {
    let mut text = String::new();
    for (title, section) in seen {
        text.push_str(&format!("# {title}\n"));
        match section {
            Section::Steps(steps) => steps
                .iter()
                .for_each(|step| text.push_str(&format!("= {step}\n"))),
            Section::Text(body) => text.push_str(&format!("{body}\n")),
        }
        text.push('\n');
    }
    fs::write(file(name), text.trim_end().to_owned() + "\n").unwrap();
}

/// Describes the differences by section; empty when there are none.
pub(crate) fn differences(expected: &BTreeMap<String, Vec<String>>, seen: &Seen) -> String {
    let mut told = String::new();
    for title in expected.keys().filter(|title| !seen.contains_key(*title)) {
        told.push_str(&format!("# {title}: not seen\n"));
    }
    for (title, section) in seen {
        let lines = expected.get(title).map_or(&[][..], Vec::as_slice);
        match section {
            Section::Steps(steps) if follows(lines, steps) => {}
            Section::Steps(steps) => {
                let seen = steps
                    .iter()
                    .map(|step| format!("  {step}\n"))
                    .collect::<String>();
                told.push_str(&format!(
                    "# {title}: expected\n{}\nseen\n{seen}\n",
                    lines.join("\n")
                ));
            }
            Section::Text(body) => told.push_str(&text_difference(title, lines, body)),
        }
    }
    told
}

fn text_difference(title: &str, lines: &[String], body: &str) -> String {
    let seen: Vec<&str> = body
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.iter().map(String::as_str).eq(seen.iter().copied()) {
        return String::new();
    }
    let lacks = lines
        .iter()
        .filter(|line| !seen.contains(&line.as_str()))
        .map(|line| format!("- {line}\n"));
    let adds = seen
        .iter()
        .filter(|line| !lines.iter().any(|other| other == *line))
        .map(|line| format!("+ {line}\n"));
    let mut told = lacks.chain(adds).collect::<String>();
    if told.is_empty() {
        told = format!("the same lines in another order or number:\n{body}\n");
    }
    format!("# {title}: differs\n{told}\n")
}

/// True when the steps are a path through the expected lines.
fn follows(lines: &[String], steps: &[String]) -> bool {
    let Some(first) = lines.first() else {
        return steps.is_empty();
    };
    let (mark, wanted) = first.split_at(first.len().min(2));
    match mark {
        "? " => {
            let taken = steps.first().is_some_and(|step| step == wanted)
                && follows(&lines[1..], &steps[1..]);
            taken || follows(&lines[1..], steps)
        }
        "~ " => {
            let group = lines
                .iter()
                .take_while(|line| line.starts_with("~ "))
                .count();
            let mut wanted: Vec<&str> = lines[..group].iter().map(|line| &line[2..]).collect();
            let mut found: Vec<&str> = steps.iter().take(group).map(String::as_str).collect();
            wanted.sort_unstable();
            found.sort_unstable();
            wanted == found && follows(&lines[group..], &steps[group..])
        }
        _ => steps.first().is_some_and(|step| step == wanted) && follows(&lines[1..], &steps[1..]),
    }
}

#[test]
fn steps_may_be_missed_and_may_change_places() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let check = |expected: &str, seen: &str| follows(&lines(expected), &lines(seen));
    assert!(check("= a\n? b\n= c", "a\nc") && check("= a\n? b\n= c", "a\nb\nc"));
    assert!(check("~ a\n~ b\n= c", "b\na\nc") && !check("~ a\n~ b\n= c", "a\nc\nb"));
    assert!(!check("= a", "a\nb") && !check("= a\n= b", "a"));
}
