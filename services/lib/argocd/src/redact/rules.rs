//! What is hidden beyond what is always hidden, and what is shown all the same: only what a rule names exactly, and never what a
//! Secret holds.

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::{path::Path, pattern::Pattern};

const MOST: usize = 1_000;
const LONGEST: usize = 512;
/// Names of variables that hold secrets although no word of theirs says so.
const ENVIRONMENT: [&str; 14] = [
    "*_DSN",
    "DSN",
    "*_KEY",
    "*_AUTH",
    "*_PASS",
    "*_PW",
    "*_PAT",
    "*_SALT",
    "*_COOKIE*",
    "*_SIGNING*",
    "*_CERT",
    "*_JWT",
    "*_CREDS",
    "*_WEBHOOK_URL",
];

/// Rules of what is hidden and what is shown.
#[derive(Debug)]
pub(super) struct Rules {
    hidden: Vec<Rule>,
    shown: Vec<Rule>,
}

/// A rule, and which objects it is about.
#[derive(Debug)]
pub(super) struct Rule {
    about: About,
    pub(super) what: What,
}

/// What a rule names.
#[derive(Debug)]
pub(super) enum What {
    Named(Subject, Pattern),
    At(Path),
}

/// What has the name that a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Environment,
    Annotation,
    Label,
}

/// Which objects; an empty field is for all.
#[derive(Debug, Default)]
struct About {
    kind: String,
    group: Option<String>,
    namespace: String,
    name: String,
}

/// An object as rules know it.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// Rules that cannot be used: where, why, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    #[error("it is no list of rules: {0}")]
    Malformed(String),
    #[error("it has {count} rules: at most {MOST} are taken")]
    TooMany { count: usize },
    #[error("line {line}: {problem}")]
    Rule { line: u64, problem: String },
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    hide: Vec<Spanned<Written>>,
    show: Vec<Spanned<Written>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Written {
    environment: Option<String>,
    annotation: Option<String>,
    label: Option<String>,
    path: Option<String>,
    kind: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
}

impl Default for Rules {
    fn default() -> Self {
        let always = ENVIRONMENT.iter().map(|name| Rule {
            about: About::default(),
            what: What::Named(Subject::Environment, Pattern::new(name)),
        });
        Self {
            hidden: always.collect(),
            shown: Vec::new(),
        }
    }
}

impl Rules {
    /// Those of a file beside those that hold everywhere.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, RulesError> {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|_| RulesError::Malformed("it is not UTF-8".to_owned()))?;
        let file: Option<File> = serde_saphyr::from_str(text).map_err(|error| {
            let said = error.to_string();
            let line = said.lines().next().unwrap_or_default();
            RulesError::Malformed(line.trim_start_matches("error: ").to_owned())
        })?;
        let file = file.unwrap_or_default();
        let count = file.hide.len() + file.show.len();
        if count > MOST {
            return Err(RulesError::TooMany { count });
        }
        let mut rules = Self::default();
        for written in file.hide {
            rules.hidden.push(rule(written, Written::hidden)?);
        }
        for written in file.show {
            rules.shown.push(rule(written, Written::shown)?);
        }
        Ok(rules)
    }

    /// The rules about an object that hide something in it.
    pub(super) fn hidden(&self, object: &Object) -> Vec<&Rule> {
        let hidden = self.hidden.iter();
        hidden.filter(|rule| rule.about.contains(object)).collect()
    }

    /// The rules about an object that show something in it.
    pub(super) fn shown(&self, object: &Object) -> Vec<&Rule> {
        let shown = self.shown.iter();
        shown.filter(|rule| rule.about.contains(object)).collect()
    }
}

impl Rule {
    pub(super) fn names(&self, subject: Subject, name: &str) -> bool {
        matches!(&self.what, What::Named(own, pattern) if *own == subject && pattern.matches(name))
    }
}

