//! What a check found.

use std::time::Duration;

use serde::Serialize;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(super) check: &'static str,
    #[serde(rename = "result")]
    pub(super) verdict: Verdict,
    pub(super) what: String,
    /// Why it matters; empty where all is well.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) why: &'static str,
    /// What to do; empty where there is nothing.
    #[serde(rename = "do", skip_serializing_if = "String::is_empty")]
    pub(super) todo: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// It is as it should be.
    Ok,
    /// It works, and is worth a look.
    Warn,
    /// It cannot be told from here.
    Unknown,
    /// A runtime cannot be installed so.
    Fail,
}

impl Verdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Unknown => "unknown",
            Self::Fail => "fail",
        }
    }
}

impl Finding {
    pub(super) fn ok(check: &'static str, what: impl Into<String>) -> Self {
        Self::new(check, Verdict::Ok, what, ("", ""))
    }

    pub(super) fn warn(
        check: &'static str,
        what: impl Into<String>,
        (why, todo): (&'static str, impl Into<String>),
    ) -> Self {
        Self::new(check, Verdict::Warn, what, (why, todo))
    }

    pub(super) fn unknown(
        check: &'static str,
        what: impl Into<String>,
        (why, todo): (&'static str, impl Into<String>),
    ) -> Self {
        Self::new(check, Verdict::Unknown, what, (why, todo))
    }

    pub(super) fn fail(
        check: &'static str,
        what: impl Into<String>,
        (why, todo): (&'static str, impl Into<String>),
    ) -> Self {
        Self::new(check, Verdict::Fail, what, (why, todo))
    }

    fn new(
        check: &'static str,
        verdict: Verdict,
        what: impl Into<String>,
        (why, todo): (&'static str, impl Into<String>),
    ) -> Self {
        let what = what.into().replace(['\n', '\r'], " ");
        let todo = todo.into();
        Self {
            check,
            verdict,
            what,
            why,
            todo,
        }
    }

    /// True if a runtime cannot be installed because of it.
    pub(crate) fn is_failure(&self) -> bool {
        self.verdict == Verdict::Fail
    }
}

/// A check that was given up.
pub(super) fn late(check: &'static str, within: Duration) -> Finding {
    let what = format!("no answer within {}", humantime::format_duration(within));
    let why = "what does not answer here does not answer the runtime either, or is very slow";
    let todo = "look at the network and firewalls on the way, or give it more time with --within";
    Finding::fail(check, what, (why, todo))
}
