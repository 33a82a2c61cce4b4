//! The terminal: taken for the whole screen, and given back whatever happens, a panic and a signal included.

use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use futures::StreamExt as _;
use ratatui::{DefaultTerminal, Frame};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::model::Key;

/// Input of the user, or a signal.
pub(super) enum Input {
    Key(Key),
    Resized,
    Ended,
}

pub(super) struct Terminal {
    inner: DefaultTerminal,
    events: EventStream,
    signals: [Signal; 3],
}

/// True when standard input and output are terminals.
pub(super) fn is_there() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

impl Terminal {
    pub(super) fn open() -> anyhow::Result<Self> {
        let [terminate, hang_up, interrupt] = [
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::interrupt(),
        ]
        .map(signal);
        let signals = [terminate?, hang_up?, interrupt?];
        Ok(Self {
            // It gives the terminal back before it tells of a panic.
            inner: ratatui::try_init().context("cannot take the terminal")?,
            events: EventStream::new(),
            signals,
        })
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> anyhow::Result<()> {
        self.inner.draw(draw).context("cannot draw")?;
        Ok(())
    }

    /// The next thing that comes.
    pub(super) async fn next(&mut self) -> anyhow::Result<Input> {
        let [terminate, hang_up, interrupt] = &mut self.signals;
        loop {
            let event = tokio::select! {
                event = self.events.next() => event,
                _ = terminate.recv() => return Ok(Input::Ended),
                _ = hang_up.recv() => return Ok(Input::Ended),
                _ = interrupt.recv() => return Ok(Input::Ended),
            };
            let Some(event) = event else {
                return Ok(Input::Ended);
            };
            match event.context("cannot read the keyboard")? {
                Event::Resize(..) => return Ok(Input::Resized),
                Event::Key(event) => {
                    if let Some(key) = key(event) {
                        return Ok(Input::Key(key));
                    }
                }
                Event::FocusGained | Event::FocusLost | Event::Mouse(_) | Event::Paste(_) => {}
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return (event.code == KeyCode::Char('c')).then_some(Key::Interrupt);
    }
    let keys = [
        (KeyCode::Up, Key::Up),
        (KeyCode::Down, Key::Down),
        (KeyCode::Left, Key::Left),
        (KeyCode::Right, Key::Right),
        (KeyCode::PageUp, Key::PageUp),
        (KeyCode::PageDown, Key::PageDown),
        (KeyCode::Home, Key::Home),
        (KeyCode::End, Key::End),
        (KeyCode::Enter, Key::Enter),
        (KeyCode::Esc, Key::Escape),
        (KeyCode::Backspace, Key::Backspace),
    ];
    if let KeyCode::Char(character) = event.code {
        return Some(Key::Character(character));
    }
    let found = keys.into_iter().find(|(code, _)| *code == event.code);
    found.map(|(_, key)| key)
}
