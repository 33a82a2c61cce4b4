//! Waits for many applications with a single watch.

use std::{collections::BTreeMap, time::Duration};

use anyhow::anyhow;
use causeway_proto::inventory::v1::{self as pb, watch_applications_response::Event};

use crate::{
    app::{bulk::Results, find, watch},
    connection::Connection,
    failure::WaitTimeout,
    output::{self, Format, Progress},
    watch::Next,
};

/// State of waiting for one application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WaitState {
    /// Not yet, with its current state.
    Waiting(String),
    /// The condition is met.
    Reached,
    /// The condition cannot be met, with the reason.
    Never(String),
}

/// Flag of commands that wait.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct TimeoutArgs {
    /// Maximum time to wait; 0s waits forever
    #[arg(long, value_name = "TIME", default_value = "5m")]
    timeout: humantime::Duration,
}

impl TimeoutArgs {
    /// Returns the limit of a command without the flag.
    pub(crate) fn with(limit: Duration) -> Self {
        Self {
            timeout: limit.into(),
        }
    }
}

/// Applications to wait for, and how.
pub(crate) struct WaitOptions {
    pub(crate) targets: Vec<pb::Application>,
    pub(crate) view: pb::ApplicationView,
    pub(crate) timeout: TimeoutArgs,
    pub(crate) format: Format,
}

/// Waits until each application meets its condition or cannot, and returns its last state: none for a deleted one.
///
/// # Errors
/// The watch ended.
pub(crate) async fn wait_for_each(
    connection: &Connection,
    options: WaitOptions,
    judge: impl FnMut(&pb::Application, Option<&pb::Application>) -> WaitState,
) -> anyhow::Result<Results<Option<pb::Application>>> {
    let (view, timeout) = (options.view, options.timeout.timeout);
    let filter = filter(&options.targets);
    let mut waiter = Waiter::new(options, judge);
    let watching = watch::follow(connection, filter, view, |response| {
        Ok(waiter.on_response(response))
    });
    if timeout.is_zero() {
        watching.await?;
    } else if let Ok(ended) = tokio::time::timeout(timeout.into(), watching).await {
        ended?;
    }
    Ok(waiter.into_results(timeout))
}

/// Narrow for one, and else of their runtime where they have one in common.
fn filter(targets: &[pb::Application]) -> pb::ApplicationFilter {
    let nothing = pb::ApplicationFilter::default();
    match targets {
        [only] => pb::ApplicationFilter {
            runtime: only.runtime.clone(),
            namespace: only.namespace.clone(),
            name: only.name.clone(),
            ..nothing
        },
        [first, others @ ..] if others.iter().all(|it| it.runtime == first.runtime) => {
            pb::ApplicationFilter {
                runtime: first.runtime.clone(),
                ..nothing
            }
        }
        _ => nothing,
    }
}

enum TargetState {
    Waiting { seen: bool, description: String },
    Done(Box<anyhow::Result<Option<pb::Application>>>),
}

struct Waiter<J> {
    targets: Vec<pb::Application>,
    states: BTreeMap<String, TargetState>,
    judge: J,
    format: Format,
    progress: Progress,
}

impl<J: FnMut(&pb::Application, Option<&pb::Application>) -> WaitState> Waiter<J> {
    fn new(options: WaitOptions, judge: J) -> Self {
        let waiting = || TargetState::Waiting {
            seen: false,
            description: "not seen".to_owned(),
        };
        let names = options.targets.iter().map(find::full_name);
        Self {
            states: names.map(|name| (name, waiting())).collect(),
            progress: Progress::items("waiting", options.targets.len()),
            targets: options.targets,
            judge,
            format: options.format,
        }
    }

    fn on_response(&mut self, response: &pb::WatchApplicationsResponse) -> Next {
        match &response.event {
            Some(Event::Updated(now)) => self.check(&find::full_name(now), Some(now)),
            Some(Event::Deleted(gone)) => {
                let name = format!("{}/{}/{}", gone.runtime, gone.namespace, gone.name);
                self.check(&name, None);
            }
            Some(Event::Bookmark(_)) => self.check_absent(),
            None => {}
        }
        let is_waiting = |state: &TargetState| matches!(state, TargetState::Waiting { .. });
        if self.states.values().any(is_waiting) {
            Next::Continue
        } else {
            Next::Stop
        }
    }

    /// Checks the unseen ones as absent: the watch has sent the complete state.
    fn check_absent(&mut self) {
        let is_unseen =
            |state: &TargetState| matches!(state, TargetState::Waiting { seen: false, .. });
        let absent = self.states.iter().filter(|(_, state)| is_unseen(state));
        let absent: Vec<String> = absent.map(|(name, _)| name.clone()).collect();
        for name in absent {
            self.check(&name, None);
        }
    }

    fn check(&mut self, name: &str, now: Option<&pb::Application>) {
        let Some(state) = self.states.get_mut(name) else {
            return;
        };
        let TargetState::Waiting { seen, description } = state else {
            return;
        };
        let Some(target) = self.targets.iter().find(|it| find::full_name(it) == name) else {
            return;
        };
        *seen = true;
        match (self.judge)(target, now) {
            WaitState::Waiting(text) => {
                if self.format == Format::Table && self.targets.len() == 1 && *description != text {
                    output::note(format!("{}: {text}", target.name));
                }
                *description = text;
                return;
            }
            WaitState::Reached => *state = TargetState::Done(Box::new(Ok(now.cloned()))),
            WaitState::Never(why) => *state = TargetState::Done(Box::new(Err(anyhow!(why)))),
        }
        self.progress.advance(1);
    }

    fn into_results(self, after: humantime::Duration) -> Results<Option<pb::Application>> {
        drop(self.progress);
        let mut states = self.states;
        let mut result = |target: pb::Application| {
            let state = states.remove(&find::full_name(&target));
            let done = match state {
                Some(TargetState::Done(done)) => *done,
                Some(TargetState::Waiting { description, .. }) => {
                    Err(timeout_error(&target, &description, after))
                }
                None => Ok(None),
            };
            (target, done)
        };
        self.targets.into_iter().map(&mut result).collect()
    }
}

fn timeout_error(
    target: &pb::Application,
    description: &str,
    after: humantime::Duration,
) -> anyhow::Error {
    let name = &target.name;
    let text = format!("{name} after {after}: {description}; see 'causeway app get {name}'");
    WaitTimeout(text).into()
}
