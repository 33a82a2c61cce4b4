//! Clusters for tests, where the programs are built.

use std::{
    io::{self, Write as _},
    sync::Once,
};

use causeway_cluster::{Cluster, Options, Programs};

static SAID: Once = Once::new();

/// Whether real clusters can be started here.
pub(crate) fn is_possible() -> bool {
    let integration = std::env::vars_os().any(|(name, _)| name == "CI");
    let Err(error) = Programs::find() else {
        return true;
    };
    assert!(!integration, "{error}");
    SAID.call_once(|| {
        // Not by the macro, whose output a test that passes does not show.
        let _ = writeln!(
            io::stderr(),
            "LEFT OUT: all tests on real clusters: {error}"
        );
    });
    false
}

pub(crate) async fn minimal() -> Option<Cluster> {
    if !is_possible() {
        return None;
    }
    Some(Cluster::minimal().await.unwrap())
}

pub(crate) async fn simulated(options: Options) -> Option<Cluster> {
    if !is_possible() {
        return None;
    }
    Some(Cluster::simulated(options).await.unwrap())
}
