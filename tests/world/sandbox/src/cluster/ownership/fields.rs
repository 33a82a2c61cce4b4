//! Sets of fields, as `fieldsV1` writes them: a tree of `f:field`, `k:{keys}` and `v:value`. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::shape::{ListKind, Shape, item_key, value_key};

const DEEPEST: usize = 64;

/// A set of fields. A leaf is a member; so is a node that is `owned`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSet {
    pub(crate) owned: bool,
    pub(crate) children: BTreeMap<String, Self>,
}

impl FieldSet {
    fn leaf() -> Self {
        Self {
            owned: true,
            children: BTreeMap::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.owned && self.children.is_empty()
    }

    /// Every field that `value` sets.
    pub(crate) fn of(value: &Value, shape: Shape<'_>) -> Self {
        Self::walk(value, shape, DEEPEST)
    }

    fn walk(value: &Value, shape: Shape<'_>, depth: usize) -> Self {
        if depth == 0 {
            return Self::leaf();
        }
        match value {
            Value::Object(fields) if !fields.is_empty() && !shape.is_atomic_map() => {
                let child = |(name, inner): (&String, &Value)| {
                    (
                        format!("f:{name}"),
                        Self::walk(inner, shape.field(name), depth - 1),
                    )
                };
                Self {
                    owned: false,
                    children: fields.iter().map(child).collect(),
                }
            }
            Value::Array(items) if !items.is_empty() => Self::of_list(items, shape, depth),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Self::leaf(),
        }
    }

    fn of_list(items: &[Value], shape: Shape<'_>, depth: usize) -> Self {
        let kind = shape.list_kind();
        let mut children = BTreeMap::new();
        for item in items {
            let (key, mut set) = match &kind {
                ListKind::Atomic => return Self::leaf(),
                ListKind::Set => (value_key(item), Self::leaf()),
                ListKind::Map(keys) => {
                    let Some(key) = item_key(item, keys) else {
                        return Self::leaf();
                    };
                    (key, Self::walk(item, shape.item(), depth - 1))
                }
            };
            set.owned = true;
            children.insert(key, set);
        }
        Self {
            owned: false,
            children,
        }
    }

    pub(crate) fn read(value: &Value) -> Self {
        Self::read_at(value, DEEPEST)
    }

    fn read_at(value: &Value, depth: usize) -> Self {
        let Some(map) = value.as_object().filter(|map| !map.is_empty() && depth > 0) else {
            return Self::leaf();
        };
        let members = map.iter().filter(|(key, _)| *key != ".");
        Self {
            owned: map.contains_key("."),
            children: members
                .map(|(key, inner)| (key.clone(), Self::read_at(inner, depth - 1)))
                .collect(),
        }
    }

    pub(crate) fn write(&self) -> Value {
        let mut map = Map::new();
        if self.owned && !self.children.is_empty() {
            map.insert(".".to_owned(), json!({}));
        }
        for (key, child) in &self.children {
            map.insert(key.clone(), child.write());
        }
        Value::Object(map)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.owned |= other.owned;
        for (key, child) in &other.children {
            self.children.entry(key.clone()).or_default().add(child);
        }
    }

    /// Takes out every member of `other`.
    pub(crate) fn subtract(&mut self, other: &Self) {
        if other.owned {
            self.owned = false;
        }
        for (key, theirs) in &other.children {
            if let Some(mine) = self.children.get_mut(key) {
                mine.subtract(theirs);
                if theirs.children.is_empty() && theirs.owned {
                    mine.children.clear();
                }
                if mine.is_empty() {
                    self.children.remove(key);
                }
            }
        }
    }

    /// Keeps only what is in `other` too; a leaf on either side covers all below it.
    pub(crate) fn retain(&mut self, other: &Self) {
        if other.children.is_empty() || self.children.is_empty() {
            return;
        }
        self.children
            .retain(|key, mine| match other.children.get(key) {
                Some(theirs) => {
                    mine.retain(theirs);
                    true
                }
                None => false,
            });
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.children.get(key)
    }
}

/// The fields of `new` that `old` lacks or has otherwise.
pub(crate) fn changed(old: &Value, new: &Value, shape: Shape<'_>) -> FieldSet {
    if old == new {
        return FieldSet::default();
    }
    match (old, new) {
        (Value::Object(was), Value::Object(is))
            if !was.is_empty() && !is.is_empty() && !shape.is_atomic_map() =>
        {
            let mut set = FieldSet::default();
            for (name, inner) in is {
                let part = match was.get(name) {
                    Some(before) => changed(before, inner, shape.field(name)),
                    None => FieldSet::of(inner, shape.field(name)),
                };
                if !part.is_empty() {
                    set.children.insert(format!("f:{name}"), part);
                }
            }
            set
        }
        (Value::Array(was), Value::Array(is)) => changed_list(was, is, new, shape),
        _ => FieldSet::of(new, shape),
    }
}

fn changed_list(was: &[Value], is: &[Value], new: &Value, shape: Shape<'_>) -> FieldSet {
    let kind = shape.list_kind();
    let mut set = FieldSet::default();
    for item in is {
        let key = match &kind {
            ListKind::Atomic => return FieldSet::of(new, shape),
            ListKind::Set => Some(value_key(item)),
            ListKind::Map(keys) => item_key(item, keys),
        };
        let Some(key) = key else {
            return FieldSet::of(new, shape);
        };
        let before = was.iter().find(|old| match &kind {
            ListKind::Map(keys) => item_key(old, keys).as_deref() == Some(key.as_str()),
            ListKind::Atomic | ListKind::Set => *old == item,
        });
        let part = match before {
            Some(before) => changed(before, item, shape.item()),
            None => FieldSet {
                owned: true,
                ..FieldSet::of(item, shape.item())
            },
        };
        if !part.is_empty() {
            set.children.insert(key, part);
        }
    }
    set
}
