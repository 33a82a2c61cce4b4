//! Cache of one provider response with single flight. Callers that the cached value serves do not wait for a refresh.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use tokio::{sync::Mutex, time::Instant};

use crate::ProviderError;

/// Minimum time between failed requests, so that waiting callers share one failure.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Cached<T> {
    last: RwLock<Option<(Arc<T>, Instant)>>,
    /// Locked during a request; holds the last failure and its time.
    request: Mutex<Option<(ProviderError, Instant)>>,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self {
            last: RwLock::default(),
            request: Mutex::default(),
        }
    }
}

impl<T> Cached<T> {
    /// Returns the cached value if `is_fresh` accepts it at its age, or else the result of `fetch`.
    pub(crate) async fn get(
        &self,
        is_fresh: impl Fn(&T, Duration) -> bool,
        fetch: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<Arc<T>, ProviderError> {
        if let Some(value) = self.fresh(&is_fresh) {
            return Ok(value);
        }
        let mut failed = self.request.lock().await;
        // Another caller may have fetched it while this one waited for the lock.
        if let Some(value) = self.fresh(&is_fresh) {
            return Ok(value);
        }
        if let Some((error, since)) = &*failed
            && since.elapsed() < RETRY_PAUSE
        {
            return Err(error.clone());
        }
        let response = fetch.await.map(Arc::new);
        let now = Instant::now();
        *failed = response.as_ref().err().map(|error| (error.clone(), now));
        let response = response?;
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Arc::clone(&response), now));
        Ok(response)
    }

    fn fresh(&self, is_fresh: &impl Fn(&T, Duration) -> bool) -> Option<Arc<T>> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        let (value, since) = last.as_ref()?;
        is_fresh(value, since.elapsed()).then(|| Arc::clone(value))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{pending, ready},
        time::Duration,
    };

    use super::{Cached, RETRY_PAUSE};
    use crate::ProviderError;

    fn down() -> ProviderError {
        ProviderError::Unavailable {
            issuer: "https://dex.test".to_owned(),
            cause: "no answer".to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn cached_value_is_served_during_a_refresh() {
        let cache = Cached::default();
        cache.get(|_, _| false, ready(Ok(1))).await.unwrap();
        tokio::select! {
            biased;
            _ = cache.get(|_, _| false, pending()) => panic!("it asks for ever"),
            served = cache.get(|_, _| true, pending()) => assert_eq!(*served.unwrap(), 1),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failures_are_shared_until_the_pause_ends() {
        let cache = Cached::<u8>::default();
        let first = cache
            .get(|_, _| true, ready(Err(down())))
            .await
            .unwrap_err();
        let second = cache.get(|_, _| true, async { panic!("asked at once") });
        assert_eq!(second.await.unwrap_err().to_string(), first.to_string());
        tokio::time::advance(RETRY_PAUSE + Duration::from_millis(1)).await;
        assert_eq!(*cache.get(|_, _| true, ready(Ok(2))).await.unwrap(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn stale_value_is_fetched_again() {
        let cache = Cached::default();
        let fresh = |_: &u8, age: Duration| age < Duration::from_secs(60);
        cache.get(fresh, ready(Ok(1))).await.unwrap();
        let before = cache.get(fresh, async { panic!("it is fresh") });
        assert_eq!(*before.await.unwrap(), 1);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(*cache.get(fresh, ready(Ok(2))).await.unwrap(), 2);
    }
}
