//! The namespace of pods that are named without one.

use std::collections::BTreeSet;

use anyhow::bail;
use causeway_proto::inventory::v1 as pb;

use super::kind::Reference;
use crate::connection::Connection;

const DEFAULT: &str = "default";
const MOST: u32 = 50;

/// Finds the namespace of an object, or of a pod by its owner, among reported resources; `default` if none is reported.
///
/// # Errors
/// Several namespaces have one.
pub(super) async fn find(
    connection: &Connection,
    runtime: &str,
    wanted: &Reference,
) -> anyhow::Result<String> {
    let request = pb::SearchRequest {
        text: stem(wanted).to_owned(),
        kinds: vec![pb::SearchKind::Resource.into()],
        most_results: MOST,
    };
    let found = connection.search().search(request).await?.into_inner();
    let namespaces = namespaces(&found.results, runtime, wanted);
    let mut namespaces = namespaces.into_iter();
    match (namespaces.next(), namespaces.next()) {
        (None, _) => Ok(DEFAULT.to_owned()),
        (Some(only), None) => Ok(only.to_owned()),
        (Some(first), Some(second)) => {
            let others = namespaces.map(|it| format!(", {it}"));
            bail!(
                "several namespaces have {}: pass --namespace: {first}, {second}{}",
                wanted.name,
                others.collect::<String>()
            )
        }
    }
}

/// Returns the name that reported objects have: pods are not reported, but the ReplicaSets that own them.
fn stem(wanted: &Reference) -> &str {
    let owner = wanted.name.rsplit_once('-').map(|(owner, _)| owner);
    match owner {
        Some(owner) if wanted.kind.kind == "Pod" => owner,
        _ => &wanted.name,
    }
}

fn namespaces<'a>(
    results: &'a [pb::SearchResult],
    runtime: &str,
    wanted: &Reference,
) -> BTreeSet<&'a str> {
    let is_of = |name: &str| {
        let stem = stem(wanted);
        let below = name.strip_prefix(stem);
        below.is_some_and(|below| below.is_empty() || below.starts_with('-'))
    };
    let exact = results.iter().filter(|it| {
        let (kind, group) = it.resource.split_once('.').unwrap_or((&it.resource, ""));
        it.name == wanted.name && wanted.kind.is(group, kind)
    });
    let of = |found: Vec<&'a pb::SearchResult>| -> BTreeSet<&'a str> {
        let found = found.into_iter().filter(|it| it.runtime == runtime);
        found.map(|it| it.namespace.as_str()).collect()
    };
    let exact = of(exact.collect());
    if exact.is_empty() {
        return of(results.iter().filter(|it| is_of(&it.name)).collect());
    }
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(resource: &str, namespace: &str, name: &str) -> pb::SearchResult {
        pb::SearchResult {
            runtime: "east".to_owned(),
            resource: resource.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..pb::SearchResult::default()
        }
    }

    fn found(wanted: &str, results: &[pb::SearchResult]) -> Vec<String> {
        let found = namespaces(results, "east", &wanted.parse().unwrap());
        found.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn an_object_or_the_owner_of_a_pod_tells_the_namespace() {
        let results = [
            result("ReplicaSet.apps", "shop", "web-6d4c"),
            result("Rollout.argoproj.io", "play", "canary"),
            result("ReplicaSet.apps", "other", "website-1"),
        ];
        assert_eq!(found("deploy/web", &results), ["shop"]);
        assert_eq!(found("web-6d4c-x7k2p", &results), ["shop"]);
        assert_eq!(found("rollout/canary", &results), ["play"]);
        assert!(found("deploy/api", &results).is_empty());
    }

    #[test]
    fn an_object_of_the_kind_counts_before_others_of_its_name() {
        let results = [
            result("Rollout.argoproj.io", "play", "web"),
            result("ReplicaSet.apps", "shop", "web-1"),
        ];
        assert_eq!(found("rollout/web", &results), ["play"]);
        assert_eq!(found("deploy/web", &results), ["play", "shop"]);
    }
}
