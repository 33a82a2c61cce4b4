//! Replaces what differs from run to run: times, names, revisions.

use serde_json::Value;

const TIMES: [&str; 7] = [
    "reconciledAt",
    "lastTransitionTime",
    "startedAt",
    "finishedAt",
    "deployedAt",
    "deployStartedAt",
    "createdAt",
];
const DROPPED: [&str; 6] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "selfLink",
];

/// Placeholders of the names of a run; longer names are replaced first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    replaced: Vec<(String, String)>,
    user: &'static str,
}

impl Names {
    /// `user` is the owner of the REST token.
    pub(crate) fn of(user: &'static str) -> Self {
        let mut names = Self {
            replaced: Vec::new(),
            user,
        };
        names.add(&format!("{user} initiated"), "USER initiated");
        names
    }

    pub(crate) fn add(&mut self, own: &str, plain: impl Into<String>) {
        self.replaced.push((own.to_owned(), plain.into()));
        self.replaced
            .sort_by_key(|(own, _)| std::cmp::Reverse(own.len()));
    }

    pub(crate) fn text(&self, text: &str) -> String {
        let replaced = self
            .replaced
            .iter()
            .fold(text.to_owned(), |text, (own, plain)| {
                text.replace(own.as_str(), plain)
            });
        without_clock(&replaced)
    }

    fn field(&self, name: &str, value: &Value) -> Value {
        match name {
            "username" if *value == self.user => "USER".into(),
            name if TIMES.contains(&name) && value.is_string() => "TIME".into(),
            _ => self.value(value),
        }
    }

    pub(crate) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item)).collect())
            }
            Value::Object(fields) => fields
                .iter()
                .filter(|(name, _)| !DROPPED.contains(&name.as_str()))
                .map(|(name, value)| (self.text(name), self.field(name, value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// Sorts results of one wave by name, because they finish in any order.
pub(crate) fn in_order_of_names(status: &mut Value) {
    let results = status.pointer_mut("/operationState/syncResult/resources");
    let together =
        |one: &Value| ["syncPhase", "hookType", "kind", "status"].map(|field| one[field].clone());
    for applied in results
        .and_then(Value::as_array_mut)
        .into_iter()
        .flat_map(|results| results.chunk_by_mut(|one, next| together(one) == together(next)))
    {
        applied.sort_by_key(|one| one["name"].as_str().unwrap_or("").to_owned());
    }
}

/// Removes the time from `Retrying attempt #1 at 3:04PM.`.
fn without_clock(text: &str) -> String {
    let Some((before, after)) = text.split_once("Retrying attempt #") else {
        return text.to_owned();
    };
    let number: String = after.chars().take_while(char::is_ascii_digit).collect();
    format!("{before}Retrying attempt #{number} at TIME")
}
