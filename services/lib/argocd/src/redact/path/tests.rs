use serde_json::{Value, json};

use super::Path;

fn found(path: &str, object: &Value) -> Vec<Value> {
    let mut map = object.as_object().unwrap().clone();
    let mut all = Vec::new();
    let path: Path = path.parse().unwrap();
    path.visit(&mut map, &mut |value| all.push(value.clone()));
    assert_eq!(&Value::Object(map), object, "looking changes nothing");
    all
}

fn problem(path: &str) -> String {
    path.parse::<Path>().unwrap_err().to_string()
}

#[test]
fn a_path_leads_to_each_value_that_it_names() {
    let object = json!({
        "metadata": {"annotations": {"a.b/c": "noted"}},
        "spec": {
            "containers": [
                {"name": "web", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
                {"name": "side", "env": [{"name": "A", "value": "3"}]},
                "no container",
            ],
            "free": {"x": {"uri": "u"}, "y": {"uri": "v"}, "z": 1},
        },
    });
    let check = |path: &str, wanted: Value| {
        assert_eq!(json!(found(path, &object)), wanted, "{path}");
    };
    check("spec.containers[*].env[*].value", json!(["1", "2", "3"]));
    check("spec.containers[name=web].env[name=B].value", json!(["2"]));
    check("spec.containers[1].env[0].value", json!(["3"]));
    check("spec.free.*.uri", json!(["u", "v"]));
    check("metadata.annotations['a.b/c']", json!(["noted"]));
    check("metadata[\"annotations\"]['a.b/c']", json!(["noted"]));
    check("spec.nowhere.else", json!([]));
    check("spec.containers.env", json!([]));
    check("spec.free[0]", json!([]));
}

#[test]
fn what_is_wrong_with_a_path_is_said_with_its_place() {
    let check = |path: &str, wanted: &str| {
        let problem = problem(path);
        assert!(problem.contains(wanted), "{path}: {problem}");
    };
    check("", "it is empty");
    check("spec.", "at character 6: a field must follow the dot");
    check("spec..a", "at character 6");
    check("spec[", "']' is missing");
    check("spec[x]", "in brackets stands");
    check("spec['x]", "the quote does not end");
    check("spec['x'", "']' must follow");
    check("spec[0]x", "at character 8: a dot or '['");
    check("spec.a b", "written ['…']");
    check("spec.a*", "written ['…']");
    check(&format!("{}a", "a.".repeat(40)), "more than 32");
    check("größe[ü]", "in brackets");
}

#[test]
fn only_what_has_no_wildcard_is_exact() {
    let exact = |path: &str| path.parse::<Path>().unwrap().is_exact();
    assert!(exact("spec.a[0]['b.c']"));
    for path in ["spec.*", "spec[*]", "spec[name=x]"] {
        assert!(!exact(path), "{path}");
    }
}
