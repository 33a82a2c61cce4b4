//! What keys do.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a key that means nothing here does nothing"
)]

use super::{Action, Effect, Mode, Model, Name};

/// A key, as far as it means anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::top) enum Key {
    Character(char),
    Up,
    Down,
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
            Mode::Details(from) => self.press_in_details(key, from),
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
            Key::Enter => return self.open(),
            _ => {
                let (shown, place) = self.position();
                if let Some(place) = moved(key, place, shown, self.page) {
                    self.select(place);
                    return Effect::None;
                }
                return self.press_for_action(key);
            }
        }
        Effect::None
    }

    fn open(&mut self) -> Effect {
        let Some(name) = self.selected.clone() else {
            return Effect::None;
        };
        self.mode = Mode::Details(0);
        self.details = None;
        Effect::Open(name)
    }

    /// What a key does to the selected application, in the list and in its details.
    fn press_for_action(&mut self, key: Key) -> Effect {
        let Some(name) = self.selected.clone() else {
            return Effect::None;
        };
        let action = match key {
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

    fn press_in_details(&mut self, key: Key, from: usize) -> Effect {
        if let Key::Escape | Key::Enter | Key::Character('q') = key {
            self.mode = Mode::List;
            self.details = None;
            return Effect::None;
        }
        let lines = self.details.as_ref().map_or(0, |it| it.lines.len());
        match moved(key, from, lines, self.page) {
            Some(from) => {
                self.mode = Mode::Details(from);
                Effect::None
            }
            None => self.press_for_action(key),
        }
    }

    fn press_in_confirm(&mut self, key: Key, action: Action, name: Name) -> Effect {
        self.mode = match self.details {
            Some(_) => Mode::Details(0),
            None => Mode::List,
        };
        match key {
            Key::Character('y' | 'Y') => Effect::Act(action, name),
            _ => Effect::None,
        }
    }
}

/// The place that a key moves to from another; none where it moves nothing.
fn moved(key: Key, place: usize, length: usize, page: usize) -> Option<usize> {
    let last = length.saturating_sub(1);
    let place = match key {
        Key::Up | Key::Character('k') => place.saturating_sub(1),
        Key::Down | Key::Character('j') => place + 1,
        Key::PageUp => place.saturating_sub(page),
        Key::PageDown | Key::Character(' ') => place + page,
        Key::Home | Key::Character('g') => 0,
        Key::End | Key::Character('G') => last,
        Key::Character(_) | Key::Enter | Key::Escape | Key::Backspace | Key::Interrupt => {
            return None;
        }
    };
    Some(place.min(last))
}
