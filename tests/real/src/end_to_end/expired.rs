//! Credentials of the cluster that expire under a runtime.

use std::{path::Path, time::Duration};

use causeway_cluster::Child;
use causeway_testkit::wait_until_blocking;
use kube::{
    Client, Config,
    api::DeleteParams,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::json;

use crate::{
    application::{Demo, automated, manual},
    clusters::{block_on, own},
    trial::{SOON, Trial, with_token},
};

const USER: &str = "runtime";
const GROUP: Option<&str> = Some("system:masters");
const REFUSED: &str = "refuses these credentials";

/// Until the API server takes the credentials in this file no more.
fn wait_for_expiry(kubeconfig: &Path) {
    let ask = async || {
        let read = Kubeconfig::read_from(kubeconfig).map_err(|error| error.to_string())?;
        let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await;
        let client = Client::try_from(config.map_err(|error| error.to_string())?);
        let client = client.map_err(|error| error.to_string())?;
        match client.apiserver_version().await {
            Err(kube::Error::Api(status)) if status.code == 401 => Ok(()),
            other => Err(format!("{other:?}")),
        }
    };
    wait_until_blocking("the expiry", SOON, || block_on(ask()));
}

#[test]
fn credentials_that_expired_are_told_once_and_taken_when_renewed_without_a_restart() {
    let Some(own) = own() else { return };
    let shared = own.get();
    let [lasting, leaving] = ["lasting", "leaving"].map(|name| Demo {
        shared: &shared,
        name,
        namespace: "argocd",
    });
    let first = lasting.make(&automated());
    leaving.make(&manual());
    let cluster = shared.cluster;
    let kubeconfig = cluster.kubeconfig_of(USER, GROUP).unwrap();
    let trial = Trial::start(&with_token(&kubeconfig, shared.plain()));
    trial.wait_for_commit("lasting", &first);
    trial.wait_for("leaving", "there", |status| {
        !status["sync"]["status"].is_null()
    });

    // What the API server let in before it still serves: only new connections show that the time is over.
    let life = Duration::from_secs(1);
    let expiring = cluster.expiring_kubeconfig_of(USER, GROUP, life).unwrap();
    assert_eq!(expiring, kubeconfig);
    wait_for_expiry(&kubeconfig);
    block_on(cluster.kill(Child::ApiServer)).unwrap();
    trial.wait_for_words("does not answer");
    block_on(cluster.restart(Child::ApiServer)).unwrap();
    trial.wait_for_words(REFUSED);
    trial.wait_for_words("renew them");

    let second = lasting.scale(2, "Two of them");
    let refresh = json!({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}});
    shared.merge("Application", "lasting", &refresh);
    let applications = shared.api("Application", "argocd");
    block_on(applications.delete("leaving", &DeleteParams::default())).unwrap();
    cluster.kubeconfig_of(USER, GROUP).unwrap();
    trial.wait_for_commit("lasting", &second);
    trial.wait_for_deletion("leaving");
    let lines = trial.lines();
    let told = lines.lines().filter(|line| line.contains(REFUSED));
    assert_eq!(told.count(), 1, "{lines}");
}
