//! A runtime whose router is behind an Ingress, called past the platform: with an assertion that the platform gave for one method.

use std::{net::SocketAddr, process::Command};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use causeway_testkit::{Finished, run, which};
use serde_json::{Value, json};

use crate::{
    console::Console,
    door,
    site::{Site, WEST},
};

const METHOD: &str = "causeway.proxy.v1.ApplicationActionService/GetLiveApplication";

/// An application of the runtime as it is live, read through the door.
pub(crate) fn read(site: &Site<'_>, console: &Console, door: SocketAddr, name: &str) -> String {
    let told = asked(site, console, door, name);
    let answer: Value = serde_json::from_str(&told.expect_success()).unwrap();
    let manifest = STANDARD
        .decode(answer["manifest"].as_str().unwrap())
        .unwrap();
    String::from_utf8(manifest).unwrap()
}

/// What is said of a name that is not there.
pub(crate) fn missed(site: &Site<'_>, console: &Console, door: SocketAddr, name: &str) -> String {
    let told = asked(site, console, door, name);
    assert!(!told.status.success(), "{told:?}");
    told.stderr
}

fn asked(site: &Site<'_>, console: &Console, door: SocketAddr, name: &str) -> Finished {
    let token = console.run(&["token", METHOD, "--runtime", WEST]);
    let request = json!({"runtime": WEST, "namespace": "gitops", "name": name}).to_string();
    call(site, door, Some(token.trim()), &["-d", &request], &[METHOD])
}

/// Calls without an assertion of the platform and expects a refusal.
pub(crate) fn refused(site: &Site<'_>, door: SocketAddr) -> String {
    let told = call(site, door, None, &[], &[METHOD]);
    assert!(!told.status.success(), "{told:?}");
    told.stderr
}

fn call(
    site: &Site<'_>,
    door: SocketAddr,
    token: Option<&str>,
    flags: &[&str],
    words: &[&str],
) -> Finished {
    let grpcurl = which("grpcurl").expect("grpcurl is required for calls past the platform");
    let mut command = Command::new(grpcurl);
    let host = door::host(WEST);
    let authority = site.authority.ca_file();
    command
        .arg("-cacert")
        .arg(authority)
        .args(["-authority", &host]);
    if let Some(token) = token {
        command.args(["-H", &format!("authorization: Bearer {token}")]);
    }
    command.args(flags).arg(door.to_string()).args(words);
    run(&mut command)
}
