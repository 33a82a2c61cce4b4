//! The reviewed list of what is granted although no test uses it.

use std::fmt;

const TABLE: &str = include_str!("../../EXCEPTIONS.md");

/// A row of the table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Exception {
    grant: String,
    reason: String,
}

/// Those of the repository.
pub(crate) fn exceptions() -> Vec<Exception> {
    parse(TABLE)
}

/// The rows `| ROLE: VERB RESOURCE | reason |` of a Markdown table.
pub(super) fn parse(table: &str) -> Vec<Exception> {
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (grant, rest) = row.split_once("` | ").unwrap_or_else(|| panic!("{row}"));
        let reason = rest.trim_end_matches('|').trim().to_owned();
        assert!(reason.len() > 20, "no reason is given for {grant}");
        Exception {
            grant: grant.to_owned(),
            reason,
        }
    })
    .collect()
}

impl Exception {
    /// Whether it is for this grant, as that is shown.
    pub(super) fn names(&self, shown: &str) -> bool {
        self.grant == shown
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.grant)
    }
}
