//! Schedule of signing keys. The file name holds the start time, so replicas agree without communication.

/// How long a key is published before it signs, in seconds: longer than any verifier goes without asking.
pub(crate) const PUBLISHED_AHEAD: i64 = 120;
/// How long a key counts after the next one signs, in seconds: the life of what it signed, the leeway of clocks, and some more.
pub(crate) const COUNTS_AFTER: i64 = 180;

/// Where a signing key is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Published, and does not sign yet.
    Waiting,
    /// Signs.
    Signing,
    /// What it signed may still be shown, until this time in seconds since 1970.
    Leaving(i64),
    /// Counts no more.
    Over,
}

/// The phase of each of these keys, by the times from which on they sign, earliest first. One always signs, unless there are none.
pub(crate) fn phases(begins: &[i64], now: i64) -> Vec<Phase> {
    let begun = begins.iter().filter(|begin| **begin <= now).count();
    let signing = begun.saturating_sub(1);
    let phase = |(at, _): (usize, &i64)| match at.cmp(&signing) {
        std::cmp::Ordering::Greater => Phase::Waiting,
        std::cmp::Ordering::Equal => Phase::Signing,
        std::cmp::Ordering::Less => {
            let until = begins[at + 1].saturating_add(COUNTS_AFTER);
            if until > now {
                Phase::Leaving(until)
            } else {
                Phase::Over
            }
        }
    };
    begins.iter().enumerate().map(phase).collect()
}

/// From when on the next key signs, where it is time to make one: keys sign for `age` seconds.
pub(crate) fn due(begins: &[i64], age: i64, now: i64) -> Option<i64> {
    let end = begins.last()?.saturating_add(age);
    let soon = now + PUBLISHED_AHEAD;
    (end <= soon).then_some(end.max(soon))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_overlap_while_what_they_signed_may_be_shown() {
        use Phase::{Leaving, Over, Signing, Waiting};
        let begins = [0, 1000, 2000];
        for (now, expected) in [
            (-1, [Signing, Waiting, Waiting]),
            (0, [Signing, Waiting, Waiting]),
            (999, [Signing, Waiting, Waiting]),
            (1000, [Leaving(1180), Signing, Waiting]),
            (1179, [Leaving(1180), Signing, Waiting]),
            (1180, [Over, Signing, Waiting]),
            (2000, [Over, Leaving(2180), Signing]),
            (9999, [Over, Over, Signing]),
        ] {
            assert_eq!(phases(&begins, now), expected, "{now}");
        }
        assert_eq!(phases(&[], 0), []);
    }

    #[test]
    fn the_next_key_is_made_early_enough_to_be_published() {
        let age = 10_000;
        assert_eq!(due(&[0], age, age - PUBLISHED_AHEAD - 1), None);
        assert_eq!(due(&[0], age, age - PUBLISHED_AHEAD), Some(age));
        assert_eq!(due(&[0, age], age, age), None);
        let late = 5 * age;
        assert_eq!(due(&[0], age, late), Some(late + PUBLISHED_AHEAD));
        assert_eq!(due(&[], age, 0), None);
    }
}
