//! `causeway top`: all applications of all runtimes on the whole screen, live, with actions on keys.

mod feed;
mod logs;
mod model;
mod screen;
mod terminal;

use std::{cell::RefCell, time::Duration};

use anstream::adapter::strip_str;
use anyhow::bail;
use causeway_proto::{ids::RequestId, inventory::v1 as pb, proxy::v1 as proxy};
use futures::{
    FutureExt as _, StreamExt as _,
    future::{LocalBoxFuture, pending},
    stream::FuturesUnordered,
};

use self::{
    model::{Action, Effect, Model, Name, Text, Tone, Topic},
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

/// Show and manage applications on a full-screen live view
///
/// '?' shows the keys.
#[derive(clap::Args, Debug)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    filter: FilterArgs,
}

/// What was asked of the platform has ended.
enum Done {
    Told(String),
    /// This is what was asked for of an application, or why it cannot be had.
    Read(Topic, Name, Vec<Text>),
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
            colors: if output::is_colored() {
                Colors::Shown
            } else {
                Colors::Hidden
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
        let mut logs: Option<LocalBoxFuture<'a, ()>> = None;
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
                () = running(&mut logs) => {
                    logs = None;
                    Effect::None
                }
                _ = frames.tick() => {
                    let stale = self.model.borrow_mut().wants_details();
                    stale.map_or(Effect::None, |name| Effect::Open(Topic::Details, name))
                }
            };
            match effect {
                Effect::Quit => return Ok(()),
                Effect::None => {}
                Effect::Act(action, name) => work.push(act(self.connection, action, name)),
                Effect::Open(Topic::Logs, name) => {
                    logs = Some(logs::follow(self.connection, self.model, name).boxed_local());
                }
                Effect::Open(topic, name) => work.push(open(self.connection, topic, name)),
            }
            let opened = self.model.borrow().opened().map(|it| it.topic);
            if opened != Some(Topic::Logs) {
                // Nobody reads on.
                logs = None;
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
            Done::Read(topic, name, lines) => model.read(&name, topic, lines),
        }
    }
}

/// Resolves when it has ended; never where there is nothing.
async fn running(logs: &mut Option<LocalBoxFuture<'_, ()>>) {
    match logs {
        Some(logs) => logs.await,
        None => pending().await,
    }
}

fn open(connection: &Connection, topic: Topic, name: Name) -> LocalBoxFuture<'_, Done> {
    let request = pb::GetApplicationRequest {
        runtime: name.runtime.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
        cluster: name.cluster.clone(),
        at: None,
    };
    async move {
        let read = match topic {
            Topic::Details | Topic::Logs => details(connection, request).await,
            Topic::Diff => diff(connection, request).await,
        };
        let lines = read.unwrap_or_else(|error| vec![Text::plain(&error_line(&error, connection))]);
        Done::Read(topic, name, lines)
    }
    .boxed_local()
}

async fn details(
    connection: &Connection,
    key: pb::GetApplicationRequest,
) -> anyhow::Result<Vec<Text>> {
    let text = app::details(connection, key).await?;
    let text = strip_str(&text).to_string();
    Ok(text.lines().map(Text::plain).collect())
}

async fn diff(
    connection: &Connection,
    key: pb::GetApplicationRequest,
) -> anyhow::Result<Vec<Text>> {
    let lines = app::differences(connection, &key).await?;
    if lines.is_empty() {
        return Ok(vec![Text::plain("the cluster has what Git says")]);
    }
    let toned = |line: &String| Text::new(line, tone(line));
    Ok(lines.iter().map(toned).collect())
}

fn tone(line: &str) -> Tone {
    match line.as_bytes() {
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => Tone::Heading,
        [b'@', ..] => Tone::Place,
        [b'-', ..] => Tone::Removed,
        [b'+', ..] => Tone::Added,
        _ => Tone::Plain,
    }
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
            Err(error) => format!("{word} {whole}: {}", error_line(&error, connection)),
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
fn error_line(error: &anyhow::Error, connection: &Connection) -> String {
    let line = failure::line(error, connection.address());
    line.chars().take(LONGEST_NOTICE).collect()
}
