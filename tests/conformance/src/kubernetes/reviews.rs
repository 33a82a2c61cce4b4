//! Questions about identities and permissions, and tokens for service accounts.

use http::Method;
use serde_json::json;

use crate::target::{World, text};

const ACCESS: &str = "/apis/authorization.k8s.io/v1";
const TOKENS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";

pub(crate) async fn an_administrator_may_do_everything(world: &World) {
    let asked = json!({ "spec": { "resourceAttributes": { "verb": "create", "resource": "pods", "namespace": world.namespace() } } });
    let review = world
        .create(&format!("{ACCESS}/selfsubjectaccessreviews"), &asked)
        .await;
    assert_eq!(review["kind"], "SelfSubjectAccessReview");
    assert_eq!(review["spec"], asked["spec"]);
    assert_eq!(review["status"], json!({ "allowed": true }));
    let other = json!({ "spec": { "user": "jane", "groups": ["system:masters"], "resourceAttributes": { "verb": "delete", "resource": "nodes" } } });
    let review = world
        .create(&format!("{ACCESS}/subjectaccessreviews"), &other)
        .await;
    assert_eq!(
        (&review["kind"], &review["status"]["allowed"]),
        (&json!("SubjectAccessReview"), &json!(true))
    );
}

pub(crate) async fn an_access_review_must_name_somebody(world: &World) {
    let asked =
        json!({ "spec": { "resourceAttributes": { "verb": "create", "resource": "pods" } } });
    let refused = world
        .post(&format!("{ACCESS}/subjectaccessreviews"), &asked)
        .await
        .refused(422, "Invalid");
    assert_eq!(refused["details"]["causes"][0]["field"], "spec.user");
}

pub(crate) async fn somebody_without_a_role_may_not(world: &World) {
    let asked = json!({ "spec": { "user": "nobody", "resourceAttributes": { "verb": "create", "resource": "pods", "namespace": world.namespace() } } });
    let review = world
        .create(&format!("{ACCESS}/subjectaccessreviews"), &asked)
        .await;
    assert_eq!(review["status"]["allowed"], false, "{review}");
}

pub(crate) async fn rules_are_told_in_full_to_who_asks(world: &World) {
    let asked = json!({ "spec": { "namespace": world.namespace() } });
    let review = world
        .create(&format!("{ACCESS}/selfsubjectrulesreviews"), &asked)
        .await;
    assert_eq!(review["status"]["incomplete"], false);
    let all = json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] });
    assert!(
        review["status"]["resourceRules"]
            .as_array()
            .unwrap()
            .contains(&all),
        "{review}"
    );
}

pub(crate) async fn a_token_says_whose_it_is(world: &World) {
    let review = world
        .create(TOKENS, &json!({ "spec": { "token": world.token() } }))
        .await;
    let status = &review["status"];
    assert_eq!(status["authenticated"], true);
    let groups = status["user"]["groups"].as_array().unwrap();
    assert!(
        groups.contains(&json!("system:masters"))
            && groups.contains(&json!("system:authenticated")),
        "{review}"
    );
    let own = world
        .create(
            "/apis/authentication.k8s.io/v1/selfsubjectreviews",
            &json!({}),
        )
        .await;
    assert_eq!(
        own["status"]["userInfo"]["username"],
        status["user"]["username"]
    );
}

pub(crate) async fn a_wrong_token_is_nobodys(world: &World) {
    let review = world
        .create(TOKENS, &json!({ "spec": { "token": "wrong" } }))
        .await;
    assert_eq!(review["status"].get("authenticated"), None, "{review}");
    assert_eq!(review["status"]["user"], json!({}));
    assert_eq!(review["status"]["error"], "invalid bearer token");
}

pub(crate) async fn a_service_account_gets_tokens(world: &World) {
    if world.differs("tokens") {
        return;
    }
    let token = world.service_account("robot").await;
    let user = format!("system:serviceaccount:{}:robot", world.namespace());
    let review = world
        .create(TOKENS, &json!({ "spec": { "token": token } }))
        .await;
    assert_eq!(review["status"]["user"]["username"], user);
    let request = world
        .request(Method::POST, &format!("{ACCESS}/selfsubjectaccessreviews"))
        .token(Some(&token));
    let asked = json!({ "spec": { "resourceAttributes": { "verb": "list", "resource": "pods", "namespace": world.namespace() } } });
    assert_eq!(
        request.json(&asked).send().await.ok()["status"]["allowed"],
        false
    );
    let path = format!("{}/robot/token", world.path("v1", "serviceaccounts"));
    let bound = world
        .create(
            &path,
            &json!({ "spec": { "audiences": ["elsewhere"], "expirationSeconds": 600 } }),
        )
        .await;
    assert_eq!(bound["spec"]["expirationSeconds"], 600);
    assert_ne!(text(&bound["status"]["expirationTimestamp"]), "");
    let elsewhere = text(&bound["status"]["token"]);
    let review = world
        .create(
            TOKENS,
            &json!({ "spec": { "token": elsewhere, "audiences": ["elsewhere"] } }),
        )
        .await;
    assert_eq!(review["status"]["audiences"], json!(["elsewhere"]));
    world
        .request(Method::GET, "/api/v1/namespaces")
        .token(Some(&elsewhere))
        .send()
        .await
        .refused(401, "Unauthorized");
    let short = world
        .post(&path, &json!({ "spec": { "expirationSeconds": 5 } }))
        .await
        .refused(422, "Invalid");
    assert_eq!(
        short["details"]["causes"][0]["message"],
        "Invalid value: 5: may not specify a duration less than 10 minutes"
    );
    let absent = format!("{}/absent/token", world.path("v1", "serviceaccounts"));
    world
        .post(&absent, &json!({ "spec": {} }))
        .await
        .refused(404, "NotFound");
}