fn rule(
    written: Spanned<Written>,
    read: fn(Written) -> Result<Rule, String>,
) -> Result<Rule, RulesError> {
    let line = written.referenced.line();
    read(written.value).map_err(|problem| RulesError::Rule { line, problem })
}

impl Written {
    fn hidden(self) -> Result<Rule, String> {
        self.read()
    }

    fn shown(self) -> Result<Rule, String> {
        let texts = [&self.environment, &self.annotation, &self.label, &self.path];
        if texts.into_iter().flatten().any(|text| text.contains('*')) {
            return Err("'show' takes no wildcard: name exactly what is to be shown".to_owned());
        }
        let rule = self.read()?;
        if rule.about.kind.is_empty() {
            let example = "for example kind: Deployment.apps";
            return Err(format!("'show' needs the kind of the objects, {example}"));
        }
        if matches!(&rule.what, What::At(path) if !path.is_exact()) {
            return Err("'show' takes one place: give numbers or keys in brackets".to_owned());
        }
        Ok(rule)
    }

    fn read(self) -> Result<Rule, String> {
        let about = About::read(&self)?;
        let named = [
            (Subject::Environment, "environment", self.environment),
            (Subject::Annotation, "annotation", self.annotation),
            (Subject::Label, "label", self.label),
        ];
        let mut what = Vec::new();
        for (subject, field, text) in named {
            if let Some(text) = text {
                what.push(What::Named(subject, Pattern::new(checked(field, &text)?)));
            }
        }
        if let Some(text) = self.path {
            let path: Result<Path, _> = checked("path", &text)?.parse();
            what.push(What::At(path.map_err(|error| format!("path {error}"))?));
        }
        match (what.pop(), what.is_empty()) {
            (Some(what), true) => Ok(Rule { about, what }),
            _ => Err(
                "a rule has one of environment, annotation, label and path, and no more".to_owned(),
            ),
        }
    }
}

fn checked<'a>(field: &str, text: &'a str) -> Result<&'a str, String> {
    match text.len() {
        1..=LONGEST => Ok(text),
        _ => Err(format!("{field} must have 1 to {LONGEST} bytes")),
    }
}

impl About {
    fn read(written: &Written) -> Result<Self, String> {
        let text = |field: &str, text: &Option<String>| match text {
            Some(text) if text.contains('*') => {
                Err(format!("{field} takes no wildcard: leave it out for all"))
            }
            Some(text) => checked(field, text).map(str::to_owned),
            None => Ok(String::new()),
        };
        let kind = text("kind", &written.kind)?;
        let (kind, group) = match kind.split_once('.') {
            Some((kind, group)) => (kind.to_owned(), Some(group.to_owned())),
            None => (kind, None),
        };
        Ok(Self {
            kind,
            group,
            namespace: text("namespace", &written.namespace)?,
            name: text("name", &written.name)?,
        })
    }

    fn contains(&self, object: &Object) -> bool {
        let all = |own: &str, its: &str| own.is_empty() || own == its;
        let group = self.group.as_ref();
        all(&self.kind, &object.kind)
            && group.is_none_or(|group| *group == object.group)
            && all(&self.namespace, &object.namespace)
            && all(&self.name, &object.name)
    }
}

impl Object {
    /// What a map tells of itself; nothing where it is no object.
    pub(super) fn of(map: &Map<String, Value>) -> Option<Self> {
        let text = |map: &Map<String, Value>, field: &str| {
            let value = map.get(field).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let kind = map.get("kind").and_then(Value::as_str)?.to_owned();
        let version = text(map, "apiVersion");
        let empty = Map::new();
        let metadata = map.get("metadata").and_then(Value::as_object);
        let metadata = metadata.unwrap_or(&empty);
        Some(Self {
            group: version
                .split_once('/')
                .map_or("", |(group, _)| group)
                .to_owned(),
            kind,
            namespace: text(metadata, "namespace"),
            name: text(metadata, "name"),
        })
    }
}

#[cfg(test)]
mod tests;
