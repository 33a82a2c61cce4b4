//! Label selectors in the grammar of Kubernetes: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, all of which hold
//! that are apart by commas. What is not there is not in any set.

use std::{collections::BTreeMap, str::FromStr};

/// A selector has at most so many requirements.
const MOST_REQUIREMENTS: usize = 32;
/// A set has at most so many values.
const MOST_VALUES: usize = 64;
/// Longest prefix of a label's name, in bytes.
const LONGEST_PREFIX: usize = 253;
/// Longest name behind the prefix, and longest value, in bytes.
const LONGEST_WORD: usize = 63;

/// Selects by labels. The default selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

/// What a label must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its name.
    pub label: String,
    /// What must hold of it.
    pub must: Must,
}

/// What must hold of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Must {
    /// It is there, whatever its value.
    Exist,
    /// It is not there.
    NotExist,
    /// It is there with one of these values.
    BeIn(Vec<String>),
    /// It is not there with any of these values.
    NotBeIn(Vec<String>),
}

/// A text that is no selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// A name or a value is missing, or something is left over.
    #[error(
        "'{0}' is none of KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B), KEY and !KEY; they are apart by commas"
    )]
    Grammar(String),
    /// A name that no label has.
    #[error("'{0}' is no label: [PREFIX/]NAME of at most 63 letters, digits, '-', '_' and '.'")]
    Label(String),
    /// A value that no label has.
    #[error("'{0}' is no value of a label: at most 63 letters, digits, '-', '_' and '.'")]
    Value(String),
    /// It is too long.
    #[error(
        "has too much: at most {MOST_REQUIREMENTS} requirements with at most {MOST_VALUES} values"
    )]
    TooMany,
}

impl LabelSelector {
    /// All of them must hold.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.0
    }

    /// Keeps the requirements that a predicate accepts.
    pub(crate) fn retain(&mut self, keeps: impl FnMut(&Requirement) -> bool) {
        self.0.retain(keeps);
    }

    /// True if it selects everything.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// True if it selects something with these labels.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.get(&requirement.label);
            let among = |values: &[String]| value.is_some_and(|value| values.contains(value));
            match &requirement.must {
                Must::Exist => value.is_some(),
                Must::NotExist => value.is_none(),
                Must::BeIn(values) => among(values),
                Must::NotBeIn(values) => !among(values),
            }
        })
    }
}

impl FromStr for LabelSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let mut parser = Parser {
            text,
            tokens: tokens(text),
            at: 0,
        };
        let mut requirements = Vec::new();
        while parser.peek().is_some() {
            requirements.push(parser.requirement()?);
            if requirements.len() > MOST_REQUIREMENTS {
                return Err(SelectorError::TooMany);
            }
            match parser.next() {
                Some(Token::Comma) if parser.peek().is_some() => {}
                None => {}
                Some(_) => return Err(parser.wrong()),
            }
        }
        Ok(Self(requirements))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Open,
    Close,
    Comma,
    Not,
    Equal,
    NotEqual,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let signs = [
            ("==", Token::Equal),
            ("!=", Token::NotEqual),
            ("=", Token::Equal),
            ("!", Token::Not),
            ("(", Token::Open),
            (")", Token::Close),
            (",", Token::Comma),
        ];
        let sign = signs.into_iter().find(|(sign, _)| rest.starts_with(sign));
        let (length, token) = sign.map_or_else(
            || {
                let ends = |letter: char| letter.is_whitespace() || "=!(),".contains(letter);
                let length = rest.find(ends).unwrap_or(rest.len());
                (length, Token::Word(&rest[..length]))
            },
            |(sign, token)| (sign.len(), token),
        );
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    tokens
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn wrong(&self) -> SelectorError {
        SelectorError::Grammar(self.text.chars().take(100).collect())
    }

    fn expect(&mut self, token: Token<'_>) -> Result<(), SelectorError> {
        match self.next() {
            Some(found) if found == token => Ok(()),
            _ => Err(self.wrong()),
        }
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let token = self.next();
        if token == Some(Token::Not) {
            let label = self.label()?;
            let must = Must::NotExist;
            return Ok(Requirement { label, must });
        }
        self.at -= 1;
        let label = self.label()?;
        let must = match self.peek() {
            None | Some(Token::Comma) => Must::Exist,
            _ => self.comparison()?,
        };
        Ok(Requirement { label, must })
    }

    fn comparison(&mut self) -> Result<Must, SelectorError> {
        match self.next() {
            Some(Token::Equal) => Ok(Must::BeIn(vec![self.value()?])),
            Some(Token::NotEqual) => Ok(Must::NotBeIn(vec![self.value()?])),
            Some(Token::Word("in")) => Ok(Must::BeIn(self.set()?)),
            Some(Token::Word("notin")) => Ok(Must::NotBeIn(self.set()?)),
            _ => Err(self.wrong()),
        }
    }

    fn set(&mut self) -> Result<Vec<String>, SelectorError> {
        self.expect(Token::Open)?;
        let mut values = vec![self.value()?];
        while self.peek() == Some(Token::Comma) {
            self.at += 1;
            values.push(self.value()?);
            if values.len() > MOST_VALUES {
                return Err(SelectorError::TooMany);
            }
        }
        self.expect(Token::Close)?;
        Ok(values)
    }

    fn label(&mut self) -> Result<String, SelectorError> {
        match self.next() {
            Some(Token::Word(word)) if is_label(word) => Ok(word.to_owned()),
            Some(Token::Word(word)) => Err(SelectorError::Label(word.chars().take(100).collect())),
            _ => Err(self.wrong()),
        }
    }

    /// A value, which may be empty.
    fn value(&mut self) -> Result<String, SelectorError> {
        let Some(Token::Word(word)) = self.peek() else {
            return Ok(String::new());
        };
        self.at += 1;
        if !is_value(word) {
            return Err(SelectorError::Value(word.chars().take(100).collect()));
        }
        Ok(word.to_owned())
    }
}

/// True if Kubernetes takes a text as the name of a label.
#[must_use]
pub fn is_label(text: &str) -> bool {
    let (prefix, name) = text.split_once('/').unwrap_or(("x", text));
    let in_prefix = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    (1..=LONGEST_PREFIX).contains(&prefix.len())
        && prefix.bytes().all(in_prefix)
        && !name.is_empty()
        && is_value(name)
}

/// True if Kubernetes takes a text as the value of a label.
#[must_use]
pub fn is_value(text: &str) -> bool {
    let within = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let outside = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= LONGEST_WORD
        && bytes.iter().copied().all(within)
        && outside(bytes.first())
        && outside(bytes.last())
}

#[cfg(test)]
mod tests;
