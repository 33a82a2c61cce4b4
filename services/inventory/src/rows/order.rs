//! Rows in one order, kept as they change.

use std::cmp::Ordering;

use super::{row::Row, symbols::Symbols, table::Slots};
use crate::application::{Place, Sort};

/// Slots in an order.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) sort: Sort,
    pub(super) descending: bool,
    slots: Vec<u32>,
}

impl Order {
    pub(super) fn new(sort: Sort, descending: bool, slots: &Slots, symbols: &Symbols) -> Self {
        let mut order = Self {
            sort,
            descending,
            slots: slots.used().collect(),
        };
        let mut sorted = std::mem::take(&mut order.slots);
        sorted.sort_unstable_by(|one, other| {
            order.compare(slots.row(*one), slots.row(*other), symbols)
        });
        order.slots = sorted;
        order
    }

    pub(super) fn slots(&self) -> &[u32] {
        &self.slots
    }

    fn compare(&self, one: &Row, other: &Row, symbols: &Symbols) -> Ordering {
        let (left, right) = (
            one.value(self.sort, symbols),
            other.value(self.sort, symbols),
        );
        self.directed(left.cmp(&right))
            .then_with(|| one.compare_keys(other, symbols))
    }

    fn directed(&self, order: Ordering) -> Ordering {
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }

    /// Number of rows up to and including a place.
    pub(super) fn end_of(&self, place: &Place, slots: &Slots, symbols: &Symbols) -> usize {
        let text = if self.sort == Sort::Runtime {
            &place.key.runtime_name
        } else {
            &place.text
        };
        self.slots.partition_point(|slot| {
            let row = slots.row(*slot);
            let value = row.value(self.sort, symbols).cmp(&(place.rank, text));
            let order = self.directed(value);
            order
                .then_with(|| row.compare_with_key(&place.key, symbols))
                .is_le()
        })
    }

    /// Removes a row that is still in its slot.
    pub(super) fn remove(&mut self, slot: u32, slots: &Slots, symbols: &Symbols) {
        let row = slots.row(slot);
        let first = self
            .slots
            .partition_point(|other| self.compare(slots.row(*other), row, symbols).is_lt());
        let same = self.slots[first..].iter().position(|other| *other == slot);
        if let Some(offset) = same {
            self.slots.remove(first + offset);
        }
    }

    /// Inserts a row that is already in its slot.
    pub(super) fn insert(&mut self, slot: u32, slots: &Slots, symbols: &Symbols) {
        let row = slots.row(slot);
        let index = self
            .slots
            .partition_point(|other| self.compare(slots.row(*other), row, symbols).is_lt());
        self.slots.insert(index, slot);
    }

    /// True if two states of one application have the same place.
    pub(super) fn keeps_place(&self, old: &Row, new: &Row, symbols: &Symbols) -> bool {
        self.compare(old, new, symbols).is_eq()
    }
}
