//! Traversal of an object that replaces secrets with placeholders.

mod embedded;
mod secret;

use aws_lc_rs::hmac;
use serde_json::{Map, Value};

use super::{
    budget::{Budget, Work},
    encoded, name,
    path::Path,
    program,
    rules::{Matcher, NameKind, Object, Rule, Rules},
    text,
};

const PLACEHOLDER_PREFIX: &str = "(redacted ";
/// Replaces a secret when longer placeholders would grow the object beyond its bound.
const SHORT_PLACEHOLDER: &str = "(redacted)";
/// Replaces a text that would take more work than the object may cost.
const UNCHECKED: &str = "(redacted: too large to check)";

/// Selection of the values to hide in a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HideMode {
    /// Values with a secret name.
    SecretNames,
    /// All values except names and locations.
    AllValues,
}

/// Decision of the rules on a named value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleDecision {
    Hide,
    Show,
    /// No rule applies: the built-in redaction decides.
    Default,
}

/// Traversal of one object under the rules that apply to it.
pub(super) struct Traversal<'a> {
    key: &'a hmac::Key,
    rules: &'a Rules,
    budget: &'a Budget,
    hidden: Vec<&'a Rule>,
    shown: Vec<&'a Rule>,
    depth: usize,
}

impl<'a> Traversal<'a> {
    pub(super) fn new(key: &'a hmac::Key, rules: &'a Rules, budget: &'a Budget) -> Self {
        let traversal = Self {
            key,
            rules,
            budget,
            hidden: Vec::new(),
            shown: Vec::new(),
            depth: 0,
        };
        traversal.for_object(&Object::default())
    }

    /// Returns a traversal under the rules of an object.
    pub(super) fn for_object(&self, object: &Object) -> Self {
        Self {
            hidden: self.rules.hide_rules(object),
            shown: self.rules.show_rules(object),
            ..*self
        }
    }

    fn nested_traversal(&self) -> Self {
        Self {
            hidden: self.hidden.clone(),
            shown: self.shown.clone(),
            depth: self.depth + 1,
            ..*self
        }
    }

    /// Redacts an object. Contents of Secrets are hidden first, so no rule can show them.
    pub(super) fn redact(&self, value: &mut Value) {
        self.hide_secrets(value);
        self.value(value, HideMode::SecretNames);
    }

    /// Redacts a message about a resource of this kind.
    pub(super) fn message(&self, kind: &str, message: &str) -> String {
        self.nested(
            &self.hide_quoted_secrets(kind, message),
            HideMode::SecretNames,
        )
    }

    fn hide_quoted_secrets(&self, kind: &str, message: &str) -> String {
        text::hide_quoted_secrets(kind, message, &|secret| self.placeholder(secret))
    }

    /// Redacts a text without embedded objects.
    pub(super) fn text(&self, text: &str) -> String {
        if !self.budget.spend(Work::Scan, text.len()) {
            return UNCHECKED.to_owned();
        }
        let hooks = text::Hooks {
            placeholder: &|secret| self.placeholder(secret),
            redact_embedded: &|embedded| self.redact_embedded(embedded),
        };
        let scrubbed = text::scrub(&self.hide_quoted_secrets("", text), &hooks);
        let reveals = |inner: &str| self.reveals(inner);
        encoded::hide_encoded(scrubbed, &reveals, &|secret| self.placeholder(secret))
    }

    /// Redacts the value of a name.
    pub(super) fn named(&self, subject: NameKind, name: &str, value: &str) -> String {
        match self.decision(subject, name) {
            RuleDecision::Hide => self.placeholder(value),
            RuleDecision::Default if name::is_secret_name(name) => self.placeholder(value),
            RuleDecision::Show | RuleDecision::Default => self.text(value),
        }
    }

    fn decision(&self, subject: NameKind, name: &str) -> RuleDecision {
        let any = |rules: &[&Rule]| rules.iter().any(|rule| rule.matches_name(subject, name));
        match (any(&self.shown), any(&self.hidden)) {
            (true, _) => RuleDecision::Show,
            (false, true) => RuleDecision::Hide,
            (false, false) => RuleDecision::Default,
        }
    }

