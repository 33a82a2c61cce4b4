//! The router as callers see it: real sockets on both sides, and peers that answer at the wire.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bodies;
mod browser;
mod caller;
mod corpus;
mod cors;
mod exec;
mod frames;
mod grpc;
mod json;
mod keys;
mod limits;
mod openapi;
mod peers;
mod reads;
mod sessions;
mod stack;
mod streams;
mod tls;
mod web;
mod web_ui;
mod wire;
