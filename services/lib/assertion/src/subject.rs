//! Subject and audience of an assertion, with their text forms.

use std::{fmt, str::FromStr};

use causeway_proto::ids::{AccountId, PartName, RuntimeId, UserId};

use crate::Side;

/// Caller identity: `user:<id>`, `runtime:<account>/<id>` or `part:<side>/<part>`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Subject {
    User(UserId),
    Runtime {
        account: AccountId,
        runtime: RuntimeId,
    },
    Part {
        side: Side,
        part: PartName,
    },
}

/// Part that may accept an assertion: `<account>/<runtime>/<part>`, with `-` as the runtime for the platform.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Audience {
    pub account: AccountId,
    /// `None` is the platform.
    pub runtime: Option<RuntimeId>,
    pub part: PartName,
}

/// Audience that a verifier requires. Platform parts serve every account.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ExpectedAudience {
    Platform {
        part: PartName,
    },
    Runtime {
        account: AccountId,
        runtime: RuntimeId,
        part: PartName,
    },
    /// Any part of any runtime; for services that only forward calls into runtimes.
    AnyRuntime,
}

const PLATFORM: &str = "-";

/// The account of calls between platform parts that are about no account. No real account may have this id.
pub const PLATFORM_ACCOUNT: &str = "platform";

#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SubjectError {
    #[error("a subject is user:<id>, runtime:<account>/<id> or part:<side>/<part>")]
    Subject,
    #[error("an audience is <account>/<runtime>/<part>, with - for the platform")]
    Audience,
}

impl Audience {
    /// A part of the platform, about one account.
    #[must_use]
    pub fn platform(account: AccountId, part: PartName) -> Self {
        Self {
            account,
            runtime: None,
            part,
        }
    }

    /// A part of a runtime.
    #[must_use]
    pub fn runtime(account: AccountId, runtime: RuntimeId, part: PartName) -> Self {
        Self {
            account,
            runtime: Some(runtime),
            part,
        }
    }
}

impl ExpectedAudience {
    #[must_use]
    pub fn platform(part: PartName) -> Self {
        Self::Platform { part }
    }

    #[must_use]
    pub fn runtime(account: AccountId, runtime: RuntimeId, part: PartName) -> Self {
        Self::Runtime {
            account,
            runtime,
            part,
        }
    }

    #[must_use]
    pub fn accepts(&self, audience: &Audience) -> bool {
        match self {
            Self::Platform { part } => audience.runtime.is_none() && audience.part == *part,
            Self::Runtime {
                account,
                runtime,
                part,
            } => {
                audience.account == *account
                    && audience.runtime.as_ref() == Some(runtime)
                    && audience.part == *part
            }
            Self::AnyRuntime => audience.runtime.is_some(),
        }
    }
}

impl fmt::Display for ExpectedAudience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Platform { part } => write!(f, "<account>/{PLATFORM}/{part}"),
            Self::Runtime {
                account,
                runtime,
                part,
            } => write!(f, "{account}/{runtime}/{part}"),
            Self::AnyRuntime => f.write_str("<account>/<runtime>/<part>"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => write!(f, "user:{user}"),
            Self::Runtime { account, runtime } => write!(f, "runtime:{account}/{runtime}"),
            Self::Part { side, part } => write!(f, "part:{side}/{part}"),
        }
    }
}

impl FromStr for Subject {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_subject(text).ok_or(SubjectError::Subject)
    }
}

fn parse_subject(text: &str) -> Option<Subject> {
    let (kind, rest) = text.split_once(':')?;
    match kind {
        "user" => Some(Subject::User(rest.parse().ok()?)),
        "runtime" => {
            let (account, runtime) = rest.split_once('/')?;
            Some(Subject::Runtime {
                account: account.parse().ok()?,
                runtime: runtime.parse().ok()?,
            })
        }
        "part" => {
            let (side, part) = rest.split_once('/')?;
            Some(Subject::Part {
                side: side.parse().ok()?,
                part: part.parse().ok()?,
            })
        }
        _ => None,
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runtime = self.runtime.as_ref().map_or(PLATFORM, RuntimeId::as_str);
        write!(f, "{}/{runtime}/{}", self.account, self.part)
    }
}

impl FromStr for Audience {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_audience(text).ok_or(SubjectError::Audience)
    }
}

fn parse_audience(text: &str) -> Option<Audience> {
    let (account, rest) = text.split_once('/')?;
    let (runtime, part) = rest.split_once('/')?;
    Some(Audience {
        account: account.parse().ok()?,
        runtime: match runtime {
            PLATFORM => None,
            runtime => Some(runtime.parse().ok()?),
        },
        part: part.parse().ok()?,
    })
}
