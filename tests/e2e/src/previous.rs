//! This version and the one before it side by side, for `make previous`, which builds that one.

use std::path::{Path, PathBuf};

use causeway_sandbox::{Demo, Sandbox, SandboxOptions};

use crate::parts::{Mesh, Setting, reports_and_acts};

/// The program of the version before; none where it was not built.
fn previous() -> Option<PathBuf> {
    let program = std::env::var_os("CAUSEWAY_PREVIOUS");
    program.map(PathBuf::from)
}

async fn side_by_side(platform: Option<&Path>, runtime: Option<&Path>) {
    let options = SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    };
    let sandbox = Sandbox::start(options).await.unwrap();
    let [platform, runtime] = [platform, runtime].map(|program| Setting {
        program,
        ..Setting::default()
    });
    let mesh = tokio::task::block_in_place(|| Mesh::mixed(&sandbox, platform, runtime));
    reports_and_acts(&mesh).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_previous_runtime_works_with_this_platform() {
    if let Some(previous) = previous() {
        side_by_side(None, Some(&previous)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn this_runtime_works_with_the_previous_platform() {
    if let Some(previous) = previous() {
        side_by_side(Some(&previous), None).await;
    }
}
