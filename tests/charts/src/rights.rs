//! What every account may do, as a file that people read. `RENEW=1 cargo test -p causeway-charts rights` writes it anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use serde_json::Value;

use crate::{
    chart::folder,
    stage::{self, Rendered, named, rendered, text, texts},
};

/// Modes whose rights differ from the default's.
const SHOWN: [(&str, &str); 12] = [
    ("causeway-platform", "default"),
    ("causeway-runtime", "default"),
    ("causeway-runtime", "existing-secrets"),
    ("causeway-runtime", "several-argocds"),
    ("causeway-runtime", "git"),
    ("causeway-runtime", "everything-allowed"),
    ("causeway-runtime", "webhooks"),
    ("causeway-runtime", "git-sources"),
    ("causeway-runtime", "namespaced"),
    ("causeway-runtime", "namespaced-by-ingress"),
    ("causeway-runtime", "namespaced-by-http-route"),
    ("causeway-runtime", "namespaced-with-a-new-argocd"),
];

/// Secrets of integrations have names that users choose, so that this Role names none.
const INTEGRATIONS: &str = "east-app-proxy-integrations";

const HEAD: &str = "\
# What every ServiceAccount of the charts may do: account, where, RESOURCE.GROUP [only this name]: verbs.
# Compared by a test, and written anew by: RENEW=1 cargo test -p causeway-charts rights
# Modes that are not here have the rights of `default`, but for the tunnel client's Secret where there is no tunnel, and for what the
# look before an installation reads of the way in: of an Ingress the classes (list), of an HTTPRoute its Gateway (get).
";

/// In the order in which they are shown.
const VERBS: [&str; 7] = [
    "get", "list", "watch", "create", "update", "patch", "delete",
];

/// Verbs of each resource, by their place in `VERBS`.
type Rules = BTreeMap<String, BTreeSet<usize>>;
/// Of each account at each place.
type Rights = BTreeMap<(String, String), Rules>;

fn rights(rendered: &Rendered) -> Rights {
    let mut rights = Rights::new();
    let bindings = rendered.of_kind("RoleBinding");
    for binding in bindings.chain(rendered.of_kind("ClusterRoleBinding")) {
        let kind = text(binding, "/roleRef/kind");
        let namespace = text(binding, "/metadata/namespace");
        let role = rendered.of_kind(kind).find(|role| {
            let of = (
                text(role, "/metadata/name"),
                text(role, "/metadata/namespace"),
            );
            of == (text(binding, "/roleRef/name"), namespace)
        });
        let role = role.unwrap_or_else(|| panic!("{} binds nothing", named(binding)));
        let account = text(binding, "/subjects/0/name").to_owned();
        let rules = rights.entry((account, namespace.to_owned())).or_default();
        for rule in role["rules"].as_array().unwrap() {
            add(rules, rule);
        }
    }
    rights
}

fn add(rules: &mut Rules, rule: &Value) {
    let verbs = texts(rule, "/verbs").into_iter();
    let verbs = verbs.map(|verb| VERBS.iter().position(|known| *known == verb));
    let verbs: BTreeSet<usize> = verbs.map(Option::unwrap).collect();
    let names = texts(rule, "/resourceNames");
    for group in texts(rule, "/apiGroups") {
        for resource in texts(rule, "/resources") {
            let what = format!("{resource}.{group}");
            let what = what.trim_end_matches('.');
            let named = if names.is_empty() {
                vec![what.to_owned()]
            } else {
                names.iter().map(|name| format!("{what} {name}")).collect()
            };
            for what in named {
                rules.entry(what).or_default().extend(&verbs);
            }
        }
    }
}

fn shown() -> String {
    let mut shown = HEAD.to_owned();
    for (chart, name) in SHOWN {
        let mut all = rendered().iter();
        let of = all
            .find(|it| (it.mode.chart.name(), it.mode.name) == (chart, name))
            .unwrap();
        write!(shown, "\n# {chart}, {name}\n").unwrap();
        // Places where an account may do the same stand together.
        let mut same: BTreeMap<(String, Rules), Vec<String>> = BTreeMap::new();
        for ((account, place), rules) in rights(of) {
            same.entry((account, rules)).or_default().push(place);
        }
        for ((account, rules), places) in same {
            match places.as_slice() {
                [everywhere] if everywhere.is_empty() => writeln!(shown, "{account} everywhere"),
                places => writeln!(shown, "{account} in {}", places.join(", ")),
            }
            .unwrap();
            for (what, verbs) in rules {
                let verbs: Vec<_> = verbs.into_iter().map(|verb| VERBS[verb]).collect();
                writeln!(shown, "  {what}: {}", verbs.join(", ")).unwrap();
            }
        }
    }
    shown
}

