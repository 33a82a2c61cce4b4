//! How many streams there are at once: of all users, and of one, so that none takes the place of the others.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use causeway_proto::ids::UserId;

const MOST: usize = 400;
const MOST_OF_ONE: usize = 40;

/// Who reads how many.
#[derive(Debug, Default)]
pub(super) struct Seats(Mutex<BTreeMap<UserId, usize>>);

/// One of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    user: UserId,
}

impl Seats {
    /// Nothing where there are too many.
    pub(super) fn take(self: &Arc<Self>, user: &UserId) -> Option<Seat> {
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let own = taken.get(user).copied().unwrap_or(0);
        if all >= MOST || own >= MOST_OF_ONE {
            return None;
        }
        taken.insert(user.clone(), own + 1);
        Some(Seat {
            seats: Arc::clone(self),
            user: user.clone(),
        })
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<UserId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
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
    fn nobody_takes_the_place_of_others() {
        let seats = Arc::<Seats>::default();
        let take = |user: &str| seats.take(&user.parse().unwrap());
        let ada: Vec<_> = (0..MOST_OF_ONE).map(|_| take("ada").unwrap()).collect();
        assert!(take("ada").is_none());
        assert!(take("bob").is_some());
        drop(ada);
        assert!(take("ada").is_some());
        assert!(seats.taken().is_empty());
    }
}
