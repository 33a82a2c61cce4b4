//! The repeated and excluding fields of a filter.

use std::collections::BTreeSet;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};

use super::to_phase;
use crate::{
    application::{Exclusion, Filter, Patterns},
    convert::{
        LONGEST_NAME, MOST_STATES, selector, short, states, to_health, to_sync, unknown_state,
    },
    history::Phase,
    report::FieldError,
};

/// Names of one list.
const MOST_NAMES: usize = 500;
/// Longest key: four names and what is between them.
const LONGEST_KEY: usize = 4 * (LONGEST_NAME + 1);
/// Longest URL of a repository, in bytes.
const LONGEST_URL: usize = 2048;

/// Takes the fields out of a filter that lists of values are in.
pub(crate) fn extended(filter: &mut pb::ApplicationFilter) -> Result<Filter, FieldError> {
    let names = |field: &str, values: &mut Vec<String>| {
        bounded(&format!("filter.{field}"), values, LONGEST_NAME)
    };
    let repositories = bounded("filter.repositories", &mut filter.repositories, LONGEST_URL)?;
    let parents = bounded("filter.parents", &mut filter.parents, LONGEST_KEY)?;
    Ok(Filter {
        repositories: repositories.0,
        parents: parents.0,
        runtimes: names("runtimes", &mut filter.runtimes)?,
        clusters: names("clusters", &mut filter.clusters)?,
        namespaces: names("namespaces", &mut filter.namespaces)?,
        projects: names("projects", &mut filter.projects)?,
        names: names("names", &mut filter.names)?,
        operation: phases(&filter.operation)?,
        automated: filter.automated,
        changed_since: filter.changed_since.as_ref().map(timestamp_to_millis),
        keys: keys(std::mem::take(&mut filter.keys))?,
        exclude: exclusion(filter.exclude.take().unwrap_or_default())?,
        ..Filter::default()
    })
}

fn bounded(field: &str, values: &mut Vec<String>, longest: usize) -> Result<Patterns, FieldError> {
    if values.len() > MOST_NAMES {
        let problem = format!(
            "has {} entries: at most {MOST_NAMES} are allowed",
            values.len()
        );
        return Err(FieldError::new(field, problem));
    }
    for value in &*values {
        if value.is_empty() {
            return Err(FieldError::new(field, "has an empty entry: leave it out"));
        }
        short(field, value, longest)?;
    }
    Ok(Patterns(std::mem::take(values)))
}

fn phases(codes: &[i32]) -> Result<Vec<Phase>, FieldError> {
    let field = "filter.operation";
    few_states(field, codes)?;
    let phase = |code: &i32| {
        let known = pb::OperationPhase::try_from(*code);
        known.map(to_phase).map_err(|_| unknown_state(field, *code))
    };
    codes.iter().map(phase).collect()
}

fn few_states(field: &str, codes: &[i32]) -> Result<(), FieldError> {
    if codes.len() > MOST_STATES {
        let problem = format!("has too many states: at most {MOST_STATES}");
        return Err(FieldError::new(field, problem));
    }
    Ok(())
}

fn keys(mut keys: Vec<String>) -> Result<BTreeSet<String>, FieldError> {
    let field = "filter.keys";
    let keys = bounded(field, &mut keys, LONGEST_KEY)?.0;
    let parts = |key: &String| key.split('/').filter(|part| !part.is_empty()).count();
    if keys.iter().any(|key| parts(key) < 4) {
        let problem = "has an entry that is not RUNTIME/CLUSTER/NAMESPACE/NAME";
        return Err(FieldError::new(field, problem));
    }
    Ok(keys.into_iter().collect())
}

fn exclusion(exclude: pb::ApplicationExclusion) -> Result<Exclusion, FieldError> {
    let names = |field: &str, mut values: Vec<String>| {
        bounded(
            &format!("filter.exclude.{field}"),
            &mut values,
            LONGEST_NAME,
        )
    };
    few_states("filter.exclude.sync", &exclude.sync)?;
    few_states("filter.exclude.health", &exclude.health)?;
    let labels = "filter.exclude.label_selector";
    Ok(Exclusion {
        sync: states("filter.exclude.sync", &exclude.sync, to_sync)?,
        health: states("filter.exclude.health", &exclude.health, to_health)?,
        labels: selector(labels, &exclude.label_selector)?,
        runtimes: names("runtimes", exclude.runtimes)?,
        clusters: names("clusters", exclude.clusters)?,
        namespaces: names("namespaces", exclude.namespaces)?,
        projects: names("projects", exclude.projects)?,
        names: names("names", exclude.names)?,
    })
}