#[test]
fn rights_match_the_reviewed_list() {
    if rendered().is_empty() {
        return;
    }
    let (file, shown) = (folder().join("rights.txt"), shown());
    if std::env::vars_os().any(|(name, _)| name == "RENEW") {
        fs::write(&file, &shown).unwrap();
    }
    let read = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        read, shown,
        "if this is meant: RENEW=1 cargo test -p causeway-charts rights"
    );
}

#[test]
fn omitted_modes_have_the_default_rights() {
    for rendered in rendered() {
        let shown = (rendered.mode.chart.name(), rendered.mode.name);
        if SHOWN.contains(&shown) {
            continue;
        }
        let mut all = stage::rendered().iter();
        let default =
            all.find(|it| it.mode.chart == rendered.mode.chart && it.mode.name == "default");
        let mut expected = rights(default.unwrap());
        if rendered.find("Deployment", "east-tunnel-client").is_none() {
            for rules in expected.values_mut() {
                rules.retain(|what, _| !what.contains("tunnel-client"));
            }
        }
        let before = ("east-preflight".to_owned(), String::new());
        let reads = match rendered.mode.name {
            "ingress" => Some(("ingressclasses.networking.k8s.io", "list")),
            "http-route" => Some(("gateways.gateway.networking.k8s.io public", "get")),
            "no-preflight" => {
                expected.remove(&before);
                None
            }
            _ => None,
        };
        if let (Some((what, verb)), Some(rules)) = (reads, expected.get_mut(&before)) {
            let verb = VERBS.iter().position(|known| *known == verb).unwrap();
            rules.insert(what.to_owned(), BTreeSet::from([verb]));
        }
        assert_eq!(rights(rendered), expected, "{}", rendered.name());
    }
}

#[test]
fn rights_have_no_wildcards_and_name_their_secrets() {
    for rendered in rendered() {
        for kind in ["Role", "ClusterRole"] {
            for role in rendered.of_kind(kind) {
                for rule in role["rules"].as_array().unwrap() {
                    let whose = format!("{}: {} {rule}", rendered.name(), named(role));
                    assert!(!rule.to_string().contains('*'), "{whose}");
                    assert_eq!(rule["nonResourceURLs"], Value::Null, "{whose}");
                    if texts(rule, "/resources")
                        .iter()
                        .any(|it| it.starts_with("secrets"))
                    {
                        assert_eq!(kind, "Role", "{whose}");
                        if text(role, "/metadata/name") == INTEGRATIONS {
                            assert_eq!(rendered.mode.name, "git", "{whose}");
                            continue;
                        }
                        assert!(!texts(rule, "/resourceNames").is_empty(), "{whose}");
                        assert_eq!(texts(rule, "/verbs"), ["get", "patch"], "{whose}");
                    }
                    for banned in ["escalate", "bind", "impersonate", "deletecollection"] {
                        assert!(!texts(rule, "/verbs").contains(&banned), "{whose}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_role_is_bound_to_an_account_of_its_own_release() {
    for rendered in rendered() {
        let bindings = rendered.of_kind("RoleBinding");
        let bindings: Vec<_> = bindings
            .chain(rendered.of_kind("ClusterRoleBinding"))
            .collect();
        let roles = rendered
            .of_kind("Role")
            .chain(rendered.of_kind("ClusterRole"));
        assert_eq!(roles.count(), bindings.len(), "{}", rendered.name());
        for binding in bindings {
            let subjects = binding["subjects"].as_array().unwrap();
            assert_eq!(subjects.len(), 1, "{}", named(binding));
            assert_eq!(
                text(&subjects[0], "/kind"),
                "ServiceAccount",
                "{}",
                named(binding)
            );
            let account = text(&subjects[0], "/name");
            assert!(
                rendered.find("ServiceAccount", account).is_some(),
                "{}",
                named(binding)
            );
        }
    }
}
