//! The source server before a stand-in Argo CD, called as its server calls it.

#![cfg(test)]

mod answers;
mod counted;
mod questions;
mod stage;
