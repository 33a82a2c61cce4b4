//! Bound values.

use sqlx::{Arguments as _, error::BoxDynError, postgres::PgArguments, sqlite::SqliteArguments};

use crate::dialect::like;

/// Value with its type, also for NULL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text. PostgreSQL cannot store NUL, so both databases store U+FFFD instead.
    Text(Option<String>),
    Integer(Option<i64>),
    Blob(Option<Vec<u8>>),
    Boolean(Option<bool>),
    /// Glob with `*` and `?` for the operator of [`crate::Query::push_glob`].
    Glob(String),
}

impl Value {
    pub(crate) fn add_to_sqlite(self, arguments: &mut SqliteArguments) -> Result<(), BoxDynError> {
        match self {
            Self::Text(text) => arguments.add(text.map(without_nul)),
            Self::Integer(number) => arguments.add(number),
            Self::Blob(bytes) => arguments.add(bytes),
            Self::Boolean(yes) => arguments.add(yes),
            // `[` is a wildcard in SQLite only.
            Self::Glob(pattern) => arguments.add(without_nul(pattern).replace('[', "[[]")),
        }
    }

    pub(crate) fn add_to_postgres(self, arguments: &mut PgArguments) -> Result<(), BoxDynError> {
        match self {
            Self::Text(text) => arguments.add(text.map(without_nul)),
            Self::Integer(number) => arguments.add(number),
            Self::Blob(bytes) => arguments.add(bytes),
            Self::Boolean(yes) => arguments.add(yes),
            Self::Glob(pattern) => arguments.add(like(&without_nul(pattern))),
        }
    }
}

fn without_nul(text: String) -> String {
    if text.contains('\0') {
        return text.replace('\0', "\u{FFFD}");
    }
    text
}

macro_rules! from {
    ($($given:ty => $kind:ident($turn:expr)),* $(,)?) => {$(
        impl From<$given> for Value {
            fn from(given: $given) -> Self {
                let turn: fn($given) -> _ = $turn;
                Self::$kind(Some(turn(given)))
            }
        }

        impl From<Option<$given>> for Value {
            fn from(given: Option<$given>) -> Self {
                let turn: fn($given) -> _ = $turn;
                Self::$kind(given.map(turn))
            }
        }
    )*};
}

from! {
    &str => Text(str::to_owned),
    String => Text(|text| text),
    i64 => Integer(|number| number),
    i32 => Integer(i64::from),
    u32 => Integer(i64::from),
    bool => Boolean(|yes| yes),
    &[u8] => Blob(<[u8]>::to_vec),
    Vec<u8> => Blob(|bytes| bytes),
}
