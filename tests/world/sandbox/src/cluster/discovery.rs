//! Discovery: which groups, versions and kinds there are. Pure.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::resource::{Resource, Status, Version};

const OBJECT_VERBS: [&str; 7] = [
    "create", "delete", "get", "list", "patch", "update", "watch",
];
/// The one review that the sandbox answers: group, kind, plural.
pub(crate) const REVIEW: (&str, &str, &str) = (
    "authorization.k8s.io",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
);

pub(crate) type Kinds = Vec<Arc<Resource>>;

pub(crate) fn version() -> Value {
    json!({
        "major": "1", "minor": "33", "gitVersion": "v1.33.0+causeway-sandbox", "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "", "platform": "linux/amd64",
    })
}

pub(crate) fn core_versions() -> Value {
    json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [] })
}

/// All groups but the core one.
pub(crate) fn groups(kinds: &Kinds) -> Value {
    let groups: Vec<Value> = group_versions(kinds)
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, versions)| group_of(name, versions))
        .collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
}

pub(crate) fn group(kinds: &Kinds, name: &str) -> Option<Value> {
    let versions = group_versions(kinds).remove(name)?;
    let mut group = group_of(name, &versions);
    group["kind"] = "APIGroup".into();
    group["apiVersion"] = "v1".into();
    Some(group)
}

/// The kinds of one version of a group.
pub(crate) fn resources(kinds: &Kinds, group: &str, version: &str) -> Option<Value> {
    let mut list: Vec<Value> = served(kinds, group, version)
        .flat_map(|(resource, version)| entries(resource, version))
        .collect();
    let (review_group, kind, plural) = REVIEW;
    if (group, version) == (review_group, "v1") {
        list.push(json!({
            "name": plural, "singularName": kind.to_lowercase(), "namespaced": false, "kind": kind, "verbs": ["create"],
        }));
    }
    let group_version = group_version(group, version);
    (!list.is_empty()).then(|| {
        json!({ "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": list })
    })
}

/// Names and versions of the groups, preferred version first.
pub(crate) fn group_versions(kinds: &Kinds) -> BTreeMap<String, Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for resource in kinds {
        let versions = groups.entry(resource.group.clone()).or_default();
        for version in &resource.versions {
            if !versions.contains(&version.name) {
                versions.push(version.name.clone());
            }
        }
    }
    for versions in groups.values_mut() {
        versions.sort_by_key(|version| Reverse(priority(version)));
    }
    groups.insert(REVIEW.0.to_owned(), vec!["v1".to_owned()]);
    groups
}

/// Stable before beta before alpha, later before earlier: `v2`, `v1`, `v2beta1`, `v1alpha1`.
fn priority(version: &str) -> (u8, u32, u32) {
    let digits = |text: &str| {
        text.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    let major = digits(version.trim_start_matches('v'));
    let rest = &version[(1 + major.len()).min(version.len())..];
    let stage = match rest.trim_end_matches(|character: char| character.is_ascii_digit()) {
        "" => 3,
        "beta" => 2,
        "alpha" => 1,
        _ => 0,
    };
    let minor = rest.trim_start_matches(|character: char| !character.is_ascii_digit());
    (
        stage,
        major.parse().unwrap_or(0),
        minor.parse().unwrap_or(0),
    )
}

pub(crate) fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

pub(crate) fn served<'a>(
    kinds: &'a Kinds,
    group: &'a str,
    version: &'a str,
) -> impl Iterator<Item = (&'a Arc<Resource>, &'a Version)> {
    let of_group = kinds.iter().filter(move |resource| resource.group == group);
    of_group.filter_map(move |resource| Some((resource, resource.version(version)?)))
}

fn group_of(name: &str, versions: &[String]) -> Value {
    let entry = |version: &String| json!({ "groupVersion": group_version(name, version), "version": version });
    let list: Vec<Value> = versions.iter().map(entry).collect();
    json!({ "name": name, "versions": list, "preferredVersion": list.first() })
}

fn entries(resource: &Resource, version: &Version) -> Vec<Value> {
    let mut kind = json!({
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.is_namespaced(),
        "kind": resource.kind,
        "verbs": OBJECT_VERBS,
    });
    for (field, names) in [
        ("shortNames", &resource.short_names),
        ("categories", &resource.categories),
    ] {
        if !names.is_empty() {
            kind[field] = json!(names);
        }
    }
    let mut list = vec![kind];
    let part = |name: &str, kind: &str| {
        json!({
            "name": format!("{}/{name}", resource.plural), "singularName": "", "namespaced": resource.is_namespaced(),
            "kind": kind, "verbs": ["get", "patch", "update"],
        })
    };
    if version.status == Status::Separate {
        list.push(part("status", &resource.kind));
    }
    list
}
