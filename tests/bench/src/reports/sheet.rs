//! The lines of a figure, and what must not be.

/// One figure.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    lines: Vec<String>,
    /// Promises that were broken while it was measured.
    pub(super) broken: Vec<String>,
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(super) fn print_head() {
    println!("| reports of one runtime | goal | measured |\n|---|---|---|");
}

impl Sheet {
    pub(super) fn line(&mut self, what: &str, goal: &str, measured: &str) {
        self.lines.push(format!("| {what} | {goal} | {measured} |"));
    }

    /// What has to hold whatever the figure is.
    pub(super) fn must(&mut self, holds: bool, broken: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(broken());
        }
    }

    #[expect(clippy::print_stdout, reason = "the table is the result")]
    pub(super) fn print(&self) {
        self.lines.iter().for_each(|line| println!("{line}"));
    }
}
