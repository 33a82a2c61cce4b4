//! Shutdown signal of a process or a part.

use std::future::{Future, IntoFuture};

use futures::{FutureExt as _, future::BoxFuture};
use tokio_util::sync::CancellationToken;

/// Resolves when a drain starts. `shutdown.await` and `shutdown.requested().await` are equivalent.
#[derive(Clone, Debug)]
pub struct Shutdown(CancellationToken);

impl Shutdown {
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self(token)
    }

    pub fn requested(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.clone().cancelled_owned()
    }

    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl IntoFuture for Shutdown {
    type Output = ();
    type IntoFuture = BoxFuture<'static, ()>;

    fn into_future(self) -> Self::IntoFuture {
        self.requested().boxed()
    }
}
