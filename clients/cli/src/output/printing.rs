//! How this process prints, set once before its command runs.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};

use anyhow::bail;

use super::{arrange::Arrangement, shape::Shape};

static PRINTING: OnceLock<Printing> = OnceLock::new();

pub(super) struct Printing {
    pub(super) shape: Shape,
    pub(super) headings: bool,
    /// The program that pages; none prints at once.
    pub(super) pager: Option<String>,
    pub(super) arrangement: Arrangement,
    /// True once a list was arranged.
    pub(super) arranged: AtomicBool,
}

impl Printing {
    pub(super) fn new(shape: Shape, arrangement: Arrangement) -> Self {
        Self {
            shape,
            headings: true,
            pager: None,
            arrangement,
            arranged: AtomicBool::new(false),
        }
    }

    pub(super) fn set_arranged(&self) {
        self.arranged.store(true, Ordering::Relaxed);
    }

    /// Fails if flags would arrange what is no list.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if !self.arrangement.is_none() && !self.arranged.load(Ordering::Relaxed) {
            bail!("--field-selector and --sort-by do nothing to this table: try -o json");
        }
        Ok(())
    }
}

/// Sets how this process prints, unless it is set.
pub(super) fn set(printing: Printing) -> &'static Printing {
    PRINTING.get_or_init(|| printing)
}

pub(super) fn printing() -> &'static Printing {
    PRINTING.get_or_init(|| Printing::new(Shape::Table { wide: false }, Arrangement::default()))
}