    fn value(&self, value: &mut Value, mode: HideMode) {
        match value {
            Value::Object(map) => self.map(map, mode),
            Value::Array(list) => self.list(list, mode),
            Value::String(text) => *text = self.nested(text, mode),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn map(&self, map: &mut Map<String, Value>, mode: HideMode) {
        match Object::from_map(map) {
            Some(object) => self.for_object(&object).object(map, mode),
            None => self.fields(map, mode),
        }
    }

    fn object(&self, map: &mut Map<String, Value>, mode: HideMode) {
        let paths = |rules: &[&'a Rule]| -> Vec<&'a Path> {
            let path = |rule: &&'a Rule| match &rule.matcher {
                Matcher::Path(path) => Some(path),
                Matcher::Name(..) => None,
            };
            rules.iter().filter_map(path).collect()
        };
        // Shown values are taken out first and put back last: nothing in between can hide or change them.
        let mut kept = Vec::new();
        for path in paths(&self.shown) {
            path.visit(map, &mut |value| kept.push((path, std::mem::take(value))));
        }
        for path in paths(&self.hidden) {
            path.visit(map, &mut |value| self.hide(value));
        }
        self.fields(map, mode);
        for (path, mut value) in kept {
            self.show(&mut value);
            path.visit(map, &mut |place| *place = std::mem::take(&mut value));
        }
    }

    fn fields(&self, map: &mut Map<String, Value>, mode: HideMode) {
        if secret::is_about_secret(map) {
            for field in ["message", "note"] {
                if let Some(Value::String(text)) = map.get_mut(field) {
                    *text = self.message("Secret", text);
                }
            }
        }
        let named = map.get("name").and_then(Value::as_str);
        let pair = named.is_some_and(name::is_secret_name) || secret::is_patch(map);
        for (key, value) in map.iter_mut() {
            let secret = name::is_secret_name(key) || (pair && key == "value");
            match (name::name_kind(key), &mut *value) {
                (Some(subject), Value::Object(entries)) => {
                    self.entries(subject, entries, mode);
                }
                (Some(NameKind::Environment), Value::Array(list)) => self.variables(list, mode),
                _ => self.field(key, value, secret, mode),
            }
        }
    }

    fn field(&self, key: &str, value: &mut Value, secret: bool, mode: HideMode) {
        let whole = mode == HideMode::AllValues && !name::is_reference_name(key);
        if let Value::Object(map) = value
            && name::is_secret_container(key)
        {
            self.map(map, HideMode::AllValues);
        } else if let Value::String(text) = value
            && (secret || whole)
        {
            *text = self.placeholder(text);
        } else if let Value::Number(number) = value
            && (secret || whole)
            && !name::is_measure_name(key)
        {
            *value = self.placeholder(&number.to_string()).into();
        } else if let Value::Array(list) = value
            && secret
        {
            self.hide_texts(list, mode);
        } else {
            self.value(value, mode);
        }
    }

    /// Redacts a map of annotations, labels or variables.
    fn entries(&self, subject: NameKind, entries: &mut Map<String, Value>, mode: HideMode) {
        for (name, value) in entries {
            match self.decision(subject, name) {
                RuleDecision::Hide => self.hide(value),
                RuleDecision::Show => self.show(value),
                RuleDecision::Default => {
                    self.field(name, value, name::is_secret_name(name), mode);
                }
            }
        }
    }

    /// Redacts variables in a list of `{name, value}` or of `NAME=VALUE`.
    fn variables(&self, list: &mut [Value], mode: HideMode) {
        for variable in list {
            if let Value::Object(map) = variable {
                self.variable(map, mode);
            } else if let Some((name, value)) = variable.as_str().and_then(|it| it.split_once('='))
            {
                let value = self.named(NameKind::Environment, name, value);
                *variable = format!("{name}={value}").into();
            } else {
                self.value(variable, mode);
            }
        }
    }

    fn variable(&self, map: &mut Map<String, Value>, mode: HideMode) {
        let name = map.get("name").and_then(Value::as_str).unwrap_or_default();
        let decision = self.decision(NameKind::Environment, name);
        let value = map.get_mut("value");
        let kept = match (decision, value) {
            (RuleDecision::Hide, Some(value)) => {
                self.hide(value);
                None
            }
            (RuleDecision::Show, Some(value)) => Some(std::mem::take(value)),
            (RuleDecision::Hide | RuleDecision::Show, None) | (RuleDecision::Default, _) => None,
        };
        self.fields(map, mode);
        if let Some(mut value) = kept {
            self.show(&mut value);
            map.insert("value".to_owned(), value);
        }
    }

    fn list(&self, list: &mut [Value], mode: HideMode) {
        let (mut before, mut in_key, mut flag) = (String::new(), false, None);
        for value in list {
            let text = value.as_str().unwrap_or_default().to_owned();
            let after_flag = is_secret_flag(&before)
                || flag.is_some_and(|flag: program::Flag| flag.precedes_value(&before));
            let after_user = text::is_user_flag(&before) && text.contains(':');
            in_key |= text::begins_private_key(&text);
            let hidden = after_flag || after_user || in_key;
            in_key &= !text::ends_private_key(&text);
            let attached = flag.and_then(|flag| Some((flag.name, flag.attached_value(&text)?)));
            if value.is_string() && hidden {
                *value = self.placeholder(&text).into();
            } else if let Some((name, secret)) = attached {
                *value = format!("{name}{}", self.placeholder(secret)).into();
            } else {
                self.value(value, mode);
            }
            flag = flag.or_else(|| program::password_flag(&text));
            before = text;
        }
    }

    fn hide_texts(&self, list: &mut [Value], mode: HideMode) {
        for value in list {
            match value.as_str().map(|text| self.placeholder(text)) {
                Some(placeholder) => *value = placeholder.into(),
                None => self.value(value, mode),
            }
        }
    }

    /// Hides each scalar within a value.
    fn hide(&self, value: &mut Value) {
        match value {
            Value::Object(map) => map.values_mut().for_each(|value| self.hide(value)),
            Value::Array(list) => list.iter_mut().for_each(|value| self.hide(value)),
            Value::Null => {}
            Value::String(_) | Value::Bool(_) | Value::Number(_) => {
                *value = self.placeholder(&plain(value)).into();
            }
        }
    }

    /// Redacts only credentials that are recognized by their form.
    fn show(&self, value: &mut Value) {
        match value {
            Value::Object(map) => map.values_mut().for_each(|value| self.show(value)),
            Value::Array(list) => list.iter_mut().for_each(|value| self.show(value)),
            Value::String(text) => *text = self.text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    pub(super) fn placeholder(&self, secret: &str) -> String {
        if secret.is_empty() || is_placeholder(secret) {
            return secret.to_owned();
        }
        self.placeholder_of_bytes(secret.as_bytes())
    }

    fn placeholder_of_bytes(&self, secret: &[u8]) -> String {
        let length = PLACEHOLDER_PREFIX.len() + 13;
        let grows = self.budget.grow(length.saturating_sub(secret.len()));
        if !grows || !self.budget.spend(Work::Hash, 1) {
            return SHORT_PLACEHOLDER.to_owned();
        }
        let tag = hmac::sign(self.key, secret);
        let bytes = tag.as_ref().iter().take(6);
        let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
        format!("{PLACEHOLDER_PREFIX}{hex})")
    }
}

fn is_placeholder(text: &str) -> bool {
    let hashed = text.len() == PLACEHOLDER_PREFIX.len() + 13
        && text.starts_with(PLACEHOLDER_PREFIX)
        && text.ends_with(')');
    hashed || text == SHORT_PLACEHOLDER || text == UNCHECKED
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn is_secret_flag(argument: &str) -> bool {
    argument.starts_with('-') && !argument.contains(['=', ' ']) && name::is_secret_name(argument)
}
