//! The dashboard, held to the types that Grafana itself publishes for the version in compose.yaml.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{Finished, run, skip};

use super::read;

const TYPES: &str = include_str!("dashboard.ts");
const SCHEMA: &str = "@grafana/schema";

#[test]
fn dashboard_matches_the_grafana_schema() {
    let Some(compiler) = Compiler::find() else {
        return;
    };
    let package = fs::read_to_string(compiler.modules.join(SCHEMA).join("package.json")).unwrap();
    let package: serde_json::Value = serde_json::from_str(&package).unwrap();
    let version = package["version"].as_str().unwrap();
    let image = format!("image: docker.io/grafana/grafana:{version}\n");
    assert!(
        read("compose.yaml").contains(&image),
        "the schema is of {version}"
    );
    let dashboard = read("grafana/dashboards/causeway.json");
    compiler.check(&dashboard).expect_success();

    let unknown = dashboard.replacen("\"iconColor\"", "\"iconColour\"", 1);
    let wrong = dashboard.replacen("\"mode\": \"absolute\"", "\"mode\": \"relative\"", 1);
    for (broken, named) in [(unknown, "iconColour"), (wrong, "relative")] {
        let refused = compiler.check(&broken);
        assert!(!refused.status.success(), "{named}");
        assert!(refused.stdout.contains(named), "{refused:?}");
    }
}

struct Compiler {
    program: PathBuf,
    modules: PathBuf,
}

impl Compiler {
    /// Without it the test is skipped.
    fn find() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .canonicalize();
        let root = root.unwrap();
        let program = root.join("clients/typescript/node_modules/.bin/tsc");
        let modules = root.join(".ci/tools/node_modules");
        if program.exists() && modules.join(SCHEMA).exists() {
            return Some(Self { program, modules });
        }
        skip(&format!("{SCHEMA} or tsc is missing"));
        None
    }

    fn check(&self, dashboard: &str) -> Finished {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dashboard.ts");
        symlink(&self.modules, folder.path().join("node_modules")).unwrap();
        fs::write(&file, TYPES.replace("DASHBOARD", dashboard)).unwrap();
        let mut command = Command::new(&self.program);
        command.args(["--noEmit", "--strict", "--skipLibCheck"]);
        command.args(["--module", "nodenext", "--moduleResolution", "nodenext"]);
        run(command.arg(file))
    }
}
