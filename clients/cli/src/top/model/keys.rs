//! What keys do.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a key that means nothing here does nothing"
)]

use super::{Action, Effect, Mode, Model, Name, Opened, Topic};

/// A key, as far as it means anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::top) enum Key {
    Character(char),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    /// Ctrl-C.
    Interrupt,
}

impl Model {
    /// Takes a key, and says what it asks for.
    pub(in crate::top) fn press(&mut self, key: Key) -> Effect {
        if key == Key::Interrupt {
            return Effect::Quit;
        }
        let effect = match self.mode.clone() {
            Mode::List => self.press_in_list(key),
            Mode::Filter(before) => {
                self.press_in_filter(key, before);
                Effect::None
            }
            Mode::Choices(place) => {
                self.press_in_choices(key, place);
                Effect::None
            }
            Mode::Opened => self.press_in_opened(key),
            Mode::Confirm(action, name) => self.press_in_confirm(key, action, name),
            Mode::Help => {
                self.mode = Mode::List;
                Effect::None
            }
        };
        self.arrange();
        effect
    }

    fn press_in_list(&mut self, key: Key) -> Effect {
        match key {
            Key::Character('q') => return Effect::Quit,
            Key::Character('/') => self.mode = Mode::Filter(self.filter.clone()),
            Key::Character('f') => self.mode = Mode::Choices(0),
            Key::Character('?') => self.mode = Mode::Help,
            Key::Character('o') => self.order = self.order.next(),
            Key::Character('O') => self.reversed = !self.reversed,
            // One by one: what is typed goes before what is chosen.
            Key::Escape if self.filter.is_empty() => self.choose_all(),
            Key::Escape => self.filter.clear(),
            Key::Enter => return self.open_selected(Topic::Details),
            _ => {
                let (shown, place) = self.position();
                if let Some(place) = moved(key, place, shown, self.page) {
                    self.select(place);
                    return Effect::None;
                }
                let Some(name) = self.selected.clone() else {
                    return Effect::None;
                };
                return self.press_for(key, name);
            }
        }
        Effect::None
    }

    fn open_selected(&mut self, topic: Topic) -> Effect {
        match self.selected.clone() {
            Some(name) => self.open(topic, name),
            None => Effect::None,
        }
    }

    fn open(&mut self, topic: Topic, name: Name) -> Effect {
        self.mode = Mode::Opened;
        // What was done before it was opened is read, and its keys are shown in that place.
        self.notice.clear();
        self.opened = Some(Opened::new(name.clone(), topic));
        Effect::Open(topic, name)
    }

    /// What a key does to an application, in the list and where something of it is open.
    fn press_for(&mut self, key: Key, name: Name) -> Effect {
        let action = match key {
            Key::Character('d') => return self.open(Topic::Diff, name),
            Key::Character('l') => return self.open(Topic::Logs, name),
            Key::Character('s') => Action::Sync,
            Key::Character('r') => Action::Refresh,
            Key::Character('R') => Action::HardRefresh,
            _ => return Effect::None,
        };
        self.mode = Mode::Confirm(action, name);
        Effect::None
    }

    fn press_in_filter(&mut self, key: Key, before: String) {
        match key {
            Key::Enter => self.mode = Mode::List,
            Key::Escape => {
                self.filter = before;
                self.mode = Mode::List;
            }
            Key::Backspace => {
                self.filter.pop();
            }
            Key::Character(character) => self.filter.push(character),
            _ => {}
        }
    }

    fn press_in_choices(&mut self, key: Key, place: usize) {
        let choices = self.choices();
        match key {
            Key::Escape | Key::Character('f' | 'q') => self.mode = Mode::List,
            Key::Enter | Key::Character(' ') => {
                if let Some(choice) = choices.get(place) {
                    self.toggle(choice);
                    let same =
                        |it: &super::Choice| it.field == choice.field && it.value == choice.value;
                    let place = self.choices().iter().position(same).unwrap_or(0);
                    self.mode = Mode::Choices(place);
                }
            }
            _ => {
                if let Some(place) = moved(key, place, choices.len(), self.page) {
                    self.mode = Mode::Choices(place);
                }
            }
        }
    }

    fn press_in_opened(&mut self, key: Key) -> Effect {
        let Some(opened) = self.opened.as_mut() else {
            self.mode = Mode::List;
            return Effect::None;
        };
        match key {
            Key::Escape | Key::Character('q') => {
                self.mode = Mode::List;
                self.opened = None;
                Effect::None
            }
            Key::Enter if opened.topic == Topic::Details => {
                self.mode = Mode::List;
                self.opened = None;
                Effect::None
            }
            _ if opened.moves(key, self.page) => Effect::None,
            _ => {
                let name = opened.name.clone();
                match key {
                    Key::Enter => self.open(Topic::Details, name),
                    _ => self.press_for(key, name),
                }
            }
        }
    }

    fn press_in_confirm(&mut self, key: Key, action: Action, name: Name) -> Effect {
        self.mode = match self.opened {
            Some(_) => Mode::Opened,
            None => Mode::List,
        };
        match key {
            Key::Character('y' | 'Y') => Effect::Act(action, name),
            _ => Effect::None,
        }
    }
}

/// The place that a key moves to from another; none where it moves nothing.
pub(super) fn moved(key: Key, place: usize, length: usize, page: usize) -> Option<usize> {
    let last = length.saturating_sub(1);
    let place = match key {
        Key::Up | Key::Character('k') => place.saturating_sub(1),
        Key::Down | Key::Character('j') => place + 1,
        Key::PageUp => place.saturating_sub(page),
        Key::PageDown | Key::Character(' ') => place + page,
        Key::Home | Key::Character('g') => 0,
        Key::End | Key::Character('G') => last,
        Key::Character(_)
        | Key::Left
        | Key::Right
        | Key::Enter
        | Key::Escape
        | Key::Backspace
        | Key::Interrupt => return None,
    };
    Some(place.min(last))
}
