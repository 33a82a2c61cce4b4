use super::*;
use crate::digest::Digest;

/// Databases keep the checksums of their steps, and one whose step differs is not opened. Replace the digests only after a new step.
#[test]
fn released_migrations_never_change() {
    let digest = |sql: fn(&Migration) -> &str| {
        let all: String = MIGRATIONS.iter().map(sql).collect();
        Digest::of(all.as_bytes()).to_string()
    };
    assert_eq!(
        digest(|step| step.sqlite),
        "6a648b8d0cb91ebd0e03870c0225bcee09a561987aa2927ee77553b8153e3e6a"
    );
    assert_eq!(
        digest(|step| step.postgres),
        "9d0b7b86f97ad3448572af1c9f3841ae8596338b1a84ef57508b7ceeaadd7a4f"
    );
}
