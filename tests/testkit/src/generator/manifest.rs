//! The manifests of a resource as JSON texts: what Git has, and what the cluster has.

use std::fmt::Write as _;

use super::{application::stamp, resource::Resource};

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Desired,
    Live,
}

/// The manifest of a resource.
pub(super) fn manifest(resource: &Resource<'_>, side: Side) -> String {
    let kind = resource.kind();
    let mut text = format!(
        r#"{{"apiVersion":"{}","kind":"{}",{},{}"#,
        kind.api_version(),
        kind.kind,
        metadata(resource, side),
        body(resource, side),
    );
    if side == Side::Live && resource.is_deployment() {
        push(&mut text, format_args!(",{}", deployment_status(resource)));
    }
    text.push('}');
    text
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more)
        .expect("a text takes whatever is written to it");
}

fn metadata(resource: &Resource<'_>, side: Side) -> String {
    let (kind, life) = (resource.kind(), resource.life);
    let (name, namespace) = (resource.name(), life.namespace());
    let mut text = format!(
        r#""metadata":{{"name":"{name}","namespace":"{namespace}","labels":{{"app.kubernetes.io/name":"{}","app.kubernetes.io/part-of":"{}","app.kubernetes.io/managed-by":"argocd"}},"annotations":{{"argocd.argoproj.io/tracking-id":"{}:{}/{}:{namespace}/{name}"}}"#,
        resource.component(),
        life.service(),
        life.name,
        kind.group,
        kind.kind,
    );
    if side == Side::Live {
        let (uid, generation) = (resource.uid(0), resource.touched());
        push(
            &mut text,
            format_args!(
                r#","uid":"{uid}","generation":{generation},"creationTimestamp":"{}""#,
                stamp(life.created)
            ),
        );
    }
    text.push('}');
    text
}

fn body(resource: &Resource<'_>, side: Side) -> String {
    match resource.kind().kind {
        "Deployment" => deployment(resource, side),
        "ConfigMap" => config(resource),
        "Service" => service(resource),
        "ServiceAccount" => r#""automountServiceAccountToken":false"#.to_owned(),
        "Ingress" => ingress(resource),
        "HorizontalPodAutoscaler" => autoscaler(resource),
        "NetworkPolicy" => policy(resource),
        "Secret" => r#""type":"Opaque","data":{"password":"++++++++","token":"++++++++"}"#.to_owned(),
        "Role" => r#""rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","watch"]},{"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["get","create","update"]}]"#.to_owned(),
        _ => binding(resource),
    }
}

fn selector(resource: &Resource<'_>) -> String {
    format!(
        r#"{{"app.kubernetes.io/name":"{}","app.kubernetes.io/part-of":"{}"}}"#,
        resource.component(),
        resource.life.service()
    )
}

fn deployment(resource: &Resource<'_>, side: Side) -> String {
    // what somebody changed by hand
    let replicas = if side == Side::Live && resource.is_drifted() {
        3
    } else {
        2
    };
    let (labels, name) = (selector(resource), resource.name());
    format!(
        r#""spec":{{"replicas":{replicas},"revisionHistoryLimit":5,"selector":{{"matchLabels":{labels}}},"strategy":{{"type":"RollingUpdate","rollingUpdate":{{"maxSurge":"25%","maxUnavailable":0}}}},"template":{{"metadata":{{"labels":{labels}}},"spec":{{"serviceAccountName":"{name}","securityContext":{{"runAsNonRoot":true,"seccompProfile":{{"type":"RuntimeDefault"}}}},"containers":[{{"name":"{}","image":"{}","imagePullPolicy":"IfNotPresent","envFrom":[{{"configMapRef":{{"name":"{name}"}}}}],"ports":[{{"name":"http","containerPort":8080,"protocol":"TCP"}}],"resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},"livenessProbe":{{"httpGet":{{"path":"/healthz","port":"http"}},"periodSeconds":10}},"readinessProbe":{{"httpGet":{{"path":"/readyz","port":"http"}},"periodSeconds":5}}}}]}}}}}}"#,
        resource.component(),
        resource.image(),
    )
}

fn deployment_status(resource: &Resource<'_>) -> String {
    let (ready, available) = match resource.trouble() {
        Some(_) => (1, "False"),
        None => (2, "True"),
    };
    let generation = resource.touched();
    format!(
        r#""status":{{"observedGeneration":{generation},"replicas":2,"updatedReplicas":2,"readyReplicas":{ready},"availableReplicas":{ready},"conditions":[{{"type":"Available","status":"{available}","reason":"MinimumReplicasAvailable"}},{{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"}}]}}"#
    )
}

fn config(resource: &Resource<'_>) -> String {
    let (service, stage) = (resource.life.service(), resource.life.stage());
    format!(
        r#""data":{{"LOG_LEVEL":"info","RELEASE":"{}","STAGE":"{stage}","DATABASE_HOST":"{service}-db.{stage}.svc","CACHE_TTL":"300","FEATURES":"fast-path,retries,{service}-v2"}}"#,
        resource.touched()
    )
}

fn service(resource: &Resource<'_>) -> String {
    format!(
        r#""spec":{{"type":"ClusterIP","selector":{},"ports":[{{"name":"http","port":80,"targetPort":"http","protocol":"TCP"}}]}}"#,
        selector(resource)
    )
}

fn ingress(resource: &Resource<'_>) -> String {
    let (name, host) = (resource.name(), &resource.life.name);
    format!(
        r#""spec":{{"ingressClassName":"nginx","tls":[{{"hosts":["{host}.example.com"],"secretName":"{name}-tls"}}],"rules":[{{"host":"{host}.example.com","http":{{"paths":[{{"path":"/","pathType":"Prefix","backend":{{"service":{{"name":"{name}","port":{{"name":"http"}}}}}}}}]}}}}]}}"#
    )
}

fn autoscaler(resource: &Resource<'_>) -> String {
    format!(
        r#""spec":{{"minReplicas":2,"maxReplicas":10,"scaleTargetRef":{{"apiVersion":"apps/v1","kind":"Deployment","name":"{}"}},"metrics":[{{"type":"Resource","resource":{{"name":"cpu","target":{{"type":"Utilization","averageUtilization":70}}}}}}]}}"#,
        resource.name()
    )
}

fn policy(resource: &Resource<'_>) -> String {
    format!(
        r#""spec":{{"podSelector":{{"matchLabels":{}}},"policyTypes":["Ingress"],"ingress":[{{"from":[{{"namespaceSelector":{{"matchLabels":{{"kubernetes.io/metadata.name":"ingress"}}}}}}],"ports":[{{"port":8080,"protocol":"TCP"}}]}}]}}"#,
        selector(resource)
    )
}

fn binding(resource: &Resource<'_>) -> String {
    let (name, namespace) = (resource.name(), resource.life.namespace());
    format!(
        r#""roleRef":{{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"{name}"}},"subjects":[{{"kind":"ServiceAccount","name":"{name}","namespace":"{namespace}"}}]"#
    )
}
