//! The defaults and checks of built-in kinds that controllers and clients rely on.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::{
    super::{object::metadata_text, refusal::Refusal, resource::Resource},
    fallback, put_or_remove, spec,
};

pub(super) fn fill(resource: &Resource, value: &mut Value) {
    match &*resource.id {
        "namespaces" => fill_namespace(value),
        "secrets" => fill_secret(value),
        "pods" => fill_pod(value),
        "deployments.apps" => fill_deployment(value),
        "replicasets.apps" => {
            fallback(spec(value), "replicas", 1);
            fill_template(value);
        }
        _ => {}
    }
}

/// Values that the server chose once stay when a writer leaves them out.
pub(super) fn keep_allocated(resource: &Resource, old: &Value, value: &mut Value) {
    let kept: &[&str] = match &*resource.id {
        "pods" => &["nodeName"],
        _ => &[],
    };
    for field in kept {
        if value["spec"][*field].is_null() && !old["spec"][*field].is_null() {
            put_or_remove(spec(value), field, Some(old["spec"][*field].clone()));
        }
    }
}

/// Rejects values that the types of a built-in kind do not allow.
///
/// # Errors
/// `BadRequest`, as for a body that cannot be read.
pub(super) fn check_types(resource: &Resource, value: &Value) -> Result<(), Refusal> {
    let kind = &resource.kind;
    let wrong = |why: &str| {
        Err(Refusal::bad_request(format!(
            "{kind} in version \"v1\" cannot be handled as a {kind}: {why}"
        )))
    };
    if !matches!(&*resource.id, "configmaps" | "secrets") {
        return Ok(());
    }
    for text in value["data"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, text)| text)
    {
        let Some(text) = text.as_str() else {
            return wrong("json: cannot unmarshal into Go struct field .data of type string");
        };
        if &*resource.id == "secrets" && STANDARD.decode(text).is_err() {
            return wrong("illegal base64 data");
        }
    }
    Ok(())
}

pub(super) fn check(resource: &Resource, value: &Value, causes: &mut Vec<(String, String)>) {
    if !matches!(&*resource.id, "deployments.apps" | "replicasets.apps") {
        return;
    }
    let selector = value
        .pointer("/spec/selector/matchLabels")
        .and_then(Value::as_object);
    let labels = value
        .pointer("/spec/template/metadata/labels")
        .and_then(Value::as_object);
    let Some(selector) = selector else {
        if value.pointer("/spec/selector/matchExpressions").is_none() {
            causes.push(("spec.selector".to_owned(), "Required value".to_owned()));
        }
        return;
    };
    if selector
        .iter()
        .any(|(key, wanted)| labels.and_then(|labels| labels.get(key)) != Some(wanted))
    {
        let labels = labels.map_or_else(|| json!({}), |labels| json!(labels));
        let why = format!("Invalid value: {labels}: `selector` does not match template `labels`");
        causes.push(("spec.template.metadata.labels".to_owned(), why));
    }
    if value
        .pointer("/spec/template/spec/containers")
        .and_then(Value::as_array)
        .is_none_or(Vec::is_empty)
    {
        causes.push((
            "spec.template.spec.containers".to_owned(),
            "Required value".to_owned(),
        ));
    }
}

fn fill_namespace(value: &mut Value) {
    let name = metadata_text(value, "name").to_owned();
    fallback(spec(value), "finalizers", json!(["kubernetes"]));
    fallback(&mut value["metadata"], "labels", json!({}));
    fallback(
        &mut value["metadata"]["labels"],
        "kubernetes.io/metadata.name",
        name,
    );
    fallback(value, "status", json!({ "phase": "Active" }));
}

/// An address that depends on the name only, so that a restart gives the same.
pub(super) fn address_in(prefix: &str, place: &str) -> String {
    let sum = place.bytes().fold(0xcbf2_9ce4_u32, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let [_, _, third, fourth] = sum.to_be_bytes();
    format!("{prefix}.{third}.{}", fourth.max(1))
}

fn fill_secret(value: &mut Value) {
    fallback(value, "type", "Opaque");
    let Some(Value::Object(plain)) = value
        .as_object_mut()
        .and_then(|object| object.remove("stringData"))
    else {
        return;
    };
    fallback(value, "data", json!({}));
    let encoded: Map<String, Value> = plain
        .into_iter()
        .filter_map(|(key, text)| Some((key, Value::from(STANDARD.encode(text.as_str()?)))))
        .collect();
    if let Some(data) = value["data"].as_object_mut() {
        data.extend(encoded);
    }
}

fn fill_pod(value: &mut Value) {
    let since = metadata_text(value, "creationTimestamp").to_owned();
    let address = address_in("10.244", metadata_text(value, "uid"));
    let spec = spec(value);
    fill_pod_spec(spec);
    fallback(spec, "nodeName", "sandbox-node");
    let waiting = |container: &Value| {
        json!({
            "name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0, "ready": false,
            "started": false, "state": { "waiting": { "reason": "ContainerCreating" } }, "lastState": {},
        })
    };
    let containers: Vec<Value> = spec["containers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(waiting)
        .collect();
    let condition = |kind: &str, state: &str| json!({ "type": kind, "status": state, "lastTransitionTime": since });
    let status = json!({
        "phase": "Pending", "qosClass": "BestEffort", "hostIP": "127.0.0.1", "podIP": address,
        "podIPs": [{ "ip": address }], "startTime": since, "containerStatuses": containers,
        "conditions": [
            condition("PodScheduled", "True"), condition("Initialized", "True"),
            condition("ContainersReady", "False"), condition("Ready", "False"),
        ],
    });
    fallback(value, "status", status);
}

fn fill_pod_spec(spec: &mut Value) {
    fallback(spec, "restartPolicy", "Always");
    fallback(spec, "dnsPolicy", "ClusterFirst");
    fallback(spec, "schedulerName", "default-scheduler");
    fallback(spec, "terminationGracePeriodSeconds", 30);
    for container in spec
        .get_mut("containers")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        fallback(container, "imagePullPolicy", "IfNotPresent");
        for port in container
            .get_mut("ports")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            fallback(port, "protocol", "TCP");
        }
    }
}

/// The pods of a template have the defaults of pods.
fn fill_template(value: &mut Value) {
    if value["spec"]["template"]["spec"].is_object() {
        fill_pod_spec(&mut value["spec"]["template"]["spec"]);
    }
}

fn fill_deployment(value: &mut Value) {
    fill_template(value);
    let spec = spec(value);
    fallback(spec, "replicas", 1);
    fallback(spec, "progressDeadlineSeconds", 600);
    fallback(spec, "revisionHistoryLimit", 10);
    fallback(
        spec,
        "strategy",
        json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } }),
    );
}
