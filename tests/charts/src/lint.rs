//! What Helm itself says.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Chart, helm, modes,
    stage::{named, rendered, text},
};

#[test]
fn helm_finds_nothing_wrong_in_any_mode() {
    let Some(helm) = helm() else { return };
    for mode in modes() {
        let linted = mode.chart.attempt(&helm, "lint", mode.values);
        assert!(linted.status.success(), "{mode:?}: {linted:?}");
    }
}

#[test]
fn no_two_objects_have_one_name_and_each_is_in_a_known_namespace() {
    for rendered in rendered() {
        let mut seen = BTreeSet::new();
        for object in &rendered.release.objects {
            let place = (text(object, "/apiVersion"), named(object));
            let namespace = text(object, "/metadata/namespace");
            let once = seen.insert((place, namespace));
            assert!(once, "{}: {} twice", rendered.name(), named(object));
        }
        for object in rendered.own() {
            let wide = text(object, "/kind").starts_with("Cluster");
            let place = text(object, "/metadata/namespace");
            assert_eq!(
                wide,
                place.is_empty(),
                "{}: {}",
                rendered.name(),
                named(object)
            );
        }
    }
}

#[test]
fn what_both_charts_are_made_of_is_the_same_text() {
    for file in ["_causeway.tpl", "_formats.tpl", "admin.yaml", "tests.yaml"] {
        let read = |chart: Chart| {
            let file = chart.folder().join("templates").join(file);
            std::fs::read_to_string(file).unwrap()
        };
        assert_eq!(read(Chart::Platform), read(Chart::Runtime), "{file}");
    }
}

#[test]
fn the_version_of_the_charts_is_that_of_the_program() {
    for chart in Chart::ALL {
        let text = std::fs::read_to_string(chart.folder().join("Chart.yaml")).unwrap();
        let chart: Value = serde_saphyr::from_str(&text).unwrap();
        for field in ["version", "appVersion"] {
            assert_eq!(chart[field], env!("CARGO_PKG_VERSION"), "{chart}");
        }
    }
}
