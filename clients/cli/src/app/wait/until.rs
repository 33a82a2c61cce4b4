//! Waits for many applications with a single watch.

use std::collections::BTreeMap;

use anyhow::anyhow;
use causeway_proto::inventory::v1::{self as pb, watch_applications_response::Event};

use crate::{
    app::{bulk::Results, find, watch},
    connection::Connection,
    output::{self, Format, Progress},
    watch::Next,
};

/// How an application stands to what it is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Not yet; how it stands, for people.
    Waiting(String),
    /// It is so.
    Reached,
    /// It cannot become so; why.
    Never(String),
}

/// How long to wait.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Maximum time to wait; 0s waits forever
    #[arg(long, value_name = "TIME", default_value = "5m")]
    timeout: humantime::Duration,
}

/// What to wait with.
pub(crate) struct Wanted {
    pub(crate) targets: Vec<pb::Application>,
    pub(crate) view: pb::ApplicationView,
    pub(crate) patience: Patience,
    pub(crate) format: Format,
}

/// The wait exceeded its timeout.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Late(pub(crate) String);

/// Waits until each is as wanted or cannot become so, and gives it as it was then: nothing in place of one that is gone.
///
/// # Errors
/// The watch ended.
pub(crate) async fn until(
    connection: &Connection,
    wanted: Wanted,
    judge: impl FnMut(&pb::Application, Option<&pb::Application>) -> Verdict,
) -> anyhow::Result<Results<Option<pb::Application>>> {
    let (view, timeout) = (wanted.view, wanted.patience.timeout);
    let filter = filter(&wanted.targets);
    let mut waiting = Waiting::new(wanted, judge);
    let watching = watch::follow(connection, filter, view, |response| {
        Ok(waiting.see(response))
    });
    if timeout.is_zero() {
        watching.await?;
    } else if let Ok(ended) = tokio::time::timeout(timeout.into(), watching).await {
        ended?;
    }
    Ok(waiting.results(timeout))
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

enum Place {
    Open { seen: bool, standing: String },
    Closed(Box<anyhow::Result<Option<pb::Application>>>),
}

struct Waiting<J> {
    targets: Vec<pb::Application>,
    places: BTreeMap<String, Place>,
    judge: J,
    format: Format,
    progress: Progress,
}

impl<J: FnMut(&pb::Application, Option<&pb::Application>) -> Verdict> Waiting<J> {
    fn new(wanted: Wanted, judge: J) -> Self {
        let open = || Place::Open {
            seen: false,
            standing: "not seen".to_owned(),
        };
        let names = wanted.targets.iter().map(find::full_name);
        Self {
            places: names.map(|name| (name, open())).collect(),
            progress: Progress::of("waiting", wanted.targets.len()),
            targets: wanted.targets,
            judge,
            format: wanted.format,
        }
    }

    fn see(&mut self, response: &pb::WatchApplicationsResponse) -> Next {
        match &response.event {
            Some(Event::Updated(now)) => self.look(&find::full_name(now), Some(now)),
            Some(Event::Deleted(gone)) => {
                let name = format!("{}/{}/{}", gone.runtime, gone.namespace, gone.name);
                self.look(&name, None);
            }
            Some(Event::Bookmark(_)) => self.look_for_absent(),
            None => {}
        }
        let is_open = |place: &Place| matches!(place, Place::Open { .. });
        match self.places.values().any(is_open) {
            true => Next::Continue,
            false => Next::Stop,
        }
    }

    /// All that there is has been told by now.
    fn look_for_absent(&mut self) {
        let unseen = |place: &Place| matches!(place, Place::Open { seen: false, .. });
        let absent = self.places.iter().filter(|(_, place)| unseen(place));
        let absent: Vec<String> = absent.map(|(name, _)| name.clone()).collect();
        for name in absent {
            self.look(&name, None);
        }
    }

    fn look(&mut self, name: &str, now: Option<&pb::Application>) {
        let Some(place) = self.places.get_mut(name) else {
            return;
        };
        let Place::Open { seen, standing } = place else {
            return;
        };
        let Some(target) = self.targets.iter().find(|it| find::full_name(it) == name) else {
            return;
        };
        *seen = true;
        match (self.judge)(target, now) {
            Verdict::Waiting(text) => {
                if self.format == Format::Table && self.targets.len() == 1 && *standing != text {
                    output::note(format!("{}: {text}", target.name));
                }
                *standing = text;
                return;
            }
            Verdict::Reached => *place = Place::Closed(Box::new(Ok(now.cloned()))),
            Verdict::Never(why) => *place = Place::Closed(Box::new(Err(anyhow!(why)))),
        }
        self.progress.advance(1);
    }

    fn results(self, after: humantime::Duration) -> Results<Option<pb::Application>> {
        drop(self.progress);
        let mut places = self.places;
        let mut result = |target: pb::Application| {
            let place = places.remove(&find::full_name(&target));
            let done = match place {
                Some(Place::Closed(done)) => *done,
                Some(Place::Open { standing, .. }) => Err(late(&target, &standing, after)),
                None => Ok(None),
            };
            (target, done)
        };
        self.targets.into_iter().map(&mut result).collect()
    }
}

fn late(target: &pb::Application, standing: &str, after: humantime::Duration) -> anyhow::Error {
    let name = &target.name;
    let text = format!("{name} after {after}: {standing}; see 'causeway app get {name}'");
    Late(text).into()
}
