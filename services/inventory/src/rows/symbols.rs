//! Texts that many rows have, each held once.

use std::{collections::HashMap, sync::Arc};

use crate::application::Labels;

/// Number of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Symbol(u32);

/// Number of a set of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LabelSet(u32);

/// Numbered texts and sets of labels. None is removed, so the table that has them is rebuilt when too many are unused.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    numbers: HashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
    label_numbers: HashMap<Labels, LabelSet>,
    labels: Vec<(Labels, Vec<(Symbol, Symbol)>)>,
}

impl Symbol {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl LabelSet {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Symbols {
    pub(super) fn len(&self) -> usize {
        self.texts.len() + self.labels.len()
    }

    pub(super) fn text_count(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn label_set_count(&self) -> usize {
        self.labels.len()
    }

    /// The number of a text, a new one where there is none.
    pub(super) fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.numbers.get(text) {
            return *symbol;
        }
        let (symbol, text) = (Symbol(number(self.texts.len())), Arc::<str>::from(text));
        self.texts.push(text.clone());
        self.numbers.insert(text, symbol);
        symbol
    }

    /// The number of a set of labels, a new one where there is none.
    pub(super) fn label_set(&mut self, labels: &Labels) -> LabelSet {
        if let Some(set) = self.label_numbers.get(labels) {
            return *set;
        }
        let pairs = labels.iter();
        let pairs = pairs.map(|(label, value)| (self.symbol(label), self.symbol(value)));
        let pairs: Vec<_> = pairs.collect();
        let set = LabelSet(number(self.labels.len()));
        self.labels.push((labels.clone(), pairs));
        self.label_numbers.insert(labels.clone(), set);
        set
    }

    pub(super) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.index()]
    }

    pub(super) fn text_at(&self, index: usize) -> &str {
        &self.texts[index]
    }

    pub(super) fn find(&self, text: &str) -> Option<Symbol> {
        self.numbers.get(text).copied()
    }

    pub(super) fn labels(&self, set: LabelSet) -> &Labels {
        &self.labels[set.index()].0
    }

    /// Labels and values of the set with an index.
    pub(super) fn pairs_at(&self, index: usize) -> &[(Symbol, Symbol)] {
        &self.labels[index].1
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("the rows are bounded, and so are their texts")
}
