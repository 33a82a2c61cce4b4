use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use causeway_argocd::{
    Argocd, ArgocdArgs, ArgocdError, ArgocdServer, Cluster, KubeArgs, rest::ApplicationName,
};
use causeway_sandbox::{KubeApi, KubeOptions};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};

async fn api() -> (KubeApi, TempDir, PathBuf) {
    causeway_shell::install_crypto();
    let api = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kubeconfig");
    fs::write(&file, api.kubeconfig()).unwrap();
    (api, folder, file)
}

fn args(file: PathBuf, context: Option<&str>) -> KubeArgs {
    KubeArgs {
        kubeconfig: Some(file),
        context: context.map(str::to_owned),
    }
}

fn line(error: &impl ToString, words: &[&str]) {
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[tokio::test]
async fn a_cluster_with_applications_is_good() {
    let (_api, _folder, file) = api().await;
    let cluster = Cluster::open(&args(file, None)).await.unwrap();
    cluster.check().await.unwrap();
}

#[tokio::test]
async fn a_kubeconfig_that_is_not_there_or_lacks_the_context_is_named() {
    let (_api, folder, file) = api().await;
    let absent = folder.path().join("absent");
    let error = Cluster::open(&args(absent, None)).await.err().unwrap();
    line(&error, &["--kubeconfig", "absent"]);
    let error = Cluster::open(&args(file, Some("elsewhere")))
        .await
        .err()
        .unwrap();
    line(&error, &["kubeconfig", "elsewhere"]);
}

#[tokio::test]
async fn a_cluster_that_does_not_answer_is_named_with_what_to_check() {
    let (api, _folder, file) = api().await;
    api.stop().await;
    let cluster = Cluster::open(&args(file, None)).await.unwrap();
    let error = cluster.check().await.unwrap_err();
    line(
        &error,
        &["does not answer", "--kubeconfig", "https://127.0.0.1"],
    );
}

#[tokio::test]
async fn wrong_credentials_are_told() {
    let (_api, _folder, file) = api().await;
    spoil(&file);
    let cluster = Cluster::open(&args(file, None)).await.unwrap();
    let error = cluster.check().await.unwrap_err();
    line(
        &error,
        &["refuses these credentials", "expired", "renew them"],
    );
}

/// Replaces the token in a kubeconfig and returns the previous content.
fn spoil(file: &Path) -> String {
    let kubeconfig = fs::read_to_string(file).unwrap();
    let token = kubeconfig
        .lines()
        .find_map(|line| line.trim().strip_prefix("token:"))
        .unwrap();
    fs::write(file, kubeconfig.replace(token.trim(), "wrong")).unwrap();
    kubeconfig
}

#[tokio::test]
async fn credentials_that_are_renewed_in_their_file_need_no_restart() {
    let (_api, _folder, file) = api().await;
    let good = spoil(&file);
    let cluster = Cluster::open(&args(file.clone(), None)).await.unwrap();
    fs::write(&file, good).unwrap();
    cluster.check().await.unwrap();
}

#[tokio::test]
async fn a_cluster_that_has_moved_is_found_where_the_file_says() {
    let (first, _folder, file) = api().await;
    let cluster = Cluster::open(&args(file.clone(), None)).await.unwrap();
    cluster.check().await.unwrap();
    first.stop().await;
    let (second, ..) = api().await;
    fs::write(&file, second.kubeconfig()).unwrap();
    let error = cluster.check().await.unwrap_err();
    line(&error, &["does not answer"]);
    cluster.check().await.unwrap();
}

#[tokio::test]
async fn a_cluster_without_argo_cd_names_the_missing_resource() {
    let (api, _folder, _file) = api().await;
    let definitions =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/applications.argoproj.io";
    let delete = http::Request::delete(definitions).body(Vec::new()).unwrap();
    api.client().request_text(delete).await.unwrap();
    let cluster = Cluster::with_client(api.client(), "https://cluster");
    let error = cluster.check().await.unwrap_err();
    line(&error, &["applications.argoproj.io", "install Argo CD"]);
}

#[tokio::test]
async fn an_argo_cd_that_is_not_in_the_cluster_is_not_found_there() {
    let (api, folder, _file) = api().await;
    let token = folder.path().join("token");
    fs::write(&token, "a token").unwrap();
    let args = ArgocdArgs {
        argocd_server: Some(ArgocdServer::Auto),
        argocd_token_file: Some(token),
        ..ArgocdArgs::default()
    };
    let cluster = Cluster::with_client(api.client(), "https://cluster");
    let argocd = Argocd::open(&args, &cluster).unwrap();
    let web = ApplicationName {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        project: String::new(),
    };
    let error = argocd.resource_tree(&web).await.unwrap_err();
    assert!(
        matches!(error, ArgocdError::ServerNotFound { .. }),
        "{error}"
    );
    line(
        &error,
        &["app.kubernetes.io/name=argocd-server", "--argocd-server"],
    );
}

/// Responds to every request with the same head and records the requests.
async fn answers(head: String) -> (u16, Arc<Mutex<Vec<String>>>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&asked);
    let serving = async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            told.lock().unwrap().push(request);
            stream.write_all(head.as_bytes()).await.unwrap();
        }
    };
    let mut server = JoinSet::new();
    server.spawn(serving);
    (port, asked, server)
}

#[tokio::test]
async fn n_63_a_token_does_not_follow_a_redirect() {
    let (_api, folder, file) = api().await;
    let (thief, stolen, _thief) =
        answers("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_owned()).await;
    let token = folder.path().join("token");
    fs::write(&token, "the-token-of-argo-cd").unwrap();
    let cluster = Cluster::open(&args(file, None)).await.unwrap();
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let head = format!(
            "HTTP/1.1 {status}\r\nlocation: http://127.0.0.1:{thief}/api/v1/session/userinfo\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        let (port, asked, _server) = answers(head).await;
        let argocd = ArgocdArgs {
            argocd_server: Some(format!("http://127.0.0.1:{port}").parse().unwrap()),
            argocd_token_file: Some(token.clone()),
            ..ArgocdArgs::default()
        };
        let argocd = Argocd::open(&argocd, &cluster).unwrap();
        argocd.check().await.unwrap_err();
        let asked = asked.lock().unwrap().join("\n");
        assert!(asked.contains("the-token-of-argo-cd"), "{asked}");
    }
    assert_eq!(stolen.lock().unwrap().len(), 0);
}
