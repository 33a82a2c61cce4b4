//! What calls come in by.

use serde_json::Value;

use super::{Access, InstallationArgs, finding::Finding, kube::Kube};

const CHECK: &str = "access";

pub(super) async fn check(kube: &Kube, args: &InstallationArgs) -> Vec<Finding> {
    vec![match args.access {
        Access::Tunnel => Finding::ok(CHECK, "by the tunnel: no port is opened"),
        Access::Url => Finding::ok(CHECK, "by an address of yours, which is not looked at here"),
        Access::Ingress => ingress(kube, args.ingress_class.as_deref()).await,
        Access::HttpRoute => gateway(kube, args.gateway.as_deref()).await,
    }]
}

async fn ingress(kube: &Kube, class: Option<&str>) -> Finding {
    let why = "without a controller of its class the Ingress is not served";
    let listed = kube.get("/apis/networking.k8s.io/v1/ingressclasses").await;
    let classes = match listed {
        Ok(classes) => classes.unwrap_or_default(),
        Err(error) => {
            let what = format!("ingress classes cannot be listed: {}", error.text());
            let todo = "ask 'kubectl get ingressclass' with more rights";
            return Finding::unknown(CHECK, what, (why, todo));
        }
    };
    let classes = classes["items"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let name = |class: &Value| {
        class["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let names: Vec<String> = classes.iter().map(name).collect();
    let there = if names.is_empty() {
        "there is none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    let default = "ingressclass.kubernetes.io/is-default-class";
    let is_default = |class: &&Value| class["metadata"]["annotations"][default] == "true";
    match class {
        Some(class) if names.iter().any(|name| name == class) => {
            Finding::ok(CHECK, format!("the ingress class {class} is there"))
        }
        Some(class) => {
            let todo = format!("name one with --ingress-class; {there}");
            Finding::fail(
                CHECK,
                format!("there is no ingress class {class}"),
                (why, todo),
            )
        }
        None => match classes.iter().find(is_default) {
            Some(class) => Finding::ok(
                CHECK,
                format!("the default ingress class is {}", name(class)),
            ),
            None => {
                let todo = format!("name one with --ingress-class; {there}");
                // Some controllers take what names no class, or what names one by an annotation.
                Finding::warn(CHECK, "no ingress class is the default one", (why, todo))
            }
        },
    }
}

async fn gateway(kube: &Kube, gateway: Option<&str>) -> Finding {
    let why = "a route without its Gateway leads nowhere";
    let Some((namespace, name)) = gateway.and_then(|it| it.split_once('/')) else {
        let what = "no Gateway is named";
        return Finding::fail(CHECK, what, (why, "name one with --gateway NAMESPACE/NAME"));
    };
    let path = format!("/apis/gateway.networking.k8s.io/v1/namespaces/{namespace}/gateways/{name}");
    match kube.get(&path).await {
        Ok(Some(found)) if is_programmed(&found) => Finding::ok(
            CHECK,
            format!("the Gateway {namespace}/{name} is there and programmed"),
        ),
        Ok(Some(_)) => {
            let what = format!("the Gateway {namespace}/{name} is there and not programmed");
            let todo = format!("see 'kubectl describe gateway -n {namespace} {name}'");
            Finding::warn(CHECK, what, (why, todo))
        }
        Ok(None) => {
            let what = format!("there is no Gateway {namespace}/{name}, or no Gateway API");
            let todo = "make it, or name another one with --gateway NAMESPACE/NAME";
            Finding::fail(CHECK, what, (why, todo))
        }
        Err(error) => {
            let what = format!("Gateways cannot be read: {}", error.text());
            let todo = "ask 'kubectl get gateway -A' with more rights";
            Finding::unknown(CHECK, what, (why, todo))
        }
    }
}

fn is_programmed(gateway: &Value) -> bool {
    let conditions = gateway["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|it| it["type"] == "Programmed" && it["status"] == "True")
}
