use serde_json::{Value, json};

use super::{Choice, OrderError, Selection};

fn live() -> Value {
    json!({
        "metadata": {"name": "web"},
        "status": {"resources": [
            {"kind": "Service", "namespace": "shop", "name": "web"},
            {"group": "apps", "kind": "Deployment", "namespace": "shop", "name": "web"},
            {"group": "apps", "kind": "Deployment", "namespace": "bank", "name": "api"},
            {"group": "batch", "kind": "Job", "namespace": "shop", "name": "migrate", "hook": true},
        ]},
    })
}

fn choice(text: &str) -> Choice {
    let (exclude, text) = match text.strip_prefix('!') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let mut fields = text.split(':').map(str::to_owned);
    let mut next = || fields.next().unwrap_or_default();
    Choice {
        group: next(),
        kind: next(),
        namespace: next(),
        name: next(),
        exclude,
    }
}

fn chosen(choices: &[&str]) -> String {
    let choices = choices.iter().map(|text| choice(text)).collect();
    let names = Selection { choices }.of(&live()).unwrap();
    let names = names
        .into_iter()
        .map(|it| format!("{}/{}", it.kind, it.name));
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn resources_are_chosen_by_all_their_fields() {
    for (choices, expected) in [
        (vec![":Service::"], "Service/web"),
        (vec!["apps:Deployment"], "Deployment/web Deployment/api"),
        (vec!["*:::web"], "Service/web Deployment/web"),
        (vec!["apps::shop"], "Deployment/web"),
        (vec![":Service", "apps:::a*"], "Service/web Deployment/api"),
        (vec!["*", "!*:::api"], "Service/web Deployment/web"),
        (vec!["!apps"], "Service/web"),
    ] {
        assert_eq!(chosen(&choices), expected, "{choices:?}");
    }
}

#[test]
fn without_choices_the_sync_is_whole_and_without_a_match_it_is_refused() {
    assert_eq!(Selection::default().of(&live()), Ok(Vec::new()));
    for nothing in ["batch:Job", ":Deployment", "apps:Deployment::nobody"] {
        let choices = vec![choice(nothing)];
        let refused = Selection { choices }.of(&live());
        assert_eq!(refused, Err(OrderError::NothingChosen("web".to_owned())));
    }
}
