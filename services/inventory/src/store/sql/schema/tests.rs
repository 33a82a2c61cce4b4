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
        "ad5c9afbeb40c0ebbe6a6ea28d0144badd88bf67cc1da92b2603348655c92de1"
    );
    assert_eq!(
        digest(|step| step.postgres),
        "a90b5144e5e09d7294856bfc3684407654cff58da47e96a9b63ba38f652b7074"
    );
}
