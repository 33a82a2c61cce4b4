//! Assertions and the certificates in them.

use std::sync::{Arc, LazyLock};

use causeway_assertion::{ExpectedAudience, StaticKeys, Verifier};
use futures::executor::block_on;

static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| {
    Verifier::new(
        Arc::new(StaticKeys::default()),
        ExpectedAudience::AnyRuntime,
    )
});

/// Verifies an assertion.
///
/// # Panics
/// It is accepted, though no key is trusted.
pub fn assertion(data: &[u8]) {
    let token = String::from_utf8_lossy(data);
    let verified = block_on(VERIFIER.verify(&token, "inventory.v1.ApplicationService/List"));
    assert!(verified.is_err());
}
