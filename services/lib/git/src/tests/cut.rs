use std::sync::atomic::Ordering;

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::server::{Server, append_edit, change, engine, path};
use crate::{Change, FileEdit};

/// Bytes after which the connection is cut. `make soak` cuts at every 4 KiB of a push of 1 MiB, too.
fn places() -> Vec<i64> {
    let mut places = vec![
        0, 100, 400, 700, 1000, 1300, 1600, 2000, 2400, 3000, 4000, 6000,
    ];
    if std::env::var_os("CAUSEWAY_SOAK").is_some() {
        places.extend((1..=256).map(|number| number << 12));
    }
    places
}

/// Noise that does not compress, so that the bytes of the push are those of the file.
fn noise(step: &str) -> FileEdit {
    let size = if std::env::var_os("CAUSEWAY_SOAK").is_some() {
        1 << 20
    } else {
        1 << 10
    };
    let mut state = u64::from_le_bytes(Sha256::digest(step)[..8].try_into().unwrap()) | 1;
    let bytes = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    });
    FileEdit::Write {
        path: path("noise.bin"),
        content: bytes.take(size).collect(),
        expected: None,
    }
}

fn noisy(step: &str) -> Change {
    change(step, vec![append_edit(step), noise(step)])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_anywhere_gives_one_commit() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let mut expected = 0;
    for direction in ["up", "down"] {
        for bytes in places() {
            let step = format!("step-cut-{direction}-{bytes}");
            let budget = if direction == "up" {
                &server.cut.up
            } else {
                &server.cut.down
            };
            budget.store(bytes, Ordering::SeqCst);
            let first = engine
                .commit(&server.fragile_remote(), "main", noisy(&step))
                .await;
            let again = engine
                .commit(&server.fragile_remote(), "main", noisy(&step))
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
