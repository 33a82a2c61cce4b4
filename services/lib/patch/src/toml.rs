//! TOML, by toml_edit, which keeps comments and order itself.

use toml_edit::{DocumentMut, Item, Table};

use crate::{Edit, Operation, PatchError, Path, Segment, Value, edit::check_expected};

pub(crate) fn apply(text: &str, edit: &Edit) -> Result<String, PatchError> {
    let mut document = parse(text)?;
    check_expected(edit, read(text, &edit.path)?.as_ref())?;
    let (last, parents) = edit
        .path
        .segments()
        .split_last()
        .ok_or_else(|| not_found(&edit.path))?;
    let parent = parents
        .iter()
        .try_fold(document.as_item_mut(), |item, segment| step(item, segment));
    let parent = parent.ok_or_else(|| not_found(&edit.path))?;
    match &edit.operation {
        Operation::Set(value) => set(parent, last, toml_value(value)?),
        Operation::Append(value) => append(step(parent, last), toml_value(value)?),
        Operation::Remove => remove(parent, last),
    }
    .ok_or_else(|| not_found(&edit.path))?;
    let edited = document.to_string();
    prove(text, &edited, edit)?;
    Ok(edited)
}

pub(crate) fn read(text: &str, path: &Path) -> Result<Option<Value>, PatchError> {
    let mut document = parse(text)?;
    let found = path
        .segments()
        .iter()
        .try_fold(document.as_item_mut(), step);
    Ok(found.and_then(|item| item_value(item)))
}

fn parse(text: &str) -> Result<DocumentMut, PatchError> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| PatchError::Syntax(error.message().to_owned()))
}

fn not_found(path: &Path) -> PatchError {
    PatchError::NotFound {
        path: path.to_string(),
    }
}

fn step<'a>(item: &'a mut Item, segment: &Segment) -> Option<&'a mut Item> {
    let found = match segment {
        Segment::Key(key) => item.get_mut(key.as_str()),
        Segment::Index(index) => item.get_mut(*index),
        Segment::Match { .. } => None,
    };
    found.filter(|item| !item.is_none())
}

fn set(parent: &mut Item, segment: &Segment, mut value: toml_edit::Value) -> Option<()> {
    if let Some(Item::Value(old)) = step(parent, segment) {
        *value.decor_mut() = old.decor().clone();
        *old = value;
        return Some(());
    }
    match segment {
        Segment::Key(key) if step(parent, segment).is_none() => {
            parent.as_table_like_mut()?.insert(key, Item::Value(value));
            Some(())
        }
        Segment::Key(_) | Segment::Index(_) | Segment::Match { .. } => None,
    }
}

fn append(item: Option<&mut Item>, value: toml_edit::Value) -> Option<()> {
    item?.as_array_mut()?.push(value);
    Some(())
}

fn remove(parent: &mut Item, segment: &Segment) -> Option<()> {
    match segment {
        Segment::Key(key) => parent.as_table_like_mut()?.remove(key).map(drop),
        Segment::Index(index) => {
            let array = parent.as_array_mut()?;
            (*index < array.len()).then(|| drop(array.remove(*index)))
        }
        Segment::Match { .. } => None,
    }
}

fn toml_value(value: &Value) -> Result<toml_edit::Value, PatchError> {
    let invalid = || PatchError::InvalidValue("TOML has no null, and its numbers have 64 bits");
    match value {
        Value::Null => Err(invalid()),
        Value::Bool(it) => Ok((*it).into()),
        Value::String(text) => Ok(text.as_str().into()),
        Value::Number(text) => {
            let float = || text.parse::<f64>().ok().map(toml_edit::Value::from);
            let integer = text.parse::<i64>().ok().map(toml_edit::Value::from);
            integer.or_else(float).ok_or_else(invalid)
        }
        Value::List(items) => {
            let items = items
                .iter()
                .map(toml_value)
                .collect::<Result<Vec<_>, _>>()?;
            Ok(toml_edit::Value::Array(items.into_iter().collect()))
        }
        Value::Map(entries) => {
            let mut table = toml_edit::InlineTable::new();
            for (key, value) in entries {
                table.insert(key, toml_value(value)?);
            }
            Ok(toml_edit::Value::InlineTable(table))
        }
    }
}

fn item_value(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(plain_value(value)),
        Item::Table(table) => Some(table_value(table)),
        Item::ArrayOfTables(tables) => Some(Value::List(tables.iter().map(table_value).collect())),
    }
}

fn table_value(table: &Table) -> Value {
    let entries = table
        .iter()
        .filter_map(|(key, item)| Some((key.to_owned(), item_value(item)?)));
    Value::Map(entries.collect())
}

fn plain_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::string(text.value()),
        toml_edit::Value::Integer(it) => Value::Number(it.value().to_string()),
        toml_edit::Value::Float(it) => Value::Number(it.value().to_string()),
        toml_edit::Value::Boolean(it) => Value::Bool(*it.value()),
        toml_edit::Value::Datetime(it) => Value::String(it.value().to_string()),
        toml_edit::Value::Array(items) => Value::List(items.iter().map(plain_value).collect()),
        toml_edit::Value::InlineTable(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| (key.to_owned(), plain_value(value)));
            Value::Map(entries.collect())
        }
    }
}

/// All other lines must be there in the same order: an edit of a value touches lines of its own only.
fn prove(before: &str, after: &str, edit: &Edit) -> Result<(), PatchError> {
    let found = read(after, &edit.path)?;
    let is_there = match &edit.operation {
        Operation::Set(value) => found.as_ref() == Some(value),
        Operation::Append(_) => found.is_some(),
        Operation::Remove => true,
    };
    let root = |text: &str| Ok::<_, PatchError>(item_value(parse(text)?.as_item()));
    let (Some(mut before), Some(mut after)) = (root(before)?, root(after)?) else {
        return Err(not_found(&edit.path));
    };
    blank(&mut before, edit.path.segments());
    blank(&mut after, edit.path.segments());
    let is_same = before == after || matches!(edit.path.segments().last(), Some(Segment::Index(_)));
    let path = edit.path.to_string();
    (is_there && is_same)
        .then_some(())
        .ok_or(PatchError::Unproven { path })
}

/// Removes the edited value, so that what is left must be equal.
fn blank(value: &mut Value, segments: &[Segment]) {
    let Some((first, rest)) = segments.split_first() else {
        return;
    };
    match (value, first) {
        (Value::Map(entries), Segment::Key(key)) if rest.is_empty() => {
            entries.retain(|(name, _)| name != key)
        }
        (Value::Map(entries), Segment::Key(key)) => {
            let found = entries.iter_mut().filter(|(name, _)| name == key);
            found.for_each(|(_, value)| blank(value, rest));
        }
        (Value::List(items), Segment::Index(index)) => {
            if let Some(item) = items.get_mut(*index) {
                blank(item, rest);
            }
        }
        _ => {}
    }
}
