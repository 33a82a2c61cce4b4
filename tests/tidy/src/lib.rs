//! The repository's rules as tests: sizes, layers, dependencies, names. A rule is tightened here before the code is cleaned.

#[cfg(test)]
mod dependencies;
#[cfg(test)]
mod files;
#[cfg(test)]
mod language;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod map;
#[cfg(test)]
mod negative;
#[cfg(test)]
mod words;
