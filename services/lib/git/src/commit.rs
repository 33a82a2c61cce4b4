//! The bytes of a commit. The same change on the same parent gives the same object id.

use std::sync::Arc;

use gix::{
    ObjectId,
    actor::Signature,
    date::Time,
    objs::{Commit as CommitObject, WriteTo as _},
};

use crate::{Change, GitError, Person, SigningKey, StepId};

/// The trailer that makes a change findable in the history.
pub(crate) const STEP_TRAILER: &str = "Causeway-Step";

/// Who commits, and the key that signs.
#[derive(Clone)]
pub(crate) struct Committer {
    pub(crate) person: Person,
    pub(crate) key: Option<Arc<SigningKey>>,
}

pub(crate) fn object(
    change: &Change,
    committer: &Committer,
    tree: ObjectId,
    parent: ObjectId,
) -> Result<CommitObject, GitError> {
    let mut object = CommitObject {
        tree,
        parents: [parent].into_iter().collect(),
        author: signature(&change.author, change.time),
        committer: signature(&committer.person, change.time),
        encoding: None,
        message: message(change).into(),
        extra_headers: Vec::new(),
    };
    if let Some(key) = &committer.key {
        let mut bytes = Vec::new();
        object.write_to(&mut bytes)?;
        let signature = key.sign(&bytes);
        object
            .extra_headers
            .push(("gpgsig".into(), signature.into()));
    }
    Ok(object)
}

fn signature(person: &Person, seconds: i64) -> Signature {
    Signature {
        name: person.name().into(),
        email: person.email().into(),
        time: Time { seconds, offset: 0 },
    }
}

/// The text of the user, and our trailers as a last paragraph of their own.
fn message(change: &Change) -> String {
    let mut message = clean(&change.message);
    message.push_str("\n\n");
    for (key, value) in &change.trailers {
        message.push_str(&format!("{key}: {}\n", value.trim()));
    }
    message.push_str(&format!("{STEP_TRAILER}: {}\n", change.step));
    message
}

/// Drops control characters, and quotes lines that look like one of our trailers.
fn clean(text: &str) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let visible = |c: &char| !c.is_control() || *c == '\t';
    let lines = text.trim().lines().map(|line| {
        let line: String = line.chars().filter(visible).collect();
        let line = line.trim_end().to_owned();
        if is_reserved(&line) {
            format!("> {line}")
        } else {
            line
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_reserved(line: &str) -> bool {
    const KEYS: [&str; 3] = ["causeway-", "approved-by", "on-behalf-of"];
    let lower = line.trim_start().to_ascii_lowercase();
    KEYS.iter().any(|key| lower.starts_with(key))
}

/// The step that a commit message carries in its last paragraph.
pub(crate) fn step_of(message: &[u8]) -> Option<StepId> {
    let text = String::from_utf8_lossy(message);
    let text = text.trim_end();
    let last = text.rsplit("\n\n").next().unwrap_or(text);
    let value = last
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix(STEP_TRAILER)?.strip_prefix(": "))?;
    StepId::parse(value.trim()).ok()
}
