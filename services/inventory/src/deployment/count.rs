//! Numbers of ended operations in intervals of time.

use super::Phase;

/// A period in intervals of equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Start, milliseconds since 1970.
    pub from: i64,
    /// Length in milliseconds, more than 0.
    pub length: i64,
    /// Number of intervals, more than 0.
    pub intervals: u32,
}

/// Counts of one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeploymentCounts {
    /// Operations that succeeded.
    pub succeeded: u64,
    /// Operations that failed or could not be executed.
    pub failed: u64,
}

impl Period {
    /// End, exclusive.
    #[must_use]
    pub fn to(self) -> i64 {
        self.from + self.length
    }

    /// The period of the same length before, as one interval.
    #[must_use]
    pub fn before(self) -> Self {
        Self {
            from: self.from - self.length,
            intervals: 1,
            ..self
        }
    }

    /// Start of an interval: the first millisecond with this index.
    #[must_use]
    pub fn start(self, index: u32) -> i64 {
        let count = i64::from(self.intervals);
        let passed = i64::from(index) * self.length;
        self.from + (passed + count - 1) / count
    }

    /// Index of the interval of a time; none outside.
    #[must_use]
    pub fn index(self, time: i64) -> Option<usize> {
        let inside = (self.from..self.to()).contains(&time);
        let index = (time - self.from) * i64::from(self.intervals) / self.length;
        usize::try_from(index).ok().filter(|_| inside)
    }

    /// Counts of no operation.
    #[must_use]
    pub fn zeros(self) -> Vec<DeploymentCounts> {
        vec![DeploymentCounts::default(); self.intervals as usize]
    }
}

impl DeploymentCounts {
    /// Adds operations that ended so.
    pub fn add(&mut self, phase: Phase, count: u64) {
        match phase {
            Phase::Succeeded => self.succeeded += count,
            Phase::Failed | Phase::Error => self.failed += count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn each_time_is_in_the_interval_that_starts_before_it(
            from in 0_i64..1_000_000, length in 1_i64..10_000, intervals in 1_u32..200, at in 0_i64..10_000,
        ) {
            let period = Period { from, length, intervals };
            let time = from + at % length;
            let index = u32::try_from(period.index(time).unwrap()).unwrap();
            assert!(index < intervals);
            assert!(period.start(index) <= time);
            assert!(index + 1 == intervals || time < period.start(index + 1));
            assert_eq!(period.index(from - 1), None);
            assert_eq!(period.index(period.to()), None);
        }
    }
}
