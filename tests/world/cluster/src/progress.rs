//! How far a build is, read from what Go says while it builds.

use std::time::Duration;

use crate::Program;

/// One step of one program; steps of one program come in the order of [`Step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub program: Program,
    pub step: Step,
    /// Since this program was begun.
    pub elapsed: Duration,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Another process builds in the same cache.
    Waiting,
    /// Go downloads; so many modules until now.
    Downloading {
        modules: usize,
    },
    /// Go compiles; `of` is what a first build compiles, so a build that goes on with an earlier one stops short of it.
    Compiling {
        packages: usize,
        of: usize,
    },
    Linking,
    Finished,
}

/// Counts what Go writes, line by line.
#[derive(Debug)]
pub(crate) struct Reader {
    main: &'static str,
    of: usize,
    modules: usize,
    packages: usize,
}

impl Progress {
    /// The part that is done, from 0 to 1, as far as it is known.
    pub fn part(&self) -> f64 {
        match self.step {
            Step::Waiting | Step::Downloading { .. } => 0.0,
            #[expect(clippy::cast_precision_loss, reason = "some thousands")]
            Step::Compiling { packages, of } => {
                (packages as f64 / of.max(1) as f64).min(1.0) * COMPILING
            }
            Step::Linking => COMPILING,
            Step::Finished => 1.0,
        }
    }

    /// How long it will still take, once there is enough to judge by.
    pub fn left(&self) -> Option<Duration> {
        let part = self.part();
        let known = (0.05..1.0).contains(&part);
        known.then(|| self.elapsed.mul_f64((1.0 - part) / part))
    }
}

/// The link takes a few per cent of a first build.
const COMPILING: f64 = 0.97;

impl Reader {
    /// `main` is the package that is compiled last, `of` how many there are.
    pub(crate) fn new(main: &'static str, of: usize) -> Self {
        Self {
            main,
            of,
            modules: 0,
            packages: 0,
        }
    }

    /// The step that a line shows; none for what is no progress, such as an error.
    pub(crate) fn read(&mut self, line: &str) -> Option<Step> {
        if line.starts_with("go: downloading ") {
            self.modules += 1;
            return Some(Step::Downloading {
                modules: self.modules,
            });
        }
        if !is_package(line) {
            return None;
        }
        self.packages += 1;
        let packages = self.packages.min(self.of);
        let compiling = Step::Compiling {
            packages,
            of: self.of,
        };
        Some(if line == self.main {
            Step::Linking
        } else {
            compiling
        })
    }
}

/// `go build -v` names each package on a line of its own; whatever else it says has blanks or colons.
fn is_package(line: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "./-_~+!".contains(letter);
    line.starts_with(|first: char| first.is_ascii_alphanumeric()) && line.chars().all(allowed)
}

#[cfg(test)]
mod tests;
