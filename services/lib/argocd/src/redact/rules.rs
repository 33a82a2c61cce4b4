//! Redaction rules: additional values to hide, and exactly named values to show. The content of a Secret is never shown.

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::{path::Path, pattern::Pattern};

const MAX_RULES: usize = 1_000;
const MAX_TEXT_BYTES: usize = 512;
/// Variables with secret values whose names contain no secret word.
const SECRET_VARIABLES: [&str; 14] = [
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

#[derive(Debug)]
pub(super) struct Rules {
    hidden: Vec<Rule>,
    shown: Vec<Rule>,
}

/// Matcher with the objects to which it applies.
#[derive(Debug)]
pub(super) struct Rule {
    selector: ObjectSelector,
    pub(super) matcher: Matcher,
}

/// Selects values by name or by path.
#[derive(Debug)]
pub(super) enum Matcher {
    Name(NameKind, Pattern),
    Path(Path),
}

/// Kind of a name: variable, annotation or label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Environment,
    Annotation,
    Label,
}

/// Selects objects; an empty field matches all.
#[derive(Debug, Default)]
struct ObjectSelector {
    kind: String,
    group: Option<String>,
    namespace: String,
    name: String,
}

/// Identity of an object for the selection of rules.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// Error of a rules file, with the line and the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    #[error("not a list of rules: {0}")]
    Malformed(String),
    #[error("the file has {count} rules; at most {MAX_RULES} are allowed")]
    TooMany { count: usize },
    #[error("line {line}: {problem}")]
    Rule { line: u64, problem: String },
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RulesFile {
    hide: Vec<Spanned<RuleSpec>>,
    show: Vec<Spanned<RuleSpec>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RuleSpec {
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
        let built_in = SECRET_VARIABLES.iter().map(|name| Rule {
            selector: ObjectSelector::default(),
            matcher: Matcher::Name(NameKind::Environment, Pattern::new(name)),
        });
        Self {
            hidden: built_in.collect(),
            shown: Vec::new(),
        }
    }
}

impl Rules {
    /// Parses a file and adds its rules to the built-in ones.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, RulesError> {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|_| RulesError::Malformed("the file is not UTF-8".to_owned()))?;
        let file: Option<RulesFile> = serde_saphyr::from_str(text).map_err(|error| {
            let message = error.to_string();
            let line = message.lines().next().unwrap_or_default();
            RulesError::Malformed(line.trim_start_matches("error: ").to_owned())
        })?;
        let file = file.unwrap_or_default();
        let count = file.hide.len() + file.show.len();
        if count > MAX_RULES {
            return Err(RulesError::TooMany { count });
        }
        let mut rules = Self::default();
        for written in file.hide {
            rules.hidden.push(rule(written, RuleSpec::into_hide_rule)?);
        }
        for written in file.show {
            rules.shown.push(rule(written, RuleSpec::into_show_rule)?);
        }
        Ok(rules)
    }

    /// Returns the rules that hide values of an object.
    pub(super) fn hide_rules(&self, object: &Object) -> Vec<&Rule> {
        let hidden = self.hidden.iter();
        hidden
            .filter(|rule| rule.selector.matches(object))
            .collect()
    }

    /// Returns the rules that show values of an object.
    pub(super) fn show_rules(&self, object: &Object) -> Vec<&Rule> {
        let shown = self.shown.iter();
        shown.filter(|rule| rule.selector.matches(object)).collect()
    }
}

impl Rule {
    pub(super) fn matches_name(&self, subject: NameKind, name: &str) -> bool {
        matches!(&self.matcher, Matcher::Name(own, pattern) if *own == subject && pattern.matches(name))
    }
}

fn rule(
    written: Spanned<RuleSpec>,
    read: fn(RuleSpec) -> Result<Rule, String>,
) -> Result<Rule, RulesError> {
    let line = written.referenced.line();
    read(written.value).map_err(|problem| RulesError::Rule { line, problem })
}

impl RuleSpec {
    fn into_hide_rule(self) -> Result<Rule, String> {
        self.into_rule()
    }

    fn into_show_rule(self) -> Result<Rule, String> {
        let texts = [&self.environment, &self.annotation, &self.label, &self.path];
        if texts.into_iter().flatten().any(|text| text.contains('*')) {
            return Err("'show' does not accept wildcards: name the value exactly".to_owned());
        }
        let rule = self.into_rule()?;
        if rule.selector.kind.is_empty() {
            let example = "for example kind: Deployment.apps";
            return Err(format!("'show' needs the kind of the objects, {example}"));
        }
        if matches!(&rule.matcher, Matcher::Path(path) if !path.is_exact()) {
            return Err("'show' accepts one field: use numbers or keys in brackets".to_owned());
        }
        Ok(rule)
    }

    fn into_rule(self) -> Result<Rule, String> {
        let selector = ObjectSelector::from_spec(&self)?;
        let named = [
            (NameKind::Environment, "environment", self.environment),
            (NameKind::Annotation, "annotation", self.annotation),
            (NameKind::Label, "label", self.label),
        ];
        let mut matchers = Vec::new();
        for (subject, field, text) in named {
            if let Some(text) = text {
                matchers.push(Matcher::Name(
                    subject,
                    Pattern::new(check_length(field, &text)?),
                ));
            }
        }
        if let Some(text) = self.path {
            let path: Result<Path, _> = check_length("path", &text)?.parse();
            matchers.push(Matcher::Path(
                path.map_err(|error| format!("path {error}"))?,
            ));
        }
        match (matchers.pop(), matchers.is_empty()) {
            (Some(matcher), true) => Ok(Rule { selector, matcher }),
            _ => Err(
                "a rule must have exactly one of environment, annotation, label and path"
                    .to_owned(),
            ),
        }
    }
}

fn check_length<'a>(field: &str, text: &'a str) -> Result<&'a str, String> {
    match text.len() {
        1..=MAX_TEXT_BYTES => Ok(text),
        _ => Err(format!("{field} must have 1 to {MAX_TEXT_BYTES} bytes")),
    }
}

impl ObjectSelector {
    fn from_spec(spec: &RuleSpec) -> Result<Self, String> {
        let text = |field: &str, text: &Option<String>| match text {
            Some(text) if text.contains('*') => Err(format!(
                "{field} does not accept wildcards: omit it to match all"
            )),
            Some(text) => check_length(field, text).map(str::to_owned),
            None => Ok(String::new()),
        };
        let kind = text("kind", &spec.kind)?;
        let (kind, group) = match kind.split_once('.') {
            Some((kind, group)) => (kind.to_owned(), Some(group.to_owned())),
            None => (kind, None),
        };
        Ok(Self {
            kind,
            group,
            namespace: text("namespace", &spec.namespace)?,
            name: text("name", &spec.name)?,
        })
    }

    fn matches(&self, object: &Object) -> bool {
        let matches = |own: &str, its: &str| own.is_empty() || own == its;
        let group = self.group.as_ref();
        matches(&self.kind, &object.kind)
            && group.is_none_or(|group| *group == object.group)
            && matches(&self.namespace, &object.namespace)
            && matches(&self.name, &object.name)
    }
}

impl Object {
    /// Reads the identity of an object; `None` if the map is not a Kubernetes object.
    pub(super) fn from_map(map: &Map<String, Value>) -> Option<Self> {
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
