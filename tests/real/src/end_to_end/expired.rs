//! Credentials of the cluster that end under a runtime.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use causeway_cluster::Child;
use causeway_testkit::wait_until_blocking;
use k8s_openapi::{
    api::{
        authentication::v1::{BoundObjectReference, TokenRequest, TokenRequestSpec},
        core::v1::{Secret, ServiceAccount},
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube::{
    Api, Client, Config,
    api::{DeleteParams, PostParams},
    config::{AuthInfo, KubeConfigOptions, Kubeconfig},
};
use serde_json::json;
use tempfile::TempDir;

use super::access::{allow, documented};
use crate::{
    application::{Demo, automated, manual},
    clusters::{Shared, block_on, own, shared},
    trial::{SOON, Trial, cluster_only, with_token},
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
fn expired_credentials_are_logged_once_and_renewed_without_restart() {
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
    // Each watch for itself: of Applications, and of the kinds that are told beside them.
    assert!((1..=6).contains(&told.count()), "{lines}");
}

/// A service account whose tokens count as long as a Secret of the token's name is there.
struct Account<'a> {
    shared: &'a Shared<'static>,
    name: &'static str,
    folder: TempDir,
}

impl Account<'_> {
    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.shared.client(), "argocd")
    }

    fn metadata(name: &str) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        }
    }

    /// Asks for a token and puts it where the kubeconfig reads it.
    fn issue(&self, token: &str) {
        let secret = Secret {
            metadata: Self::metadata(token),
            ..Secret::default()
        };
        let request = TokenRequest {
            spec: TokenRequestSpec {
                bound_object_ref: Some(BoundObjectReference {
                    api_version: Some("v1".to_owned()),
                    kind: Some("Secret".to_owned()),
                    name: Some(token.to_owned()),
                    uid: None,
                }),
                ..TokenRequestSpec::default()
            },
            ..TokenRequest::default()
        };
        let params = PostParams::default();
        block_on(self.secrets().create(&params, &secret)).unwrap();
        let accounts: Api<ServiceAccount> = Api::namespaced(self.shared.client(), "argocd");
        let answer = accounts.create_token_request(self.name, &params, &request);
        let token = block_on(answer).unwrap().status.unwrap().token;
        fs::write(self.token_file(), token).unwrap();
    }

    fn withdraw(&self, token: &str) {
        let params = DeleteParams::default();
        block_on(self.secrets().delete(token, &params)).unwrap();
    }

    fn token_file(&self) -> PathBuf {
        self.folder.path().join("token")
    }

    /// The cluster's, with the token's file for a user.
    fn kubeconfig(&self) -> PathBuf {
        let mut kubeconfig = Kubeconfig::read_from(self.shared.kubeconfig()).unwrap();
        kubeconfig.auth_infos[0].auth_info = Some(AuthInfo {
            token_file: Some(self.token_file().display().to_string()),
            ..AuthInfo::default()
        });
        let path = self.folder.path().join("kubeconfig");
        fs::write(&path, serde_json::to_vec(&kubeconfig).unwrap()).unwrap();
        path
    }
}

fn account<'a>(shared: &'a Shared<'static>, name: &'static str) -> Account<'a> {
    let account = ServiceAccount {
        metadata: Account::metadata(name),
        ..ServiceAccount::default()
    };
    let accounts: Api<ServiceAccount> = Api::namespaced(shared.client(), "argocd");
    block_on(accounts.create(&PostParams::default(), &account)).unwrap();
    let user = format!("system:serviceaccount:argocd:{name}");
    allow(shared, &user, &documented());
    Account {
        shared,
        name,
        folder: tempfile::tempdir().unwrap(),
    }
}

#[test]
fn invalid_service_account_token_is_logged_and_its_successor_used() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "couriered",
        namespace: "argocd",
    };
    demo.make(&manual());
    let account = account(&shared, "courier");
    account.issue("courier-first");
    let trial = Trial::start(&cluster_only(&account.kubeconfig()));
    trial.wait_for("couriered", "there", |status| {
        !status["sync"]["status"].is_null()
    });
    let refresh = || trial.cli(&["app", "refresh", "couriered"]);
    refresh().expect_success();

    account.withdraw("courier-first");
    let refused = || match refresh() {
        finished if finished.stderr.contains(REFUSED) => Ok(()),
        finished => Err(finished.stderr),
    };
    wait_until_blocking("a refusal", SOON, refused);
    account.issue("courier-second");
    let taken = || match refresh() {
        finished if finished.status.success() => Ok(()),
        finished => Err(finished.stderr),
    };
    wait_until_blocking("the second token", SOON, taken);
}
