//! Which lines are shown, and in which order.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{Model, Name, Row};

/// What lines are ordered by; what is equal by it is in the order of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::top) enum Order {
    /// What is broken first.
    Health,
    /// What is out of sync first.
    Sync,
    /// What changed last first.
    Changed,
    Name,
    Runtime,
    Project,
}

impl Order {
    pub(in crate::top) const ALL: [Self; 6] = [
        Self::Health,
        Self::Sync,
        Self::Changed,
        Self::Name,
        Self::Runtime,
        Self::Project,
    ];

    pub(in crate::top) fn word(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Sync => "sync",
            Self::Changed => "changed",
            Self::Name => "name",
            Self::Runtime => "runtime",
            Self::Project => "project",
        }
    }

    pub(super) fn next(self) -> Self {
        let place = Self::ALL.iter().position(|it| *it == self).unwrap_or(0);
        Self::ALL[(place + 1) % Self::ALL.len()]
    }
}

/// What lines are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::top) enum Field {
    Health,
    Sync,
    Runtime,
    Project,
}

impl Field {
    const ALL: [Self; 4] = [Self::Health, Self::Sync, Self::Runtime, Self::Project];

    pub(in crate::top) fn word(self) -> &'static str {
        match self {
            Self::Health => "HEALTH",
            Self::Sync => "SYNC",
            Self::Runtime => "RUNTIME",
            Self::Project => "PROJECT",
        }
    }

    fn of<'a>(self, name: &'a Name, row: &'a Row) -> &'a str {
        match self {
            Self::Health => row.health,
            Self::Sync => row.sync,
            Self::Runtime => &name.runtime,
            Self::Project => &row.project,
        }
    }
}

/// A value that lines can be chosen by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::top) struct Choice {
    pub(in crate::top) field: Field,
    pub(in crate::top) value: String,
    /// How many lines have it, of those that the filter and the choices by other fields leave.
    pub(in crate::top) count: usize,
    pub(in crate::top) chosen: bool,
}

pub(super) fn shown(model: &Model) -> Vec<Name> {
    let words = words(model);
    let mut rows: Vec<(&Name, &Row)> = model
        .rows
        .iter()
        .map(|(name, (row, _))| (name, row))
        .filter(|(name, row)| matches_words(name, row, &words) && is_chosen(model, name, row, None))
        .collect();
    match model.order {
        Order::Health => rows.sort_by_key(|(_, row)| severity(row.health)),
        Order::Sync => rows.sort_by_key(|(_, row)| severity(row.sync)),
        Order::Changed => rows.sort_by_key(|(_, row)| Reverse(row.changed)),
        Order::Name => rows.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name)),
        // They are in this order.
        Order::Runtime => {}
        Order::Project => rows.sort_by(|(_, one), (_, other)| one.project.cmp(&other.project)),
    }
    if model.reversed {
        rows.reverse();
    }
    rows.into_iter().map(|(name, _)| name.clone()).collect()
}

/// What is broken first.
fn severity(state: &str) -> usize {
    let all = [
        "Degraded",
        "Missing",
        "OutOfSync",
        "Unknown",
        "",
        "Progressing",
        "Suspended",
    ];
    all.iter().position(|it| *it == state).unwrap_or(all.len())
}

fn words(model: &Model) -> Vec<String> {
    model
        .filter
        .split_whitespace()
        .map(str::to_lowercase)
        .collect()
}

/// True if each word is in what a line shows.
fn matches_words(name: &Name, row: &Row, words: &[String]) -> bool {
    words.iter().all(|word| {
        let texts = [
            name.name.as_str(),
            &name.namespace,
            &name.runtime,
            &row.project,
            row.sync,
            row.health,
            row.operation,
        ];
        texts.iter().any(|text| text.to_lowercase().contains(word))
    })
}

/// True if it has one of the chosen values of each field but one.
fn is_chosen(model: &Model, name: &Name, row: &Row, but: Option<Field>) -> bool {
    let mut chosen = model
        .chosen
        .iter()
        .filter(|(field, _)| Some(**field) != but);
    chosen.all(|(field, values)| values.is_empty() || values.contains(field.of(name, row)))
}

impl Model {
    /// The values that lines can be chosen by, the most frequent first, with those that are chosen and that no line has.
    pub(in crate::top) fn choices(&self) -> Vec<Choice> {
        let words = words(self);
        Field::ALL
            .into_iter()
            .flat_map(|field| self.choices_by(field, &words))
            .collect()
    }

    fn choices_by(&self, field: Field, words: &[String]) -> Vec<Choice> {
        let mut counts = BTreeMap::<&str, usize>::new();
        let chosen = self.chosen.get(&field);
        for value in chosen.into_iter().flatten() {
            counts.insert(value, 0);
        }
        for (name, (row, _)) in &self.rows {
            if matches_words(name, row, words) && is_chosen(self, name, row, Some(field)) {
                *counts.entry(field.of(name, row)).or_default() += 1;
            }
        }
        let mut choices: Vec<_> = counts
            .into_iter()
            .map(|(value, count)| Choice {
                field,
                value: value.to_owned(),
                count,
                chosen: chosen.is_some_and(|chosen| chosen.contains(value)),
            })
            .collect();
        choices.sort_by_key(|choice| Reverse(choice.count));
        choices
    }

    /// Chooses a value, or does so no more.
    pub(super) fn toggle(&mut self, choice: &Choice) {
        let chosen = self.chosen.entry(choice.field).or_default();
        if !chosen.remove(&choice.value) {
            chosen.insert(choice.value.clone());
        }
    }

    /// Whether lines are left out by choice.
    pub(in crate::top) fn chooses(&self) -> bool {
        self.chosen.values().any(|values| !values.is_empty())
    }

    pub(super) fn choose_all(&mut self) {
        self.chosen.clear();
    }
}
