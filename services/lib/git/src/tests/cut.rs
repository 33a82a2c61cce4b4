use std::sync::atomic::Ordering;

use tempfile::TempDir;

use super::server::{Server, append, engine};

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_anywhere_gives_one_commit() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let mut expected = 0;
    for direction in ["up", "down"] {
        for bytes in [
            0, 100, 400, 700, 1000, 1300, 1600, 2000, 2400, 3000, 4000, 6000,
        ] {
            let step = format!("step-cut-{direction}-{bytes}");
            let budget = if direction == "up" {
                &server.cut.up
            } else {
                &server.cut.down
            };
            budget.store(bytes, Ordering::SeqCst);
            let first = engine
                .commit(&server.fragile_remote(), "main", append(&step))
                .await;
            let again = engine
                .commit(&server.fragile_remote(), "main", append(&step))
                .await;
            assert!(again.is_ok(), "{step}: {again:?}");
            if let Ok(first) = first {
                assert_eq!(first.id, again.unwrap().id, "{step}");
            }
            expected += 1;
            assert_eq!(server.steps().len(), expected, "{step}");
        }
    }
    server.check();
}
