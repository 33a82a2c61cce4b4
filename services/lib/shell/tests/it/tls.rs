use causeway_assertion::development_ca::DevelopmentCa;
use causeway_proto::platform::v1 as pb;
use causeway_shell::{ServerTls, TlsArgs, install_crypto};
use pb::api_key_service_client::ApiKeyServiceClient;
use tonic::transport::{Certificate, Channel, ClientTlsConfig};

use crate::stage::{CREATE, Stage, named};

fn plain() -> TlsArgs {
    TlsArgs {
        tls_certificate: None,
        tls_key: None,
        tls_terminated_in_front: false,
    }
}

#[tokio::test]
async fn calls_pass_over_tls_of_the_development_authority() {
    install_crypto();
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let identity = ca.server_identity(&["localhost"]).unwrap();
    let tls = ServerTls::from_pem(
        identity.certificate_pem.as_bytes(),
        identity.key_pem.as_bytes(),
    )
    .unwrap();
    let stage = Stage::start_with(|server| server.tls(Some(tls))).await;
    let trust = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(ca.ca_pem()))
        .domain_name("localhost");
    let channel = Channel::from_shared(format!("https://{}", stage.address))
        .unwrap()
        .tls_config(trust)
        .unwrap()
        .connect()
        .await
        .unwrap();
    let request = stage.mutation(CREATE, named("ci"));
    ApiKeyServiceClient::new(channel)
        .create_api_key(request)
        .await
        .unwrap();
}

#[test]
fn plaintext_beyond_loopback_requires_a_tls_proxy() {
    let (inside, outside) = (
        "127.0.0.1:80".parse().unwrap(),
        "0.0.0.0:80".parse().unwrap(),
    );
    assert!(plain().for_listener("--listen", inside).unwrap().is_none());
    let error = plain()
        .for_listener("--listen", outside)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("--listen 0.0.0.0:80") && error.contains("--tls-certificate"),
        "{error}"
    );
    let in_front = TlsArgs {
        tls_terminated_in_front: true,
        ..plain()
    };
    assert!(
        in_front
            .for_listener("--listen", outside)
            .unwrap()
            .is_none()
    );
}

#[test]
fn mismatching_tls_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (
        folder.path().join("tls.pem"),
        folder.path().join("tls-key.pem"),
    );
    let absent = ServerTls::from_files(&certificate, &key).unwrap_err();
    assert!(format!("{absent:#}").contains("tls.pem"), "{absent:#}");
    std::fs::write(&certificate, "nothing").unwrap();
    std::fs::write(&key, "nothing").unwrap();
    let empty = ServerTls::from_files(&certificate, &key).unwrap_err();
    assert!(
        format!("{empty:#}").contains("no certificate in it"),
        "{empty:#}"
    );
}
