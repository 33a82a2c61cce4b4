//! The table of values in each chart's README, made of the comments in its values.yaml. `RENEW=1 cargo test -p causeway-charts
//! readme` writes it anew.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use serde_json::Value;

use crate::{Chart, chart::folder};

/// A value: where it is, what its comment says, what it is if nobody says anything.
struct Row {
    path: Vec<String>,
    comment: String,
}

/// Each line with a `# -- ` before it.
fn rows(values: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut comment = None;
    for line in values.lines() {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if let Some(text) = content.strip_prefix("# -- ") {
            comment = Some(text.to_owned());
            continue;
        }
        let Some((key, _)) = content.split_once(':') else {
            continue;
        };
        if content.starts_with(['#', '-']) || !content.starts_with(|it: char| it.is_alphabetic()) {
            continue;
        }
        path.retain(|(at, _)| *at < indent);
        path.push((indent, key.to_owned()));
        if let Some(comment) = comment.take() {
            let path = path.iter().map(|(_, key)| key.clone()).collect();
            rows.push(Row { path, comment });
        }
    }
    rows
}

fn default_of<'a>(values: &'a Value, path: &[String]) -> &'a Value {
    path.iter().fold(values, |value, key| &value[key])
}

fn values(chart: Chart) -> (String, Value) {
    let text = fs::read_to_string(chart.folder().join("values.yaml")).unwrap();
    let read = serde_saphyr::from_str(&text).unwrap();
    (text, read)
}

fn readme(chart: Chart) -> String {
    let text = fs::read_to_string(chart.folder().join("Chart.yaml")).unwrap();
    let about: Value = serde_saphyr::from_str(&text).unwrap();
    let (text, values) = values(chart);
    let description = about["description"].as_str().unwrap();
    let mut page = format!(
        "# {}\n\n{description}. Installation: `../README.md`.\n\nGenerated from the comments in `values.yaml` by `RENEW=1 cargo test -p causeway-charts readme`.\n\n| value | default | description |\n|---|---|---|\n",
        chart.name()
    );
    for Row { path, comment } in rows(&text) {
        let default = default_of(&values, &path).to_string().replace('|', "\\|");
        let comment = comment.replace('|', "\\|");
        writeln!(page, "| `{}` | `{default}` | {comment} |", path.join(".")).unwrap();
    }
    page
}

#[test]
fn chart_readme_matches_its_values() {
    let renew = std::env::vars_os().any(|(name, _)| name == "RENEW");
    for chart in Chart::ALL {
        let (file, page) = (chart.folder().join("README.md"), readme(chart));
        if renew {
            fs::write(&file, &page).unwrap();
        }
        let read = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            read, page,
            "write it anew: RENEW=1 cargo test -p causeway-charts readme"
        );
    }
}

/// Paths of all values that are no maps of values themselves.
fn leaves(value: &Value, path: &str, commented: &BTreeSet<String>, found: &mut BTreeSet<String>) {
    match value.as_object() {
        Some(fields) if !commented.contains(path) => {
            for (key, value) in fields {
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                leaves(value, &path, commented, found);
            }
        }
        Some(_) | None => {
            found.insert(path.to_owned());
        }
    }
}

#[test]
fn values_have_a_comment_and_a_schema() {
    for chart in Chart::ALL {
        let (text, values) = values(chart);
        let commented: BTreeSet<_> = rows(&text).iter().map(|row| row.path.join(".")).collect();
        let mut found = BTreeSet::new();
        leaves(&values, "", &commented, &mut found);
        assert_eq!(found, commented, "{}", chart.name());
        let schema = fs::read_to_string(chart.folder().join("values.schema.json")).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        for path in &found {
            let place = path
                .split('.')
                .fold(&schema, |schema, key| &schema["properties"][key]);
            assert!(!place.is_null(), "{}: {path}", chart.name());
        }
    }
}

#[test]
fn schema_has_no_unknown_values() {
    fn check(schema: &Value, value: &Value, path: &str) {
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        for (key, schema) in properties {
            let path = format!("{path}.{key}");
            // Helm puts it into the values of a chart that another one depends on.
            assert!(path == ".global" || value.get(key).is_some(), "{path}");
            check(schema, &value[key], &path);
        }
    }
    for chart in Chart::ALL {
        let schema = fs::read_to_string(chart.folder().join("values.schema.json")).unwrap();
        check(
            &serde_json::from_str(&schema).unwrap(),
            &values(chart).1,
            "",
        );
    }
}

#[test]
fn every_mode_is_described() {
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    for mode in crate::modes() {
        let values: Value = serde_saphyr::from_str(mode.values).unwrap_or_default();
        for key in values
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.keys())
        {
            assert!(page.contains(key.as_str()), "{}: {key}", mode.name);
        }
    }
}
