//! Field ownership (`metadata.managedFields`).

use serde_json::{Value, json};

use super::{
    object::{metadata, set_metadata},
    resource::Resource,
    shape::Shape,
    store::{Context, Part, keeps_status},
};

mod fields;

pub(crate) use fields::FieldSet;

const MOST_ENTRIES: usize = 100;
const UNOWNED: [&str; 11] = [
    "name",
    "namespace",
    "generateName",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
];

/// One manager's fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    pub(crate) subresource: String,
    pub(crate) api_version: String,
    pub(crate) time: String,
    pub(crate) fields: FieldSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Apply,
    Update,
}

impl Entry {
    pub(crate) fn is_of(&self, manager: &str, operation: Operation, subresource: &str) -> bool {
        self.manager == manager && self.operation == operation && self.subresource == subresource
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        Some(Self {
            manager: value["manager"].as_str()?.to_owned(),
            operation: if value["operation"] == "Apply" {
                Operation::Apply
            } else {
                Operation::Update
            },
            subresource: text("subresource"),
            api_version: text("apiVersion"),
            time: text("time"),
            fields: FieldSet::read(&value["fieldsV1"]),
        })
    }

    fn write(&self) -> Value {
        let operation = match self.operation {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        };
        let mut entry = json!({
            "manager": self.manager, "operation": operation, "apiVersion": self.api_version,
            "time": self.time, "fieldsType": "FieldsV1", "fieldsV1": self.fields.write(),
        });
        if !self.subresource.is_empty() {
            entry["subresource"] = self.subresource.as_str().into();
        }
        entry
    }
}

pub(crate) fn entries(value: &Value) -> Vec<Entry> {
    let list = value
        .pointer("/metadata/managedFields")
        .and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .take(MOST_ENTRIES)
        .filter_map(Entry::read)
        .collect()
}

pub(crate) fn set_entries(value: &mut Value, entries: &[Entry]) {
    let list: Vec<Value> = entries
        .iter()
        .filter(|entry| !entry.fields.is_empty())
        .map(Entry::write)
        .collect();
    if list.is_empty() {
        metadata(value).remove("managedFields");
    } else {
        set_metadata(value, "managedFields", list);
    }
}

pub(crate) fn subresource_of(part: Part) -> &'static str {
    match part {
        Part::Main => "",
        Part::Status => "status",
    }
}

/// `value` without what no manager owns, and without the half that this part does not write.
pub(crate) fn ownable(resource: &Resource, value: &Value, part: Part) -> Value {
    let Some(object) = value.as_object() else {
        return Value::Null;
    };
    let is_ownable = |field: &str| match (field, part) {
        ("apiVersion" | "kind", _) => false,
        ("status", Part::Status) => true,
        ("status", Part::Main) => !keeps_status(resource),
        (_, Part::Main) => true,
        (_, Part::Status) => false,
    };
    let mut kept: Value = object
        .iter()
        .filter(|(field, _)| is_ownable(field))
        .map(|(field, inner)| (field.clone(), inner.clone()))
        .collect();
    if let Some(fields) = kept.get_mut("metadata").and_then(Value::as_object_mut) {
        fields.retain(|field, _| !UNOWNED.contains(&field.as_str()));
        if fields.is_empty()
            && let Some(object) = kept.as_object_mut()
        {
            object.remove("metadata");
        }
    }
    kept
}

/// The first writer owns all that it sent.
pub(crate) fn record_creation(
    resource: &Resource,
    value: &mut Value,
    applied: Option<&Value>,
    context: &Context<'_>,
) {
    let api_version = value["apiVersion"].as_str().unwrap_or_default().to_owned();
    let shape = Shape::root(resource, version_of(&api_version));
    let sent = ownable(resource, applied.unwrap_or(value), Part::Main);
    let entry = Entry {
        manager: context.manager.to_owned(),
        operation: if applied.is_some() {
            Operation::Apply
        } else {
            Operation::Update
        },
        subresource: String::new(),
        time: context.now.to_owned(),
        fields: FieldSet::of(&sent, shape),
        api_version: api_version.clone(),
    };
    set_entries(value, &[entry]);
}

/// Gives the writer the fields it changed and drops removed fields from all owners.
pub(crate) fn record_update(
    resource: &Resource,
    old: &Value,
    value: &mut Value,
    part: Part,
    context: &Context<'_>,
) {
    let sent = value.pointer("/metadata/managedFields");
    let mut known = if sent.is_some_and(Value::is_array) {
        entries(value)
    } else {
        entries(old)
    };
    let api_version = value["apiVersion"].as_str().unwrap_or_default().to_owned();
    let shape = Shape::root(resource, version_of(&api_version));
    let (before, after) = (ownable(resource, old, part), ownable(resource, value, part));
    let changed = fields::changed(&before, &after, shape);
    if before != after {
        let mut left = FieldSet::of(&after, shape);
        left.add(&other_half(resource, value, part, shape));
        for entry in &mut known {
            entry.fields.retain(&left);
            entry.fields.subtract(&changed);
        }
    }
    if !changed.is_empty() {
        take_over(
            &mut known,
            changed,
            &api_version,
            subresource_of(part),
            context,
        );
    }
    set_entries(value, &known);
}

fn take_over(
    known: &mut Vec<Entry>,
    changed: FieldSet,
    api_version: &str,
    subresource: &str,
    context: &Context<'_>,
) {
    let mine = known
        .iter_mut()
        .find(|entry| entry.is_of(context.manager, Operation::Update, subresource));
    if let Some(mine) = mine {
        mine.fields.add(&changed);
        context.now.clone_into(&mut mine.time);
        return;
    }
    known.push(Entry {
        manager: context.manager.to_owned(),
        operation: Operation::Update,
        subresource: subresource.to_owned(),
        api_version: api_version.to_owned(),
        time: context.now.to_owned(),
        fields: changed,
    });
}

/// The fields of the half that this write leaves alone.
fn other_half(resource: &Resource, value: &Value, part: Part, shape: Shape<'_>) -> FieldSet {
    let other = match part {
        Part::Main => Part::Status,
        Part::Status => Part::Main,
    };
    FieldSet::of(&ownable(resource, value, other), shape)
}

pub(crate) fn version_of(api_version: &str) -> &str {
    api_version.rsplit('/').next().unwrap_or_default()
}
