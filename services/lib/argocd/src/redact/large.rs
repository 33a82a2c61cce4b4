//! Work on large objects, kept from the threads that serve everything else.

use tokio::{sync::Semaphore, task::spawn_blocking};

/// Smaller objects take less time than a change of threads is worth.
const MAX_INLINE_BYTES: usize = 16 << 10;

/// Large objects at work in this process. The others wait, so that hostile ones take neither all processors nor all memory.
static AT_WORK: Semaphore = Semaphore::const_new(2);

/// Runs work that redacts this many bytes: at once if they are few, else on a thread for blocking work.
///
/// # Panics
/// The work panics.
pub async fn redact_off_thread<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= MAX_INLINE_BYTES {
        return work();
    }
    let _permit = AT_WORK.acquire().await;
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread::ThreadId};

    use super::*;

    async fn thread_of(bytes: usize) -> ThreadId {
        redact_off_thread(bytes, || std::thread::current().id()).await
    }

    #[tokio::test]
    async fn only_large_objects_leave_the_thread() {
        let own = std::thread::current().id();
        assert_eq!(thread_of(MAX_INLINE_BYTES).await, own);
        assert_ne!(thread_of(MAX_INLINE_BYTES + 1).await, own);
    }

    #[tokio::test]
    async fn large_objects_delay_no_other_task() {
        let (end, ended) = mpsc::channel();
        let hostile = redact_off_thread(1 << 20, move || ended.recv().unwrap());
        // On this thread the honest one would wait for ever: its own end lets the hostile one end.
        let honest = async move {
            redact_off_thread(1, || ()).await;
            end.send(()).unwrap();
        };
        tokio::join!(hostile, honest);
    }
}
