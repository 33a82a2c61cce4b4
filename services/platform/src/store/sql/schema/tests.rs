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
        "9be543db9916aba63c70929977c10d3ca6ca241e6cfc16aa8c76e3afcae28576"
    );
    assert_eq!(
        digest(|step| step.postgres),
        "0eca988ee248071bc16713bc6e5d4ee2288e7ecdf399f9b7807cc1c26ed0996e"
    );
}
