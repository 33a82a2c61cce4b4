//! Rows that match a filter, kept as they change, so that a window costs no search.

use super::{row::Row, symbols::Symbols, table::Slots};
use crate::application::{Filter, Sort};

/// One bit per slot.
#[derive(Debug)]
pub(super) struct Matched {
    filter: Filter,
    bits: Vec<u64>,
    count: usize,
    /// When it was last asked for.
    pub(super) used: u64,
}

/// The filter without its order, which does not decide what matches.
pub(super) fn without_order(filter: &Filter) -> Filter {
    Filter {
        sort: Sort::default(),
        descending: false,
        ..filter.clone()
    }
}

impl Matched {
    pub(super) fn new(filter: Filter, slots: &Slots, symbols: &Symbols) -> Self {
        let mut matched = Self {
            filter,
            bits: Vec::new(),
            count: 0,
            used: 0,
        };
        for slot in slots.used() {
            matched.update(slot, Some(slots.row(slot)), symbols);
        }
        matched
    }

    pub(super) fn is_of(&self, filter: &Filter) -> bool {
        self.filter == *filter
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn has(&self, slot: u32) -> bool {
        let word = self.bits.get(slot as usize / 64);
        word.is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Looks at what is now in a slot.
    pub(super) fn update(&mut self, slot: u32, row: Option<&Row>, symbols: &Symbols) {
        let (had, has) = (
            self.has(slot),
            row.is_some_and(|row| self.filter.matches(&row.facts(symbols))),
        );
        if had == has {
            return;
        }
        let word = slot as usize / 64;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] ^= 1 << (slot % 64);
        if has {
            self.count += 1;
        } else {
            self.count -= 1;
        }
    }

    /// Slots that match.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.bits).flat_map(|(index, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(index * 64 + bit)
            })
        })
    }
}
