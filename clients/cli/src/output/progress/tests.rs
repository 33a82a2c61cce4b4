use std::{
    io,
    sync::{Arc, Mutex},
};

use indicatif::TermLike;

use super::*;

/// A terminal that remembers each line that was drawn.
#[derive(Debug, Clone, Default)]
struct Terminal(Arc<Mutex<Vec<String>>>);

impl Terminal {
    fn bars(&self) -> MultiProgress {
        let target = ProgressDrawTarget::term_like(Box::new(self.clone()));
        MultiProgress::with_draw_target(target)
    }

    fn write(&self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.0.lock().unwrap().push(text.to_owned());
        }
    }

    /// The line that was drawn last.
    fn last(&self) -> String {
        self.0.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        120
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write(text);
        Ok(())
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.write(text);
        Ok(())
    }
    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Progress whose drawings are told by what is done alone, and not by a clock.
fn drawn(terminal: &Terminal, bar: ProgressBar, template: &str) -> Progress {
    let progress = Progress::on(&terminal.bars(), bar, template, "syncing");
    progress.0.disable_steady_tick();
    progress
}

#[test]
fn work_of_known_length_shows_share_and_remaining_time() {
    let terminal = Terminal::default();
    let progress = drawn(&terminal, ProgressBar::new(200), SHARE);
    assert!(terminal.last().ends_with("]   0% 0/200"), "{terminal:?}");
    progress.advance(30);
    progress.reached(50);
    progress.0.tick();
    let half = terminal.last();
    assert!(half.contains("syncing [███████░"), "{half}");
    assert!(half.contains(" 25% 50/200, "), "{half}");
    assert!(half.ends_with(" left"), "{half}");
}

#[test]
fn work_of_unknown_length_shows_a_count() {
    let terminal = Terminal::default();
    let progress = drawn(&terminal, ProgressBar::no_length(), COUNT);
    progress.reached(1_000);
    progress.0.tick();
    assert!(terminal.last().ends_with("syncing: 1000"), "{terminal:?}");
    progress.expect(4_000);
    progress.0.tick();
    assert!(terminal.last().contains(" 25% 1000/4000"), "{terminal:?}");
}

#[test]
fn bytes_are_told_in_units_of_people() {
    let terminal = Terminal::default();
    let progress = drawn(&terminal, ProgressBar::new(64 << 20), BYTES);
    progress.advance(16 << 20);
    progress.0.tick();
    let line = terminal.last();
    assert!(line.contains(" 25% 16.00 MiB/64.00 MiB, "), "{line}");
}

#[test]
fn a_single_item_or_no_terminal_shows_no_progress() {
    assert!(!Progress::items("syncing", 1).is_visible());
    // A test's stderr may be a terminal, a hidden target never is one.
    let nobody = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
    let progress = Progress::on(&nobody, ProgressBar::new(9), SHARE, "syncing");
    assert!(!progress.is_visible());
    progress.advance(9);
}
