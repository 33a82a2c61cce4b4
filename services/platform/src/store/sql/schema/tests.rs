use std::fmt::Write as _;

use super::*;
use crate::secret::sha256;

/// Databases keep the checksums of their steps, and one whose step differs is not opened. Replace the digests only after a new step.
#[test]
fn released_migrations_never_change() {
    let digest = |sql: fn(&Migration) -> &str| {
        let all: String = MIGRATIONS.iter().map(sql).collect();
        let mut hex = String::new();
        for byte in sha256(all.as_bytes()) {
            write!(hex, "{byte:02x}").unwrap();
        }
        hex
    };
    assert_eq!(
        digest(|step| step.sqlite),
        "f8985764d9baf440a8b9ce33eee42538fc733044fa8cb549238e7e6d85a94362"
    );
    assert_eq!(
        digest(|step| step.postgres),
        "55fedab2f18004bd6618c220a0a9294773dc355955c2f8f7cae9c694870a8e18"
    );
}
