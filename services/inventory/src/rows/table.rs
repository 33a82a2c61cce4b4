//! Rows of one account at one change of it.

use std::collections::HashMap;

use super::{
    matched::{Matched, without_order},
    order::Order,
    row::{Identity, Row},
    symbols::Symbols,
};
use crate::{
    application::{Filter, Place, Record, Sort},
    order::ObjectLife,
};

/// Filters whose matches are kept.
const MAX_MATCHED: usize = if cfg!(test) { 4 } else { 128 };
/// Texts that may be added before the table is read again, beside as many as there were.
const SPARE_SYMBOLS: usize = if cfg!(test) { 8 } else { 20_000 };

/// Rows by slot; a slot is used again after its row is gone.
#[derive(Debug, Default)]
pub(super) struct Slots {
    rows: Vec<Option<Row>>,
    free: Vec<u32>,
}

/// Where a window begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start<'a> {
    /// After so many.
    Offset(usize),
    /// After this place.
    After(Option<&'a Place>),
}

/// Part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// Numbers of the last changes of its applications, in order.
    pub(crate) changes: Vec<u64>,
    /// Number of all that match.
    pub(crate) total: usize,
    /// True if there are more after it.
    pub(crate) more: bool,
}

/// All rows with what is kept for lists of them.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) symbols: Symbols,
    pub(super) slots: Slots,
    index: HashMap<Identity, u32>,
    orders: Vec<Order>,
    matched: Vec<Matched>,
    uses: u64,
    symbols_loaded: usize,
}

impl Slots {
    pub(super) fn row(&self, slot: u32) -> &Row {
        let row = self.rows[slot as usize].as_ref();
        row.expect("orders, matches and the index have used slots only")
    }

    /// Slots with a row.
    pub(super) fn used(&self) -> impl Iterator<Item = u32> {
        let numbered = (0..).zip(&self.rows);
        numbered.filter_map(|(slot, row)| row.as_ref().map(|_| slot))
    }

    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.rows.push(None);
            u32::try_from(self.rows.len() - 1).expect("the rows are bounded")
        })
    }

    fn release(&mut self, slot: u32) {
        self.rows[slot as usize] = None;
        self.free.push(slot);
    }
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// True if most texts are of rows that are gone.
    pub(super) fn is_wasteful(&self) -> bool {
        self.symbols_loaded > 0 && self.symbols.len() > self.symbols_loaded * 2 + SPARE_SYMBOLS
    }

    /// Remembers how many texts all rows had when they had been read.
    pub(super) fn end_loading(&mut self) {
        if self.symbols_loaded == 0 {
            self.symbols_loaded = self.symbols.len();
        }
    }

    /// Drops the rows held for lists; the next list reads them again.
    pub(super) fn forget_lists(&mut self) {
        self.orders.clear();
        self.matched.clear();
    }

    /// Applies the last change of an application.
    pub(super) fn apply(&mut self, record: &Record) {
        let identity = Identity::of(record, &mut self.symbols);
        let held = self.index.get(&identity).copied();
        match (record.life, held) {
            (ObjectLife::Live, held) => self.put(identity, held, record),
            (ObjectLife::Gone, Some(slot)) => self.remove(identity, slot),
            (ObjectLife::Gone, None) => {}
        }
    }

    fn put(&mut self, identity: Identity, held: Option<u32>, record: &Record) {
        let row = Row::new(record, &mut self.symbols);
        let old = held.map(|slot| *self.slots.row(slot));
        let slot = held.unwrap_or_else(|| self.slots.take());
        let moves = |order: &Order, symbols: &Symbols| {
            old.is_none_or(|old| !order.keeps_place(&old, &row, symbols))
        };
        let moved: Vec<bool> = self
            .orders
            .iter()
            .map(|order| moves(order, &self.symbols))
            .collect();
        for (order, moved) in self.orders.iter_mut().zip(&moved) {
            if *moved && held.is_some() {
                order.remove(slot, &self.slots, &self.symbols);
            }
        }
        self.slots.rows[slot as usize] = Some(row);
        self.index.insert(identity, slot);
        for (order, moved) in self.orders.iter_mut().zip(&moved) {
            if *moved {
                order.insert(slot, &self.slots, &self.symbols);
            }
        }
        for matched in &mut self.matched {
            matched.update(slot, Some(&row), &self.symbols);
        }
    }

    fn remove(&mut self, identity: Identity, slot: u32) {
        for order in &mut self.orders {
            order.remove(slot, &self.slots, &self.symbols);
        }
        for matched in &mut self.matched {
            matched.update(slot, None, &self.symbols);
        }
        self.index.remove(&identity);
        self.slots.release(slot);
    }

    /// Rows that match a filter, looked for once.
    pub(super) fn matched(&mut self, filter: &Filter) -> usize {
        let filter = without_order(filter);
        self.uses += 1;
        let known = self.matched.iter().position(|it| it.is_of(&filter));
        let index = known.unwrap_or_else(|| {
            let matched = Matched::new(filter, &self.slots, &self.symbols);
            if self.matched.len() < MAX_MATCHED {
                self.matched.push(matched);
                return self.matched.len() - 1;
            }
            let uses = (0..).zip(&self.matched).map(|(index, it)| (it.used, index));
            let (_, oldest) = uses.min().unwrap_or_default();
            self.matched[oldest] = matched;
            oldest
        });
        self.matched[index].used = self.uses;
        index
    }

    pub(super) fn matched_at(&self, index: usize) -> &Matched {
        &self.matched[index]
    }

    fn order(&mut self, sort: Sort, descending: bool) -> usize {
        let same = |order: &Order| (order.sort, order.descending) == (sort, descending);
        self.orders.iter().position(same).unwrap_or_else(|| {
            let order = Order::new(sort, descending, &self.slots, &self.symbols);
            self.orders.push(order);
            self.orders.len() - 1
        })
    }

    /// Part of a list.
    pub(super) fn window(&mut self, filter: &Filter, start: Start<'_>, limit: usize) -> Window {
        let matched = self.matched(filter);
        let order = self.order(filter.sort, filter.descending);
        let (matched, order) = (&self.matched[matched], &self.orders[order]);
        let (first, skipped) = match start {
            Start::Offset(offset) if matched.count() == self.index.len() => (offset, 0),
            Start::Offset(offset) => (0, offset),
            Start::After(None) => (0, 0),
            Start::After(Some(place)) => (order.end_of(place, &self.slots, &self.symbols), 0),
        };
        let rest = order.slots().get(first..).unwrap_or_default().iter();
        let mut rest = rest.filter(|slot| matched.has(**slot)).skip(skipped);
        let changes = rest.by_ref().take(limit);
        let changes = changes.map(|slot| self.slots.row(*slot).change).collect();
        Window {
            changes,
            total: matched.count(),
            more: rest.next().is_some(),
        }
    }
}
