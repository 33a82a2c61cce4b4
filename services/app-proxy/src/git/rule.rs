//! Rules of `--allow-git`: `REPOSITORY[;branch=PATTERN]...[;path=PATTERN]...`

use std::{fmt, str::FromStr};

use causeway_assertion::glob_matches;
use causeway_git::{FileEdit, RepositoryPath};

use super::{RepositoryError, Target};

/// Maximum length of a rule, in bytes.
const LONGEST_RULE: usize = 1024;

/// The whole syntax, for `--help`.
pub(super) fn syntax() -> String {
    "\
Repositories, branches and paths that users may read and write with integrations; none if not given

Rules, separated by commas or given again and again:

    REPOSITORY[;branch=PATTERN]...[;path=PATTERN]...

REPOSITORY is a pattern of the URL. In a PATTERN * stands for any text and ? for one character. A field given twice holds where \
one of its patterns does. Without a branch or path a rule holds for all of them. A change is allowed if one rule holds for its \
repository, its branch and all its paths.

    --allow-git 'https://git.example.com/shop/*;branch=main;path=apps/*'

In YAML and in a shell put quotes around a rule."
        .to_owned()
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    repository: String,
    branches: Vec<String>,
    paths: Vec<String>,
}

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("a rule is empty: write the URL of a repository, and leave no comma at the end")]
    Empty,
    #[error("a rule has {0} bytes: at most {LONGEST_RULE}, so make two of it")]
    Long(usize),
    #[error("in '{rule}', '{part}' is no FIELD=PATTERN: write branch=PATTERN or path=PATTERN")]
    Part { rule: String, part: String },
}

/// The rules of a runtime; what none holds for is not allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules(Vec<Rule>);

impl Rules {
    pub(super) fn new(rules: Vec<Rule>) -> Self {
        Self(rules)
    }

    /// Whether a rule is about the repository, with any branch.
    pub(super) fn has_repository(&self, repository: &str) -> bool {
        let mut rules = self.0.iter();
        rules.any(|rule| glob_matches(&rule.repository, repository))
    }

    /// Whether a rule allows the repository and the branch with all paths.
    pub(super) fn has_every_path(&self, target: &Target) -> bool {
        let mut rules = self.0.iter();
        rules.any(|rule| rule.holds(target) && rule.paths.is_empty())
    }

    /// Whether a rule holds for a file.
    pub(super) fn has_path(&self, target: &Target, path: &RepositoryPath) -> bool {
        let path = path.to_string();
        let mut rules = self.0.iter();
        rules.any(|rule| rule.holds(target) && rule.has_path(&path))
    }

    /// Checks all paths that the edits read or write.
    pub(super) fn check(&self, target: &Target, edits: &[FileEdit]) -> Result<(), RepositoryError> {
        let paths: Vec<String> = edits.iter().flat_map(paths).collect();
        self.check_paths(target, &paths)
    }

    /// Checks paths, all of which one rule must allow.
    pub(super) fn check_paths(
        &self,
        target: &Target,
        paths: &[String],
    ) -> Result<(), RepositoryError> {
        let holds = |rule: &&Rule| rule.holds(target);
        let rules: Vec<&Rule> = self.0.iter().filter(holds).collect();
        if rules.is_empty() {
            let (repository, branch) = (target.repository.clone(), target.branch.clone());
            return Err(RepositoryError::NotAllowed { repository, branch });
        }
        let refused = |rule: &Rule| paths.iter().find(|path| !rule.has_path(path));
        // The first rule names the path, so that the answer is the same each time.
        match rules
            .iter()
            .map(|rule| refused(rule))
            .collect::<Option<Vec<_>>>()
        {
            Some(refused) => Err(RepositoryError::PathNotAllowed(
                refused.first().map(ToString::to_string).unwrap_or_default(),
            )),
            None => Ok(()),
        }
    }
}

impl Rule {
    fn holds(&self, target: &Target) -> bool {
        glob_matches(&self.repository, &target.repository) && any(&self.branches, &target.branch)
    }

    fn has_path(&self, path: &str) -> bool {
        any(&self.paths, path)
    }

    fn add(&mut self, rule: &str, part: &str) -> Result<(), RuleError> {
        let list = match part.split_once('=') {
            Some(("branch", pattern)) if !pattern.is_empty() => (&mut self.branches, pattern),
            Some(("path", pattern)) if !pattern.is_empty() => (&mut self.paths, pattern),
            Some(_) | None => {
                return Err(RuleError::Part {
                    rule: rule.to_owned(),
                    part: part.to_owned(),
                });
            }
        };
        list.0.push(list.1.to_owned());
        Ok(())
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.len() > LONGEST_RULE {
            return Err(RuleError::Long(text.len()));
        }
        let mut parts = text.split(';');
        let repository = parts.next().filter(|it| !it.is_empty());
        let mut rule = Self {
            repository: repository.ok_or(RuleError::Empty)?.to_owned(),
            branches: Vec::new(),
            paths: Vec::new(),
        };
        for part in parts {
            rule.add(text, part)?;
        }
        Ok(rule)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.repository)?;
        for branch in &self.branches {
            write!(formatter, ";branch={branch}")?;
        }
        for path in &self.paths {
            write!(formatter, ";path={path}")?;
        }
        Ok(())
    }
}

fn paths(edit: &FileEdit) -> Vec<String> {
    match edit {
        FileEdit::Copy { from, to } => vec![from.to_string(), to.to_string()],
        FileEdit::Values { path, .. }
        | FileEdit::Image { path, .. }
        | FileEdit::KustomizeImage { path, .. }
        | FileEdit::ChartDependency { path, .. }
        | FileEdit::Write { path, .. }
        | FileEdit::Delete { path, .. } => vec![path.to_string()],
    }
}

fn any(patterns: &[String], value: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| glob_matches(pattern, value))
}
