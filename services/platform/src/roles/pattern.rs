//! Pattern containment: decides if one name pattern matches everything that another matches.
//!
//! Used to prevent privilege escalation. Patterns match as in assertions: `*` any text, `?` one character.

/// What a pattern is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Literal(char),
    One,
    Many,
}

impl Symbol {
    fn of(character: char) -> Self {
        match character {
            '*' => Self::Many,
            '?' => Self::One,
            literal => Self::Literal(literal),
        }
    }

    /// True if all that the other one stands for is among what this one stands for.
    fn holds(self, other: Self) -> bool {
        match (self, other) {
            (Self::Many, _) | (Self::One, Self::One | Self::Literal(_)) => true,
            (Self::Literal(own), Self::Literal(other)) => own == other,
            (Self::One, Self::Many) | (Self::Literal(_), Self::One | Self::Many) => false,
        }
    }
}

/// True if one pattern matches all that another one matches.
pub(crate) fn covers(wide: &str, narrow: &str) -> bool {
    fits(&normal(wide), &normal(narrow))
}

/// The symbols with each run of wildcards in one order, for `*?` and `?*` are the same.
fn normal(pattern: &str) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(pattern.len());
    let mut many = false;
    for symbol in pattern.chars().map(Symbol::of) {
        match symbol {
            Symbol::Many => many = true,
            Symbol::One => symbols.push(symbol),
            Symbol::Literal(_) => {
                symbols.extend(std::mem::take(&mut many).then_some(Symbol::Many));
                symbols.push(symbol);
            }
        }
    }
    symbols.extend(many.then_some(Symbol::Many));
    symbols
}

/// Matches one pattern with another one as its text. The last `*` is the only place that is ever gone back to.
fn fits(mut pattern: &[Symbol], mut subject: &[Symbol]) -> bool {
    // Behind the last `*`, and where in the subject it ends so far.
    let mut last_many: Option<(&[Symbol], &[Symbol])> = None;
    loop {
        match (pattern, subject) {
            ([], []) => return true,
            ([Symbol::Many, after @ ..], _) => {
                pattern = after;
                last_many = Some((after, subject));
            }
            ([wide, after @ ..], [narrow, rest @ ..]) if wide.holds(*narrow) => {
                (pattern, subject) = (after, rest);
            }
            _ => {
                let Some((after, [_, rest @ ..])) = last_many else {
                    return false;
                };
                last_many = Some((after, rest));
                (pattern, subject) = (after, rest);
            }
        }
    }
}

#[cfg(test)]
mod tests;
