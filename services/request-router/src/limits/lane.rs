//! The state of one caller, or of one runtime.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::Semaphore,
    time::{Instant, sleep, timeout_at},
};

use super::{CallShape, LONGEST_WAIT, Limit, LimitError, Turn, bucket::Bucket};

pub(super) struct Lane {
    limit: Limit,
    bucket: Mutex<Bucket>,
    waiting: Arc<Semaphore>,
    running: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    refused: AtomicBool,
}

impl Lane {
    pub(super) fn new(limit: Limit) -> Self {
        let places = |number: usize| Arc::new(Semaphore::new(number.min(Semaphore::MAX_PERMITS)));
        Self {
            bucket: Mutex::new(Bucket::new(limit.calls, Instant::now())),
            waiting: places(limit.waiting),
            running: places(limit.running),
            streams: places(limit.streams),
            refused: AtomicBool::new(false),
            limit,
        }
    }

    /// Waits for a token and a place, in the order of arrival.
    pub(super) async fn enter(&self, shape: CallShape) -> Result<Turn, LimitError> {
        let end = Instant::now() + LONGEST_WAIT;
        let _waiting = (self.waiting.clone().try_acquire_owned()).map_err(|_| self.at_once())?;
        let stream = match shape {
            CallShape::Unary => None,
            CallShape::Stream => Some(self.open_stream()?),
        };
        let wait = self.take()?;
        if !wait.is_zero() {
            sleep(wait).await;
        }
        if let Some(stream) = stream {
            return Ok(stream);
        }
        let running = timeout_at(end, self.running.clone().acquire_owned()).await;
        running
            .map_err(|_| self.at_once())?
            .map_err(|_| self.at_once())
    }

    /// True once.
    pub(super) fn is_first_refusal(&self) -> bool {
        !self.refused.swap(true, Ordering::Relaxed)
    }

    fn open_stream(&self) -> Result<Turn, LimitError> {
        let stream = self.streams.clone().try_acquire_owned();
        stream.map_err(|_| LimitError::Streams {
            who: self.limit.who,
            streams: self.limit.streams,
        })
    }

    fn take(&self) -> Result<Duration, LimitError> {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = bucket.take(Instant::now(), LONGEST_WAIT);
        taken.map_err(|after| LimitError::Rate {
            who: self.limit.who,
            flag: self.limit.flag,
            calls: self.limit.calls,
            after,
        })
    }

    fn at_once(&self) -> LimitError {
        LimitError::AtOnce {
            who: self.limit.who,
            running: self.limit.running,
            waiting: self.limit.waiting,
        }
    }
}
