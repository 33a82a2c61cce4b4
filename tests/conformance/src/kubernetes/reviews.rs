//! Access reviews of the caller's own permissions.

use serde_json::json;

use crate::target::World;

const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

pub(crate) async fn an_administrator_may_do_everything(world: &World) {
    let request = json!({ "spec": { "resourceAttributes": { "verb": "create", "resource": "pods", "namespace": world.namespace() } } });
    let review = world.create(REVIEWS, &request).await;
    assert_eq!(review["kind"], "SelfSubjectAccessReview");
    assert_eq!(review["spec"], request["spec"]);
    assert_eq!(review["status"], json!({ "allowed": true }));
}
