//! Goes through an object and puts marks in the place of secrets.

mod document;
mod secret;

use aws_lc_rs::hmac;
use serde_json::{Map, Value};

use super::{
    encoded, name,
    path::Path,
    rules::{Object, Rule, Rules, Subject, What},
    text,
};

const MARK: &str = "(redacted ";

/// How the values of a map are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Only those whose name tells of a secret.
    Named,
    /// All but those whose name tells of a reference.
    Whole,
}

/// What the rules say of a value with a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Hide,
    Show,
    /// Nothing: it is as any other.
    Silent,
}

/// One way through an object, by the rules about it.
pub(super) struct Walk<'a> {
    key: &'a hmac::Key,
    rules: &'a Rules,
    hidden: Vec<&'a Rule>,
    shown: Vec<&'a Rule>,
    depth: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(key: &'a hmac::Key, rules: &'a Rules) -> Self {
        let walk = Self {
            key,
            rules,
            hidden: Vec::new(),
            shown: Vec::new(),
            depth: 0,
        };
        walk.within(&Object::default())
    }

    /// The same by the rules about an object.
    pub(super) fn within(&self, object: &Object) -> Self {
        Self {
            hidden: self.rules.hidden(object),
            shown: self.rules.shown(object),
            ..*self
        }
    }

    fn deeper(&self) -> Self {
        Self {
            hidden: self.hidden.clone(),
            shown: self.shown.clone(),
            depth: self.depth + 1,
            ..*self
        }
    }

    /// Redacts everything. What a Secret holds goes first, so that no rule can show it.
    pub(super) fn top(&self, value: &mut Value) {
        self.hide_secrets(value);
        self.value(value, Extent::Named);
    }

    /// A text about a resource of this kind.
    pub(super) fn message(&self, kind: &str, message: &str) -> String {
        self.nested(&self.unquoted(kind, message), Extent::Named)
    }

    fn unquoted(&self, kind: &str, message: &str) -> String {
        text::without_quoted_secrets(kind, message, &|secret| self.mark(secret))
    }

    /// A text that is no object.
    pub(super) fn text(&self, text: &str) -> String {
        let scrubbed = text::scrub(&self.unquoted("", text), self);
        let reveals = |inner: &str| self.reveals(inner);
        encoded::hide(scrubbed, &reveals, &|secret| self.mark(secret))
    }

    /// A value of this name.
    pub(super) fn named(&self, subject: Subject, name: &str, value: &str) -> String {
        match self.verdict(subject, name) {
            Verdict::Hide => self.mark(value),
            Verdict::Silent if name::tells_of_secret(name) => self.mark(value),
            Verdict::Show | Verdict::Silent => self.text(value),
        }
    }

    fn verdict(&self, subject: Subject, name: &str) -> Verdict {
        let any = |rules: &[&Rule]| rules.iter().any(|rule| rule.names(subject, name));
        match (any(&self.shown), any(&self.hidden)) {
            (true, _) => Verdict::Show,
            (false, true) => Verdict::Hide,
            (false, false) => Verdict::Silent,
        }
    }

    fn value(&self, value: &mut Value, extent: Extent) {
        match value {
            Value::Object(map) => self.map(map, extent),
            Value::Array(list) => self.list(list, extent),
            Value::String(text) => *text = self.nested(text, extent),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn map(&self, map: &mut Map<String, Value>, extent: Extent) {
        match Object::of(map) {
            Some(object) => self.within(&object).object(map, extent),
            None => self.fields(map, extent),
        }
    }

    fn object(&self, map: &mut Map<String, Value>, extent: Extent) {
        let paths = |rules: &[&'a Rule]| -> Vec<&'a Path> {
            let path = |rule: &&'a Rule| match &rule.what {
                What::At(path) => Some(path),
                What::Named(..) => None,
            };
            rules.iter().filter_map(path).collect()
        };
        let mut kept = Vec::new();
        for path in paths(&self.shown) {
            path.visit(map, &mut |value| kept.push((path, std::mem::take(value))));
        }
        for path in paths(&self.hidden) {
            path.visit(map, &mut |value| self.hide(value));
        }
        self.fields(map, extent);
        for (path, mut value) in kept {
            self.show(&mut value);
            path.visit(map, &mut |place| *place = std::mem::take(&mut value));
        }
    }

    fn fields(&self, map: &mut Map<String, Value>, extent: Extent) {
        if secret::is_about_secret(map) {
            for said in ["message", "note"] {
                if let Some(Value::String(said)) = map.get_mut(said) {
                    *said = self.message("Secret", said);
                }
            }
        }
        let named = map.get("name").and_then(Value::as_str);
        let pair = named.is_some_and(name::tells_of_secret) || secret::is_patch(map);
        for (key, value) in map.iter_mut() {
            let secret = name::tells_of_secret(key) || (pair && key == "value");
            match (name::subject(key), &mut *value) {
                (Some(subject), Value::Object(entries)) => {
                    self.entries(subject, entries, extent);
                }
                (Some(Subject::Environment), Value::Array(list)) => self.variables(list, extent),
                _ => self.field(key, value, secret, extent),
            }
        }
    }

    fn field(&self, key: &str, value: &mut Value, secret: bool, extent: Extent) {
        let whole = extent == Extent::Whole && !name::tells_of_reference(key);
        if let Value::Object(map) = value
            && name::holds_secrets(key)
        {
            self.map(map, Extent::Whole);
        } else if let Value::String(text) = value
            && (secret || whole)
        {
            *text = self.mark(text);
        } else if let Value::Number(number) = value
            && (secret || whole)
            && !name::tells_of_measure(key)
        {
            *value = self.mark(&number.to_string()).into();
        } else if let Value::Array(list) = value
            && secret
        {
            self.hide_texts(list, extent);
        } else {
            self.value(value, extent);
        }
    }

    /// Annotations, labels or variables as a map.
    fn entries(&self, subject: Subject, entries: &mut Map<String, Value>, extent: Extent) {
        for (name, value) in entries {
            match self.verdict(subject, name) {
                Verdict::Hide => self.hide(value),
                Verdict::Show => self.show(value),
                Verdict::Silent => {
                    self.field(name, value, name::tells_of_secret(name), extent);
                }
            }
        }
    }

    /// Variables as a list of `{name, value}` or of `NAME=VALUE`.
    fn variables(&self, list: &mut [Value], extent: Extent) {
        for variable in list {
            if let Value::Object(map) = variable {
                self.variable(map, extent);
            } else if let Some((name, value)) = variable.as_str().and_then(|it| it.split_once('='))
            {
                let value = self.named(Subject::Environment, name, value);
                *variable = format!("{name}={value}").into();
            } else {
                self.value(variable, extent);
            }
        }
    }

    fn variable(&self, map: &mut Map<String, Value>, extent: Extent) {
        let name = map.get("name").and_then(Value::as_str).unwrap_or_default();
        let verdict = self.verdict(Subject::Environment, name);
        let value = map.get_mut("value");
        let kept = match (verdict, value) {
            (Verdict::Hide, Some(value)) => {
                self.hide(value);
                None
            }
            (Verdict::Show, Some(value)) => Some(std::mem::take(value)),
            (Verdict::Hide | Verdict::Show, None) | (Verdict::Silent, _) => None,
        };
        self.fields(map, extent);
        if let Some(mut value) = kept {
            self.show(&mut value);
            map.insert("value".to_owned(), value);
        }
    }

    fn list(&self, list: &mut [Value], extent: Extent) {
        let (mut before, mut in_key) = (String::new(), false);
        for value in list {
            let text = value.as_str().unwrap_or_default().to_owned();
            let after_flag = is_secret_flag(&before);
            let after_user = text::is_user_flag(&before) && text.contains(':');
            in_key |= text::begins_private_key(&text);
            let hidden = after_flag || after_user || in_key;
            in_key &= !text::ends_private_key(&text);
            match value.is_string() && hidden {
                true => *value = self.mark(&text).into(),
                false => self.value(value, extent),
            }
            before = text;
        }
    }

    fn hide_texts(&self, list: &mut [Value], extent: Extent) {
        for value in list {
            match value.as_str().map(|text| self.mark(text)) {
                Some(mark) => *value = mark.into(),
                None => self.value(value, extent),
            }
        }
    }

    /// Each value in a value.
    fn hide(&self, value: &mut Value) {
        match value {
            Value::Object(map) => map.values_mut().for_each(|value| self.hide(value)),
            Value::Array(list) => list.iter_mut().for_each(|value| self.hide(value)),
            Value::Null => {}
            Value::String(_) | Value::Bool(_) | Value::Number(_) => {
                *value = self.mark(&plain(value)).into();
            }
        }
    }

    /// What may be seen, still without the credentials that are known by their form.
    fn show(&self, value: &mut Value) {
        match value {
            Value::Object(map) => map.values_mut().for_each(|value| self.show(value)),
            Value::Array(list) => list.iter_mut().for_each(|value| self.show(value)),
            Value::String(text) => *text = self.text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    pub(super) fn mark(&self, secret: &str) -> String {
        if secret.is_empty() || is_mark(secret) {
            return secret.to_owned();
        }
        self.mark_bytes(secret.as_bytes())
    }

    fn mark_bytes(&self, secret: &[u8]) -> String {
        let tag = hmac::sign(self.key, secret);
        let bytes = tag.as_ref().iter().take(6);
        let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
        format!("{MARK}{hex})")
    }
}

fn is_mark(text: &str) -> bool {
    text.len() == MARK.len() + 13 && text.starts_with(MARK) && text.ends_with(')')
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn is_secret_flag(argument: &str) -> bool {
    argument.starts_with('-') && !argument.contains(['=', ' ']) && name::tells_of_secret(argument)
}
