//! Changes at a given rate, with the time until each is shown.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::sights::Sights;
use crate::{Generator, Mix};

/// Load of changes.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub pace: Pace,
    pub time: Duration,
    pub mix: Mix,
    /// Timeout for the last change.
    pub patience: Duration,
}

/// Rate of changes.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// Changes per second, regardless of how fast they are shown.
    PerSecond(u32),
    /// As fast as possible with at most this many changes not yet shown.
    Outstanding(usize),
}

/// Result of changes. A change counts as shown when its state or a later one of its application is shown.
#[derive(Clone, Debug)]
pub struct Churn {
    pub made: usize,
    /// From the first change to the last.
    pub making: Duration,
    /// From the first change until the last one was shown, or the timeout.
    pub showing: Duration,
    /// Seconds until each shown change was shown.
    pub lags: Vec<f64>,
    /// Number of states and deletions shown; less than the changes if some were combined.
    pub states: usize,
    /// Changes of applications that were deleted before they were shown.
    pub overtaken: usize,
}

/// Changes the applications of these clusters, one after the other, each by its runtime's name, and waits until all is shown.
pub async fn churn(clusters: &[(&str, &Generator)], sights: &Sights, load: Load) -> Churn {
    let (before, states, begun) = (sights.count(), sights.states(), Instant::now());
    let overtaken = sights.overtaken();
    let mut ticks = match load.pace {
        Pace::PerSecond(rate) => interval(Duration::from_secs(1) / rate.max(1)),
        Pace::Outstanding(_) => interval(Duration::from_secs(1)),
    };
    // a late change is made up for, so that the rate holds
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut made = 0;
    while begun.elapsed() < load.time {
        match load.pace {
            Pace::PerSecond(_) => {
                ticks.tick().await;
            }
            Pace::Outstanding(most) => {
                sights.until(|seen| seen.outstanding() < most).await;
            }
        }
        let (runtime, generator) = clusters[made % clusters.len()];
        sights.expect(runtime, || generator.change(&load.mix));
        made += 1;
    }
    let making = begun.elapsed();
    let all_shown = sights.until(|seen| seen.outstanding() == 0);
    // what is not shown then has no lag, and whoever compares says what is lost
    let _ = timeout(load.patience, all_shown).await;
    Churn {
        made,
        making,
        showing: begun.elapsed(),
        lags: sights.since(before),
        states: sights.states() - states,
        overtaken: sights.overtaken() - overtaken,
    }
}
