//! Changes at a pace, and when each of them was shown.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::sights::Sights;
use crate::{Generator, Mix};

/// How changes come.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub pace: Pace,
    pub time: Duration,
    pub mix: Mix,
    /// How long the last change may take to be shown.
    pub patience: Duration,
}

/// How fast changes come.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// So many in a second, whether or not they are shown as fast.
    PerSecond(u32),
    /// As fast as they are shown: never more than this many are not shown yet.
    Outstanding(usize),
}

/// What became of changes. A change counts as shown when its state or a later one of its application is.
#[derive(Clone, Debug)]
pub struct Churn {
    /// Changes that were made.
    pub made: usize,
    /// From the first change to the last.
    pub making: Duration,
    /// From the first change until the last one was shown, or patience ended.
    pub showing: Duration,
    /// Seconds from each change until it was shown; of none that was not.
    pub lags: Vec<f64>,
    /// States and deletions that were shown: less than changes, where some were told as one.
    pub states: usize,
    /// Changes of applications that were gone again before they were shown, which need not be.
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
