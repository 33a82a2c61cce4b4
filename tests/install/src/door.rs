//! What an Ingress controller does, as much of it as an Ingress of one host with one Service behind it needs: it takes TLS with the
//! Secret that the Ingress names and passes on what comes. It is on this machine; pods find it by a Service of the host's name.

use std::{io, net::SocketAddr, sync::Arc};

use causeway_assertion::development_ca::DevelopmentCa;
use rustls::{
    ServerConfig,
    crypto::aws_lc_rs::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use serde_json::{Value, json};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use crate::stage::Stage;

/// The class of the Ingresses that it serves.
pub(crate) const CLASS: &str = "door";
/// Where the Services with the names of hosts are.
pub(crate) const NAMESPACE: &str = "door";

/// The host of this name, as pods resolve it.
pub(crate) fn host(name: &str) -> String {
    format!("{name}.{NAMESPACE}.svc")
}

/// A Secret as an Ingress of this host names it.
pub(crate) fn certificate(authority: &DevelopmentCa, namespace: &str, host: &str) -> Value {
    let identity = authority.server_identity(&[host]).unwrap();
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
        "metadata": {"name": "door", "namespace": namespace},
        "stringData": {"tls.crt": identity.certificate_pem, "tls.key": identity.key_pem},
    })
}

/// Serves the Ingress of a namespace, and has the name of its host lead here; gives the address. It ends with the stage.
pub(crate) fn open(stage: &Stage, name: &str, namespace: &str) -> SocketAddr {
    let all = stage.list(&["ingresses", "--namespace", namespace]);
    let mut ours = all
        .iter()
        .filter(|one| one["spec"]["ingressClassName"] == CLASS);
    let ingress = ours.next().expect("the release has an Ingress");
    assert_eq!(text(ingress, "/spec/rules/0/host"), host(name));
    let (acceptor, inside) = (acceptor(stage, ingress), backend(stage, ingress));
    let outside = (stage.cluster().host().unwrap(), 0);
    let listener = stage.block_on(TcpListener::bind(outside)).unwrap();
    let address = listener.local_addr().unwrap();
    stage.apply(&service(name, address));
    stage.spawn(async move {
        let mut passing = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, inside) = (acceptor.clone(), inside.clone());
            // Who hangs up is no matter of the door's.
            passing.spawn(async move { pass(stream, &acceptor, &inside).await });
            while passing.try_join_next().is_some() {}
        }
    });
    address
}

/// Forwards a loopback port to an address of the cluster, until the stage ends.
pub(crate) fn pass_on(stage: &Stage, inside: &str) -> SocketAddr {
    let listener = stage.block_on(TcpListener::bind(("127.0.0.1", 0))).unwrap();
    let (address, inside) = (listener.local_addr().unwrap(), inside.to_owned());
    stage.spawn(async move {
        let mut passing = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let inside = inside.clone();
            passing.spawn(async move {
                let mut inside = TcpStream::connect(inside).await?;
                copy_bidirectional(&mut stream, &mut inside).await
            });
        }
    });
    address
}

fn service(name: &str, address: SocketAddr) -> [Value; 3] {
    let labels = json!({"kubernetes.io/service-name": name});
    let port = json!({"name": "https", "port": 443, "targetPort": address.port()});
    let endpoint = json!({"addresses": [address.ip()], "conditions": {"ready": true}});
    [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
        json!({"apiVersion": "v1", "kind": "Service",
            "metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"ports": [port]}}),
        json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels},
            "ports": [{"name": "https", "port": address.port()}], "endpoints": [endpoint]}),
    ]
}

/// Where the Service of an Ingress is.
fn backend(stage: &Stage, ingress: &Value) -> String {
    let backend = "/spec/rules/0/http/paths/0/backend/service";
    let name = text(ingress, &format!("{backend}/name"));
    let port = text(ingress, &format!("{backend}/port/name"));
    let service = stage.get(&[
        "service",
        name,
        "--namespace",
        text(ingress, "/metadata/namespace"),
    ]);
    let ports = service["spec"]["ports"].as_array().unwrap();
    let port = ports.iter().find(|known| known["name"] == port).unwrap();
    format!("{}:{}", text(&service, "/spec/clusterIP"), port["port"])
}

fn acceptor(stage: &Stage, ingress: &Value) -> TlsAcceptor {
    let name = text(ingress, "/spec/tls/0/secretName");
    let namespace = text(ingress, "/metadata/namespace");
    let file = |key| stage.secret(namespace, name, key);
    let chain = CertificateDer::from_pem_slice(&file("tls.crt")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&file("tls.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth();
    let mut config = config.with_single_cert(vec![chain], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

async fn pass(stream: TcpStream, acceptor: &TlsAcceptor, inside: &str) -> io::Result<()> {
    let mut outside = acceptor.accept(stream).await?;
    let mut inside = TcpStream::connect(inside).await?;
    copy_bidirectional(&mut outside, &mut inside).await?;
    Ok(())
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("{pointer}: {value}"))
}
