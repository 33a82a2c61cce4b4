//! An answer of the provider that is kept. One caller asks at a time, and who can be served by what is kept does not wait for it.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use tokio::{sync::Mutex, time::Instant};

use crate::ProviderError;

/// How soon after a failure the provider is asked again: those who wait meanwhile do not each wait for it.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Kept<T> {
    last: RwLock<Option<(Arc<T>, Instant)>>,
    /// Held while asking, with how the last question failed.
    asking: Mutex<Option<(ProviderError, Instant)>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            last: RwLock::default(),
            asking: Mutex::default(),
        }
    }
}

impl<T> Kept<T> {
    /// What is kept, if it `serves` at its age, or else what `ask` answers.
    pub(crate) async fn get(
        &self,
        serves: impl Fn(&T, Duration) -> bool,
        ask: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<Arc<T>, ProviderError> {
        if let Some(kept) = self.kept(&serves) {
            return Ok(kept);
        }
        let mut failed = self.asking.lock().await;
        // Whoever asked before may have got it.
        if let Some(kept) = self.kept(&serves) {
            return Ok(kept);
        }
        if let Some((error, since)) = &*failed
            && since.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        let answer = ask.await.map(Arc::new);
        let now = Instant::now();
        *failed = answer.as_ref().err().map(|error| (error.clone(), now));
        let answer = answer?;
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Arc::clone(&answer), now));
        Ok(answer)
    }

    fn kept(&self, serves: &impl Fn(&T, Duration) -> bool) -> Option<Arc<T>> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        let (value, since) = last.as_ref()?;
        serves(value, since.elapsed()).then(|| Arc::clone(value))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{pending, ready},
        time::Duration,
    };

    use super::{Kept, PAUSE};
    use crate::ProviderError;

    fn down() -> ProviderError {
        ProviderError::Unavailable {
            issuer: "https://dex.test".to_owned(),
            cause: "no answer".to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_served_by_what_is_kept_does_not_wait_for_who_asks() {
        let kept = Kept::default();
        kept.get(|_, _| false, ready(Ok(1))).await.unwrap();
        tokio::select! {
            biased;
            _ = kept.get(|_, _| false, pending()) => panic!("it asks for ever"),
            served = kept.get(|_, _| true, pending()) => assert_eq!(*served.unwrap(), 1),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_failed_is_left_in_peace_for_a_moment() {
        let kept = Kept::<u8>::default();
        let first = kept.get(|_, _| true, ready(Err(down()))).await.unwrap_err();
        let second = kept.get(|_, _| true, async { panic!("asked at once") });
        assert_eq!(second.await.unwrap_err().to_string(), first.to_string());
        tokio::time::advance(PAUSE + Duration::from_millis(1)).await;
        assert_eq!(*kept.get(|_, _| true, ready(Ok(2))).await.unwrap(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_too_old_is_asked_for_again() {
        let kept = Kept::default();
        let fresh = |_: &u8, age: Duration| age < Duration::from_secs(60);
        kept.get(fresh, ready(Ok(1))).await.unwrap();
        let before = kept.get(fresh, async { panic!("it is fresh") });
        assert_eq!(*before.await.unwrap(), 1);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(*kept.get(fresh, ready(Ok(2))).await.unwrap(), 2);
    }
}
