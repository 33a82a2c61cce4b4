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

/// An application of the runtime as it is live, read through the door; nothing where this machine has no grpcurl.
pub(crate) fn read(
    site: &Site<'_>,
    console: &Console,
    door: SocketAddr,
    name: &str,
) -> Option<String> {
    let token = console.tell(&["token", METHOD, "--runtime", WEST]);
    let request = json!({"runtime": WEST, "namespace": "gitops", "name": name}).to_string();
    let told = call(site, door, Some(token.trim()), &["-d", &request], &[METHOD])?;
    let answer: Value = serde_json::from_str(&told.expect_success()).unwrap();
    let manifest = STANDARD
        .decode(answer["manifest"].as_str().unwrap())
        .unwrap();
    Some(String::from_utf8(manifest).unwrap())
}

/// The same by somebody whom no platform vouches for.
pub(crate) fn refused(site: &Site<'_>, door: SocketAddr) -> Option<String> {
    let told = call(site, door, None, &[], &[METHOD])?;
    assert!(!told.status.success(), "{told:?}");
    Some(told.stderr)
}

fn call(
    site: &Site<'_>,
    door: SocketAddr,
    token: Option<&str>,
    flags: &[&str],
    words: &[&str],
) -> Option<Finished> {
    let mut command = Command::new(which("grpcurl")?);
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
    Some(run(&mut command))
}
