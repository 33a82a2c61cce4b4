//! Custom kinds: reading a CustomResourceDefinition, and the status that says it is served.

use serde_json::{Value, json};

use super::{
    super::{object::metadata_text, refusal::Refusal},
    Column, Origin, Resource, Scope, Status, Version, resource_id,
};

const MOST_VERSIONS: usize = 16;

/// # Errors
/// `Invalid` when a field that serving needs is missing or contradicts the name.
pub(crate) fn from_definition(definition: &Value) -> Result<Resource, Refusal> {
    let name = metadata_text(definition, "name");
    let wrong = |field: &str, why: &str| {
        Refusal::invalid(
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
            name,
            &[(field.to_owned(), why.to_owned())],
        )
    };
    let spec = &definition["spec"];
    let (group, kind, plural) = (
        &spec["group"],
        &spec["names"]["kind"],
        &spec["names"]["plural"],
    );
    let group = group
        .as_str()
        .ok_or_else(|| wrong("spec.group", "Required value"))?;
    let kind = kind
        .as_str()
        .ok_or_else(|| wrong("spec.names.kind", "Required value"))?;
    let plural = plural
        .as_str()
        .ok_or_else(|| wrong("spec.names.plural", "Required value"))?;
    if name != format!("{plural}.{group}") {
        return Err(wrong(
            "metadata.name",
            &format!("Invalid value: {name:?}: must be spec.names.plural+\".\"+spec.group"),
        ));
    }
    let versions = versions(spec);
    if versions.is_empty() {
        return Err(wrong(
            "spec.versions",
            "at least one version must be served",
        ));
    }
    let all = || spec["versions"].as_array().into_iter().flatten();
    if all().filter(|version| version["storage"] == true).count() != 1 {
        let why = "Invalid value: must have exactly one version marked as storage version";
        return Err(wrong("spec.versions", why));
    }
    if let Some(at) = all().position(|version| version.pointer("/schema/openAPIV3Schema").is_none())
    {
        let field = format!("spec.versions[{at}].schema.openAPIV3Schema");
        return Err(wrong(&field, "Required value"));
    }
    Ok(Resource {
        id: resource_id(group, plural).into(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        singular: spec["names"]["singular"]
            .as_str()
            .map_or_else(|| kind.to_lowercase(), str::to_owned),
        short_names: strings(&spec["names"]["shortNames"]),
        categories: strings(&spec["names"]["categories"]),
        scope: if spec["scope"] == "Cluster" {
            Scope::Cluster
        } else {
            Scope::Namespaced
        },
        origin: Origin::Custom,
        versions,
    })
}

/// Fills in the names that follow from others.
pub(crate) fn complete_definition(definition: &mut Value) {
    let spec = &mut definition["spec"];
    if let Some(kind) = spec["names"]["kind"].as_str().map(str::to_owned) {
        for (field, name) in [
            ("singular", kind.to_lowercase()),
            ("listKind", format!("{kind}List")),
        ] {
            if spec["names"][field].is_null() {
                spec["names"][field] = name.into();
            }
        }
    }
    if spec.is_object() && spec["conversion"].is_null() {
        spec["conversion"] = json!({ "strategy": "None" });
    }
}

/// The resource id that a definition of this name serves.
pub(crate) fn id_of_definition(definition: &Value) -> String {
    metadata_text(definition, "name").to_owned()
}

/// Fills the status that tells clients that the kind is served.
pub(crate) fn accept_definition(definition: &mut Value, now: &str) {
    if definition.pointer("/status/acceptedNames/kind").is_some() {
        return;
    }
    let stored: Vec<Value> = definition["spec"]["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|version| version["storage"] == true)
        .map(|version| version["name"].clone())
        .collect();
    let condition = |kind: &str, reason: &str, message: &str| json!({ "type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now });
    definition["status"] = json!({
        "acceptedNames": definition["spec"]["names"],
        "conditions": [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
        "storedVersions": stored,
    });
}

fn versions(spec: &Value) -> Vec<Version> {
    let served = spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|version| version["served"] == true);
    let mut versions: Vec<(bool, Version)> = served
        .take(MOST_VERSIONS)
        .map(|version| (version["storage"] == true, read_version(version)))
        .collect();
    versions.sort_by_key(|(storage, _)| !storage);
    versions.into_iter().map(|(_, version)| version).collect()
}

fn read_version(version: &Value) -> Version {
    let subresources = &version["subresources"];
    Version {
        name: version["name"].as_str().unwrap_or_default().to_owned(),
        status: if subresources.get("status").is_some() {
            Status::Separate
        } else {
            Status::Inline
        },
        columns: version["additionalPrinterColumns"]
            .as_array()
            .into_iter()
            .flatten()
            .map(read_column)
            .collect(),
        schema: version.pointer("/schema/openAPIV3Schema").cloned(),
    }
}

fn read_column(column: &Value) -> Column {
    let text = |field: &str| column[field].as_str().unwrap_or_default().to_owned();
    Column {
        name: text("name"),
        kind: text("type"),
        path: text("jsonPath"),
        priority: column["priority"].as_i64().unwrap_or(0),
        description: text("description"),
    }
}

fn strings(value: &Value) -> Vec<String> {
    let texts = value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}
