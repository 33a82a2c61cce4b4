//! `causeway top`: all applications of all runtimes on the whole screen, live, with actions on keys.

mod feed;
mod model;
mod screen;
mod terminal;

use std::{cell::RefCell, time::Duration};

use anstream::adapter::strip_str;
use anyhow::bail;
use causeway_proto::{ids::RequestId, inventory::v1 as pb, proxy::v1 as proxy};
use futures::{FutureExt as _, StreamExt as _, future::LocalBoxFuture, stream::FuturesUnordered};

use self::{
    model::{Action, Details, Effect, Model, Name},
    screen::Colors,
    terminal::{Input, Terminal},
};
use crate::{
    app::{self, FilterArgs},
    connection::Connection,
    failure,
    output::{self, Format},
};

/// Changes are shown at most this often.
const FRAME: Duration = Duration::from_millis(100);
/// How much of a message fits anywhere.
const LONGEST_NOTICE: usize = 300;

/// Show all applications of all runtimes on the whole screen, live, and act on them by keys; '?' shows the keys
#[derive(clap::Args, Debug)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    filter: FilterArgs,
}

/// What was asked of the platform has ended.
enum Done {
    Told(String),
    Opened(Details),
}

type Work<'a> = FuturesUnordered<LocalBoxFuture<'a, Done>>;

impl TopArgs {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        if format != Format::Table || !terminal::is_there() {
            bail!("top is for a person at a terminal: use 'causeway app watch' for anything else");
        }
        let model = RefCell::new(Model::new());
        let filter = self.filter.to_filter(None);
        let feed = feed::run(connection, filter, &model);
        let mut view = View {
            connection,
            model: &model,
            terminal: Terminal::open()?,
            colors: match output::wants_colors() {
                true => Colors::Shown,
                false => Colors::Hidden,
            },
        };
        let shown = view.show();
        // Whatever ends first, the terminal is as it was before anything is printed.
        let ended = tokio::select! {
            ended = feed => ended,
            ended = shown => ended,
        };
        drop(view);
        ended
    }
}

struct View<'a> {
    connection: &'a Connection,
    model: &'a RefCell<Model>,
    terminal: Terminal,
    colors: Colors,
}

impl<'a> View<'a> {
    async fn show(&mut self) -> anyhow::Result<()> {
        let mut work: Work<'a> = FuturesUnordered::new();
        let mut frames = tokio::time::interval(FRAME);
        loop {
            let effect = tokio::select! {
                input = self.terminal.next() => match input? {
                    Input::Key(key) => self.model.borrow_mut().press(key),
                    Input::Resized => Effect::None,
                    Input::Ended => return Ok(()),
                },
                Some(done) = work.next(), if !work.is_empty() => {
                    self.done(done);
                    Effect::None
                }
                _ = frames.tick() => {
                    let stale = self.model.borrow_mut().wants_details();
                    stale.map_or(Effect::None, Effect::Open)
                }
            };
            match effect {
                Effect::Quit => return Ok(()),
                Effect::None => {}
                Effect::Act(action, name) => work.push(act(self.connection, action, name)),
                Effect::Open(name) => work.push(open(self.connection, name)),
            }
            self.draw()?;
        }
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let mut model = self.model.borrow_mut();
        model.arrange();
        let (address, colors) = (self.connection.address(), self.colors);
        self.terminal
            .draw(|frame| screen::draw(frame, &mut model, address, colors))
    }

    fn done(&self, done: Done) {
        let mut model = self.model.borrow_mut();
        match done {
            Done::Told(notice) => model.notice = notice,
            Done::Opened(details) if model.selected() == Some(&details.name) => {
                model.details = Some(details);
            }
            Done::Opened(_) => {}
        }
    }
}

fn open(connection: &Connection, name: Name) -> LocalBoxFuture<'_, Done> {
    let request = pb::GetApplicationRequest {
        runtime: name.runtime.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
        cluster: name.cluster.clone(),
        at: None,
    };
    async move {
        match app::details(connection, request).await {
            Ok(text) => Done::Opened(Details {
                name,
                lines: strip_str(&text)
                    .to_string()
                    .lines()
                    .map(str::to_owned)
                    .collect(),
            }),
            Err(error) => Done::Told(told(&error, connection)),
        }
    }
    .boxed_local()
}

fn act(connection: &Connection, action: Action, name: Name) -> LocalBoxFuture<'_, Done> {
    async move {
        let done = match action {
            Action::Sync => sync(connection, &name).await,
            Action::Refresh => refresh(connection, &name, proxy::RefreshKind::Normal).await,
            Action::HardRefresh => refresh(connection, &name, proxy::RefreshKind::Hard).await,
        };
        let (word, whole) = (action.word(), name.whole());
        Done::Told(match done {
            Ok(()) => format!("{word} {whole}: accepted"),
            Err(error) => format!("{word} {whole}: {}", told(&error, connection)),
        })
    }
    .boxed_local()
}

async fn sync(connection: &Connection, name: &Name) -> anyhow::Result<()> {
    let request = proxy::SyncApplicationRequest {
        runtime: name.runtime.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
        request_id: RequestId::generate().to_string(),
        ..proxy::SyncApplicationRequest::default()
    };
    connection.actions().sync_application(request).await?;
    Ok(())
}

async fn refresh(
    connection: &Connection,
    name: &Name,
    kind: proxy::RefreshKind,
) -> anyhow::Result<()> {
    let request = proxy::RefreshApplicationRequest {
        runtime: name.runtime.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
        request_id: RequestId::generate().to_string(),
        kind: kind.into(),
    };
    connection.actions().refresh_application(request).await?;
    Ok(())
}

/// An error as one line.
fn told(error: &anyhow::Error, connection: &Connection) -> String {
    let line = failure::line(error, connection.address());
    line.chars().take(LONGEST_NOTICE).collect()
}
