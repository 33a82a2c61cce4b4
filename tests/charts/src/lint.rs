//! What Helm itself says.

use std::{collections::BTreeSet, fs, process::Command};

use causeway_testkit::run;
use serde_json::Value;

use crate::{
    Chart, helm, modes,
    stage::{named, rendered, text},
};

#[test]
fn helm_lint_passes_in_every_mode() {
    let Some(helm) = helm() else { return };
    for mode in modes() {
        let linted = mode.chart.attempt(&helm, "lint", mode.values);
        assert!(linted.status.success(), "{mode:?}: {linted:?}");
    }
}

#[test]
fn object_names_are_unique_and_namespaces_known() {
    for rendered in rendered() {
        let mut seen = BTreeSet::new();
        for object in &rendered.release.objects {
            let place = (text(object, "/apiVersion"), named(object));
            let namespace = text(object, "/metadata/namespace");
            let once = seen.insert((place, namespace));
            assert!(once, "{}: {} twice", rendered.name(), named(object));
        }
        for object in rendered.own() {
            let kind = text(object, "/kind");
            let wide = kind.starts_with("Cluster") || kind == "CustomResourceDefinition";
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

/// Registries serve packages, in which a symbolic link would lead nowhere.
#[test]
fn packages_contain_the_common_templates() {
    let Some(helm) = helm() else { return };
    for chart in Chart::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut package = Command::new(&helm);
        package.arg("package").arg(chart.folder());
        let packaged = run(package.current_dir(&folder));
        assert!(packaged.status.success(), "{packaged:?}");
        let package = fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
        let listed = run(Command::new("tar").arg("tzf").arg(package.path()));
        for file in ["_causeway.tpl", "_formats.tpl", "_admin.tpl", "_tests.tpl"] {
            let path = format!("templates/common/{file}");
            assert!(listed.stdout.contains(&path), "{}", listed.stdout);
        }
    }
}

#[test]
fn chart_versions_equal_the_program_version() {
    for chart in Chart::ALL {
        let text = fs::read_to_string(chart.folder().join("Chart.yaml")).unwrap();
        let chart: Value = serde_saphyr::from_str(&text).unwrap();
        for field in ["version", "appVersion"] {
            assert_eq!(chart[field], env!("CARGO_PKG_VERSION"), "{chart}");
        }
    }
}
