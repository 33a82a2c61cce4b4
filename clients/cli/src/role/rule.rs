//! A rule in one line: ACTIONS ENTITIES [FIELD=PATTERNS]….

use causeway_proto::platform::v1 as pb;

const FIELDS: &str =
    "runtime, cluster, project, namespace, name, label:KEY, product or environment";

/// Reads a rule.
pub(super) fn parse(text: &str) -> Result<pb::Rule, String> {
    let mut words = text.split_whitespace();
    let (Some(actions), Some(entities)) = (words.next(), words.next()) else {
        return Err("a rule is ACTIONS ENTITIES [FIELD=PATTERNS]…".to_owned());
    };
    let mut selector = pb::Selector::default();
    let mut limited = false;
    for word in words {
        limited = true;
        let (field, values) = word
            .split_once('=')
            .ok_or_else(|| format!("'{word}' is not FIELD=PATTERNS"))?;
        match field.strip_prefix("label:") {
            Some(label) => {
                selector.labels.insert(label.to_owned(), values.to_owned());
            }
            None => list(&mut selector, field)?.extend(split(values)),
        }
    }
    Ok(pb::Rule {
        entities: split(entities),
        actions: split(actions),
        selector: limited.then_some(selector),
    })
}

fn split(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn list<'a>(selector: &'a mut pb::Selector, field: &str) -> Result<&'a mut Vec<String>, String> {
    Ok(match field {
        "runtime" => &mut selector.runtimes,
        "cluster" => &mut selector.clusters,
        "project" => &mut selector.projects,
        "namespace" => &mut selector.namespaces,
        "name" => &mut selector.names,
        "product" => &mut selector.products,
        "environment" => &mut selector.environments,
        _ => return Err(format!("no field '{field}': use {FIELDS}")),
    })
}

/// Writes a rule as it is read.
pub(crate) fn text(rule: &pb::Rule) -> String {
    let mut words = vec![rule.actions.join(","), rule.entities.join(",")];
    words.extend(conditions(rule));
    words.join(" ")
}

/// The limits of a rule, each as FIELD=PATTERNS.
pub(crate) fn conditions(rule: &pb::Rule) -> Vec<String> {
    let Some(selector) = &rule.selector else {
        return Vec::new();
    };
    let lists = [
        ("runtime", &selector.runtimes),
        ("cluster", &selector.clusters),
        ("project", &selector.projects),
        ("namespace", &selector.namespaces),
        ("name", &selector.names),
        ("product", &selector.products),
        ("environment", &selector.environments),
    ];
    let lists = lists.into_iter().filter(|(_, values)| !values.is_empty());
    let lists = lists.map(|(field, values)| format!("{field}={}", values.join(",")));
    let labels = selector.labels.iter();
    let labels = labels.map(|(key, value)| format!("label:{key}={value}"));
    lists.chain(labels).collect()
}

#[cfg(test)]
mod tests;
