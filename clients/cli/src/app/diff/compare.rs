//! Differences of live manifests: between cluster and Git, two revisions, or two applications.

use std::collections::BTreeMap;

use causeway_proto::{inventory::v1 as inventory, proxy::v1 as pb};
use serde_json::{Value, json};

use super::{
    args::DiffArgs,
    local,
    text::{NamedDiff, remove, show, yaml_of},
};
use crate::{
    app::{
        find::{self, NameArgs},
        manifests,
    },
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Format},
    words::object_name,
};

/// Prefix of redacted values; each runtime has marks of its own.
const MARK: &str = "(redacted ";
/// Fields that a cluster or a tool sets.
const OF_ONE_CLUSTER: [&[&str]; 9] = [
    &["status"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
    &["metadata", "generation"],
    &["metadata", "creationTimestamp"],
    &["metadata", "managedFields"],
    &["metadata", "ownerReferences"],
    &["metadata", "annotations", "argocd.argoproj.io/tracking-id"],
    &[
        "metadata",
        "annotations",
        "kubectl.kubernetes.io/last-applied-configuration",
    ],
];

/// Objects of one side by kind, group, namespace and name.
pub(super) type Side = BTreeMap<[String; 4], Value>;

/// Comparison sets of manifests.
pub(super) struct Comparison {
    /// Names of the sides.
    pub(super) names: [String; 2],
    pub(super) sides: [Side; 2],
}

pub(super) async fn run(
    connection: &Connection,
    args: &DiffArgs,
    format: Format,
) -> anyhow::Result<()> {
    let comparison = match (&args.local, &args.with, args.revisions.as_slice()) {
        (Some(path), ..) => local::compare(connection, &args.name, path).await?,
        (None, Some(other), _) => applications(connection, args, other).await?,
        (None, None, []) => {
            let key = find::key(connection, &args.name).await?;
            cluster_and_git(connection, &key).await?
        }
        (None, None, revisions) => compare_revisions(connection, &args.name, revisions).await?,
    };
    let differences = comparison.differences()?;
    match format {
        Format::Table => {
            let mut differences = differences.iter();
            differences.try_for_each(|(_, lines)| show(lines))?;
        }
        Format::Json | Format::Yaml => {
            let of = |((identity, lines), comparison): (
                &([String; 4], Vec<String>),
                &Comparison,
            )| {
                let [kind, group, namespace, name] = identity;
                json!({
                    "group": group, "kind": kind, "namespace": namespace, "name": name,
                    "from": comparison.sides[0].get(identity), "to": comparison.sides[1].get(identity),
                    "diff": lines.join("\n"),
                })
            };
            let resources: Vec<Value> =
                differences.iter().map(|it| of((it, &comparison))).collect();
            output::value(
                &json!({"from": comparison.names[0], "to": comparison.names[1], "resources": resources}),
                format,
            )?;
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(Unsuccessful.into())
    }
}

/// The lines of what differs between the cluster and Git, resource by resource.
pub(crate) async fn lines(
    connection: &Connection,
    key: &inventory::GetApplicationRequest,
) -> anyhow::Result<Vec<String>> {
    let comparison = cluster_and_git(connection, key).await?;
    let differences = comparison.differences()?.into_iter();
    Ok(differences.flat_map(|(_, lines)| lines).collect())
}

async fn cluster_and_git(
    connection: &Connection,
    key: &inventory::GetApplicationRequest,
) -> anyhow::Result<Comparison> {
    let source = pb::ManifestSource::Compared;
    let found = manifests::fetch(connection, key, source, None).await?;
    let side = |of: fn(&pb::StreamManifestsResponse) -> &[u8]| to_side(&found, of, "");
    Ok(Comparison {
        names: ["cluster".to_owned(), "Git".to_owned()],
        sides: [side(|it| &it.live)?, side(|it| &it.desired)?],
    })
}

async fn compare_revisions(
    connection: &Connection,
    name: &NameArgs,
    revisions: &[String],
) -> anyhow::Result<Comparison> {
    let key = find::key(connection, name).await?;
    let fetch = async |revision: Option<&str>| {
        let source = pb::ManifestSource::Git;
        let found = manifests::fetch(connection, &key, source, revision).await?;
        to_side(&found, |it| &it.desired, "")
    };
    let (first, second) = (revisions.first(), revisions.get(1));
    let shown = |revision: Option<&String>| {
        let own = || "what it asks for".to_owned();
        revision.cloned().unwrap_or_else(own)
    };
    Ok(Comparison {
        names: [shown(first), shown(second)],
        sides: [
            fetch(first.map(String::as_str)).await?,
            fetch(second.map(String::as_str)).await?,
        ],
    })
}

/// Compares two applications of any runtimes as if they deployed to one namespace.
async fn applications(
    connection: &Connection,
    args: &DiffArgs,
    other: &str,
) -> anyhow::Result<Comparison> {
    let one = find::get_one(connection, &args.name).await?;
    let other = NameArgs {
        name: other.to_owned(),
        runtime: None,
        namespace: None,
    };
    let other = find::get_one(connection, &other).await?;
    let side = async |application: &inventory::Application| {
        let key = find::key_of(application);
        let spec = application.spec.as_ref();
        let destination = spec.and_then(|spec| spec.destination.as_ref());
        let home = destination.map_or("", |destination| &destination.namespace);
        let (source, of): (_, fn(&pb::StreamManifestsResponse) -> &[u8]) = if args.desired {
            (pb::ManifestSource::Git, |it| &it.desired)
        } else {
            (pb::ManifestSource::Live, |it| &it.live)
        };
        let found = manifests::fetch(connection, &key, source, None).await?;
        let mut side = to_side(&found, of, home)?;
        side.values_mut()
            .for_each(|object| remove_local_fields(object, home));
        Ok::<_, anyhow::Error>(side)
    };
    Ok(Comparison {
        names: [find::full_name(&one), find::full_name(&other)],
        sides: [side(&one).await?, side(&other).await?],
    })
}

/// Collects objects; those of the namespace `home` lose it.
pub(super) fn to_side(
    manifests: &[pb::StreamManifestsResponse],
    of: impl Fn(&pb::StreamManifestsResponse) -> &[u8],
    home: &str,
) -> anyhow::Result<Side> {
    let mut side = Side::new();
    for manifest in manifests {
        let text = of(manifest);
        if text.is_empty() {
            continue;
        }
        let namespace = if manifest.namespace == home {
            String::new()
        } else {
            manifest.namespace.clone()
        };
        let (kind, group) = (manifest.kind.clone(), manifest.group.clone());
        let identity = [kind, group, namespace, manifest.name.clone()];
        side.insert(identity, serde_json::from_slice(text)?);
    }
    Ok(side)
}

/// Removes what only one of two clusters can have.
fn remove_local_fields(object: &mut Value, home: &str) {
    for path in OF_ONE_CLUSTER {
        remove(object, path);
    }
    if object
        .pointer("/metadata/namespace")
        .and_then(Value::as_str)
        == Some(home)
    {
        remove(object, &["metadata", "namespace"]);
    }
    hide(object);
}

/// Replaces redaction marks: marks of comparison runtimes cannot be compared.
pub(super) fn hide(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(MARK) => "(hidden)".clone_into(text),
        Value::Array(list) => list.iter_mut().for_each(hide),
        Value::Object(map) => map.values_mut().for_each(hide),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Comparison {
    /// Returns the lines of the differences by object.
    fn differences(&self) -> anyhow::Result<Vec<([String; 4], Vec<String>)>> {
        let [one, other] = &self.sides;
        let mut all: Vec<_> = one.keys().chain(other.keys()).collect();
        all.sort();
        all.dedup();
        let mut found = Vec::new();
        for identity in all {
            let text = |side: &Side| match side.get(identity) {
                Some(object) => yaml_of(object.clone(), &[]),
                None => Ok(String::new()),
            };
            let diff = NamedDiff {
                name: &object_name(identity.each_ref().map(String::as_str)),
                sides: [&self.names[0], &self.names[1]],
            };
            let lines = diff.lines(&text(one)?, &text(other)?);
            if !lines.is_empty() {
                found.push((identity.clone(), lines));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(namespace: &str, name: &str, object: &Value) -> pb::StreamManifestsResponse {
        pb::StreamManifestsResponse {
            kind: "ConfigMap".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            live: object.to_string().into(),
            ..pb::StreamManifestsResponse::default()
        }
    }

    fn side(namespace: &str, name: &str, data: &str) -> Side {
        let object = json!({
            "metadata": {"namespace": namespace, "name": name, "uid": format!("{namespace}-uid")},
            "data": {"a": data, "key": format!("{MARK}{namespace})")},
        });
        let found = [manifest(namespace, name, &object)];
        let mut side = to_side(&found, |it| &it.live, namespace).unwrap();
        side.values_mut()
            .for_each(|object| remove_local_fields(object, namespace));
        side
    }

    fn between(one: Side, other: Side) -> Vec<([String; 4], Vec<String>)> {
        let names = ["one".to_owned(), "other".to_owned()];
        let sides = [one, other];
        Comparison { names, sides }.differences().unwrap()
    }

    #[test]
    fn differences_of_the_location_are_ignored() {
        assert_eq!(between(side("a", "web", "1"), side("b", "web", "1")), []);
    }

    #[test]
    fn a_difference_shows_both_sides() {
        let found = between(side("a", "web", "1"), side("b", "web", "2"));
        let [(identity, lines)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(
            object_name(identity.each_ref().map(String::as_str)),
            "ConfigMap web"
        );
        let text = lines.join("\n");
        assert!(text.contains("one") && text.contains("other"), "{text}");
        assert!(
            text.contains("-  a: \"1\"") || text.contains("-  a: '1'"),
            "{text}"
        );
        let found = between(side("a", "web", "1"), side("b", "api", "1"));
        assert_eq!(found.len(), 2);
    }
}
