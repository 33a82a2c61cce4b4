//! What leads from one specification to another, value by value.

use std::collections::BTreeSet;

use causeway_patch::{Operation, PatchError, Path, Segment};
use serde_json::{Map, Value as Json};

type Changes = Vec<(Path, Operation)>;

/// Collects the changed values. Items of a list are found by their name where each has one.
pub(super) fn collect(
    before: &Json,
    after: &Json,
    at: Vec<Segment>,
    changes: &mut Changes,
) -> Result<(), PatchError> {
    match (before, after) {
        _ if before == after => Ok(()),
        (Json::Object(before), Json::Object(after)) => objects(before, after, &at, changes),
        (Json::Array(before), Json::Array(after)) if is_named(before) && is_named(after) => {
            named(before, after, &at, changes)
        }
        (Json::Array(before), Json::Array(after)) if is_same_shape(before, after) => {
            let pairs = before.iter().zip(after).enumerate();
            for (index, (before, after)) in pairs {
                collect(before, after, with(&at, Segment::Index(index)), changes)?;
            }
            Ok(())
        }
        _ => {
            changes.push((Path::new(at)?, Operation::Set(after.clone().into())));
            Ok(())
        }
    }
}

fn objects(
    before: &Map<String, Json>,
    after: &Map<String, Json>,
    at: &[Segment],
    changes: &mut Changes,
) -> Result<(), PatchError> {
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        let at = with(at, Segment::Key(name.clone()));
        changes.push((Path::new(at)?, Operation::Remove));
    }
    for (name, wanted) in after {
        let at = with(at, Segment::Key(name.clone()));
        match before.get(name) {
            Some(found) => collect(found, wanted, at, changes)?,
            None => changes.push((Path::new(at)?, Operation::Set(wanted.clone().into()))),
        }
    }
    Ok(())
}

fn named(
    before: &[Json],
    after: &[Json],
    at: &[Segment],
    changes: &mut Changes,
) -> Result<(), PatchError> {
    let find = |list: &'_ [Json], name: &Json| list.iter().position(|it| it["name"] == *name);
    for item in before
        .iter()
        .filter(|it| find(after, &it["name"]).is_none())
    {
        changes.push((Path::new(with(at, by_name(item)))?, Operation::Remove));
    }
    for item in after {
        match find(before, &item["name"]) {
            Some(index) => collect(&before[index], item, with(at, by_name(item)), changes)?,
            None => {
                let append = Operation::Append(item.clone().into());
                changes.push((Path::new(at.to_vec())?, append));
            }
        }
    }
    Ok(())
}

fn by_name(item: &Json) -> Segment {
    Segment::Match {
        key: "name".to_owned(),
        value: item["name"].as_str().unwrap_or_default().to_owned(),
    }
}

fn with(at: &[Segment], segment: Segment) -> Vec<Segment> {
    let mut at = at.to_vec();
    at.push(segment);
    at
}

fn is_named(list: &[Json]) -> bool {
    let names: BTreeSet<_> = list.iter().filter_map(|it| it["name"].as_str()).collect();
    names.len() == list.len()
}

fn is_same_shape(before: &[Json], after: &[Json]) -> bool {
    let are_objects = |list: &[Json]| list.iter().all(Json::is_object);
    before.len() == after.len() && are_objects(before) && are_objects(after)
}
