//! Every RPC of the inventory and of runtimes that users may call, on a thing that is the caller's, on one outside of the caller's
//! scope, on one that is not there, on one of another account, and in a runtime that is not there. What is expected stands in a table
//! beside this file; an RPC without a row there is a failure. RPCs of the part `platform` have a matrix beside that part's tests.

mod call;
mod kind;
mod settled;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use causeway_client::Peer;
use causeway_proto::{
    access::v1::CallerKind,
    method::{Method, methods},
};
use futures::{
    StreamExt as _,
    future::{self, join_all},
    stream,
};
use serde_json::{Value, json};
use tonic::{Code, Status};

use self::{
    call::{call, send},
    kind::Kind,
    world::{Thing, World},
};

const THINGS: &str = include_str!("matrix/things.txt");
/// The columns of the table behind the RPC and the kind of its thing.
const WHOSE: [&str; 5] = ["own", "outside", "absent", "foreign", "nowhere"];

/// Lists that have every application or rollout of whoever asks, and the watches of them.
const LISTS_ALL: [&str; 4] = [
    "ListApplications",
    "ListResources",
    "WatchApplications",
    "WatchResources",
];
/// So many RPCs are asked at the same time, each about all of its things.
const AT_ONCE: usize = 4;

/// The rows of the table without comments, by RPC.
fn table() -> BTreeMap<&'static str, Vec<&'static str>> {
    let lines = THINGS.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows = rows.filter(|columns| !columns.is_empty());
    rows.map(|columns| (columns[0], columns[1..].to_vec()))
        .collect()
}

/// A path without its leading slash and what all packages have in common.
fn short(path: &str) -> &str {
    path.trim_start_matches("/causeway.")
}

fn asked() -> Vec<&'static Method> {
    let all = methods().values();
    let open = all.filter(|method| method.callers.contains(&CallerKind::User));
    open.filter(|method| method.part != "platform").collect()
}

#[test]
fn access_matrix_covers_every_user_rpc() {
    let rpcs: BTreeSet<_> = asked().into_iter().map(|it| short(&it.path)).collect();
    let rows: BTreeSet<_> = table().into_keys().collect();
    let missing: Vec<_> = rpcs.difference(&rows).collect();
    let stale: Vec<_> = rows.difference(&rpcs).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "without a row in matrix/things.txt: {missing:#?}; rows of no RPC: {stale:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn s_32_s_56_s_57_what_is_outside_or_foreign_is_as_what_is_absent_by_every_rpc() {
    let table = table();
    let rows = asked().into_iter().map(|method| {
        let row = &table[short(&method.path)];
        (method, Kind::named(row[0]), &row[1..])
    });
    let rows: Vec<_> = rows.collect();
    let about: Vec<_> = rows
        .iter()
        .map(|(method, kind, _)| (*method, *kind))
        .collect();
    let world = Box::pin(World::start(&about)).await;
    let checks = rows
        .into_iter()
        .map(async |(method, kind, row)| match kind {
            Some(kind) => check(&world, method, kind, row).await,
            None => check_list(&world, method).await,
        });
    let wrong = stream::iter(checks).buffer_unordered(AT_ONCE);
    let wrong: Vec<String> = wrong.filter_map(future::ready).collect().await;
    assert!(wrong.is_empty(), "not as in matrix/things.txt: {wrong:#?}");
    Box::pin(world.stop()).await;
}

/// When something was taken up differs between any two calls.
fn without_times(messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    for message in &mut messages {
        if let Some(fields) = message.as_object_mut() {
            fields.remove("acceptedAt");
        }
    }
    messages
}

/// What an answer says beside the names that were asked for.
fn told(answer: &Result<Vec<Value>, Status>, thing: &Thing) -> (Code, String) {
    let (code, text) = match answer {
        Ok(messages) => (Code::Ok, Value::from(without_times(messages)).to_string()),
        Err(status) => (status.code(), status.message().to_owned()),
    };
    let text = text.replace(&thing.name, "NAME");
    let text = text.replace(&thing.uid, "UID");
    let text = text.replace(thing.runtime, "RUNTIME");
    (code, text.replace(&thing.request_id, "ID"))
}

/// What somebody is answered about each of these things, asked all at once.
async fn answers(by: &Peer, method: &Method, kind: Kind, things: &[&Thing]) -> Vec<(Code, String)> {
    let calls = things.iter().map(async |thing| {
        let answer = call(by, method, kind, thing).await;
        told(&answer, thing)
    });
    join_all(calls).await
}

/// The row as it is, where it is not as it stands in the table.
async fn check(world: &World, method: &Method, kind: Kind, row: &[&str]) -> Option<String> {
    let things = world.things(method, kind);
    let [own, hidden, _, _, nowhere] = &things.all;
    let all: Vec<_> = things.all.iter().collect();
    let told = answers(&world.ada, method, kind, &all).await;
    let [_, outside, absent, foreign, none] = &told[..] else {
        panic!("one answer for each of {WHOSE:?}");
    };
    assert_eq!(outside, absent, "{}: outside and absent", method.path);
    assert_eq!(foreign, none, "{}: foreign and nowhere", method.path);
    world.assert_untouched(things);
    let by_stranger = answers(&world.globex, method, kind, &[own, hidden, nowhere]).await;
    assert_strange(method, by_stranger);
    world.assert_untouched(things);
    let codes: Vec<_> = told.iter().map(|(code, _)| format!("{code:?}")).collect();
    let shown = format!("{} {}: {told:#?}", short(&method.path), codes.join(" "));
    (codes != row).then_some(shown)
}

/// The other account's admin, who may do everything there, finds none of these. What is near in name is of that account.
fn assert_strange(method: &Method, told: Vec<(Code, String)>) {
    let alone = told.into_iter().map(|(code, text)| {
        let (answer, near) = text.split_once("; ").unwrap_or((&text, ""));
        let ours = near.contains("ours/") || near.contains("outs-");
        assert!(!ours, "{}: {text}", method.path);
        (code, answer.to_owned())
    });
    let alone: Vec<_> = alone.collect();
    assert_eq!(alone[0], alone[2], "{}: for a stranger", method.path);
    assert_eq!(alone[1], alone[2], "{}: for a stranger", method.path);
}

/// An RPC that names no thing shows nothing that is outside or foreign, and those that list all show what is one's own. Gives what is wrong, where something is.
async fn check_list(world: &World, method: &Method) -> Option<String> {
    let [mine, outside, _, foreign, _] = &world.listed().all;
    for (by, own, hidden) in [
        (&world.ada, mine, [outside, foreign]),
        (&world.globex, foreign, [mine, outside]),
    ] {
        match send(by, method, json!({})).await {
            Ok(shown) => {
                let shown = Value::from(shown).to_string();
                let tells = |thing: &Thing| shown.contains(&format!("\"{}\"", thing.name));
                let lacks_own = LISTS_ALL.contains(&method.descriptor.name()) && !tells(own);
                if lacks_own || hidden.into_iter().any(tells) {
                    return Some(format!("{}: {shown}", method.path));
                }
            }
            Err(status) => {
                let denied = [Code::PermissionDenied, Code::InvalidArgument];
                assert!(denied.contains(&status.code()), "{}: {status}", method.path);
            }
        }
    }
    None
}
