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
        "67726d00b7b5a8180524bb95585468472a13d7d43d88708311c0f0602060a244"
    );
    assert_eq!(
        digest(|step| step.postgres),
        "62bf439f2135f5b23a89b58fa8f0ec7287aedbf44baced5e331148849273691b"
    );
}
