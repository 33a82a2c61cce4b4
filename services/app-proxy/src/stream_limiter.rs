//! How many streams of a kind there are at once: of all users, and of one, so that none takes the place of the others.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use causeway_proto::ids::UserId;

/// Who has how many.
#[derive(Debug)]
pub(crate) struct StreamLimiter {
    most: usize,
    most_of_one: usize,
    taken: Mutex<BTreeMap<UserId, usize>>,
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    seats: Arc<StreamLimiter>,
    user: UserId,
}

impl StreamLimiter {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Self {
        Self {
            most,
            most_of_one,
            taken: Mutex::default(),
        }
    }

    /// Nothing where there are too many.
    pub(crate) fn take(self: &Arc<Self>, user: &UserId) -> Option<StreamPermit> {
        let mut taken = self.counts();
        let all: usize = taken.values().sum();
        let own = taken.get(user).copied().unwrap_or(0);
        if all >= self.most || own >= self.most_of_one {
            return None;
        }
        taken.insert(user.clone(), own + 1);
        Some(StreamPermit {
            seats: Arc::clone(self),
            user: user.clone(),
        })
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<UserId, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut taken = self.seats.counts();
        let own = taken.get(&self.user).copied().unwrap_or(0);
        match own {
            0 | 1 => taken.remove(&self.user),
            own => taken.insert(self.user.clone(), own - 1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_cannot_take_the_places_of_others() {
        let seats = Arc::new(StreamLimiter::new(7, 3));
        let take = |user: &str| seats.take(&user.parse().unwrap());
        let ada: Vec<_> = (0..3).map(|_| take("ada").unwrap()).collect();
        assert!(take("ada").is_none());
        assert!(take("bob").is_some());
        drop(ada);
        assert!(take("ada").is_some());
        assert!(seats.counts().is_empty());
    }
}
