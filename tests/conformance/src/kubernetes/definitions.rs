//! Custom kinds: definition, objects, removal.

use http::Method;
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{DEFINITIONS, Widgets, definition, group, widget},
    target::{World, names, text},
};

pub(crate) async fn a_definition_is_established_and_then_served(world: &World) {
    let widgets = Widgets::install(world).await;
    let is_established = |definition: &Value| {
        let conditions = definition["status"]["conditions"].as_array();
        conditions
            .into_iter()
            .flatten()
            .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
    };
    let definition = world
        .until(&widgets.definition, |answer| is_established(&answer.body))
        .await
        .body;
    let conditions = definition["status"]["conditions"].as_array().unwrap();
    let reasons: Vec<_> = conditions
        .iter()
        .map(|condition| (text(&condition["type"]), text(&condition["reason"])))
        .collect();
    assert!(
        reasons.contains(&("NamesAccepted".to_owned(), "NoConflicts".to_owned())),
        "{reasons:?}"
    );
    assert!(
        reasons.contains(&("Established".to_owned(), "InitialNamesAccepted".to_owned())),
        "{reasons:?}"
    );
    let names = json!({ "plural": "widgets", "singular": "widget", "shortNames": ["wd"], "kind": "Widget", "listKind": "WidgetList" });
    assert_eq!(definition["status"]["acceptedNames"], names);
    assert_eq!(definition["spec"]["names"], names);
    assert_eq!(definition["status"]["storedVersions"], json!(["v1"]));
    assert_eq!(
        definition["spec"]["conversion"],
        json!({ "strategy": "None" })
    );
}

pub(crate) async fn a_custom_kind_is_in_discovery(world: &World) {
    let widgets = Widgets::install(world).await;
    let group = world
        .until(&format!("/apis/{}", widgets.group), |answer| {
            answer.status == 200
        })
        .await
        .body;
    let version = json!({ "groupVersion": widgets.api_version(), "version": "v1" });
    assert_eq!(
        (&group["kind"], &group["name"]),
        (&json!("APIGroup"), &json!(widgets.group))
    );
    assert_eq!(
        (&group["versions"], &group["preferredVersion"]),
        (&json!([version]), &version)
    );
    let kinds = world
        .get(&format!("/apis/{}", widgets.api_version()))
        .await
        .ok();
    let resources = kinds["resources"].as_array().unwrap();
    let of = |name: &str| {
        resources
            .iter()
            .find(|resource| resource["name"] == name)
            .unwrap()
    };
    let kind = of("widgets");
    assert_eq!(
        (&kind["singularName"], &kind["namespaced"], &kind["kind"]),
        (&json!("widget"), &json!(true), &json!("Widget"))
    );
    assert_eq!(kind["shortNames"], json!(["wd"]));
    let verbs_of_kind = verbs(kind);
    for verb in [
        "create", "delete", "get", "list", "patch", "update", "watch",
    ] {
        assert!(verbs_of_kind.contains(&verb.to_owned()), "{verb}");
    }
    assert_eq!(verbs(of("widgets/status")), ["get", "patch", "update"]);
}

pub(crate) async fn a_custom_object_says_its_kind(world: &World) {
    let widgets = Widgets::install(world).await;
    let kindless = json!({ "metadata": { "name": "a" }, "spec": { "size": 1 } });
    world
        .post(&widgets.path, &kindless)
        .await
        .refused(400, "BadRequest");
    let mut other = widget(&widgets, "a");
    other["apiVersion"] = json!(format!("{}/v9", widgets.group));
    let refused = world
        .post(&widgets.path, &other)
        .await
        .refused(400, "BadRequest");
    assert_eq!(
        refused["message"],
        format!(
            "the API version in the data ({0}/v9) does not match the expected API version ({0}/v1)",
            widgets.group
        )
    );
}

pub(crate) async fn status_and_generation_are_apart_where_the_definition_says_so(world: &World) {
    let widgets = Widgets::install(world).await;
    let path = format!("{}/a", widgets.path);
    let mut with_status = widget(&widgets, "a");
    with_status["status"] = json!({ "ready": true });
    let made = world.create(&widgets.path, &with_status).await;
    assert_eq!(
        (made.get("status"), &made["metadata"]["generation"]),
        (None, &json!(1))
    );
    let both = json!({ "spec": { "size": 9 }, "status": { "ready": true }, "metadata": { "labels": { "l": "1" } } });
    let reported = world.merge(&format!("{path}/status"), &both).await.ok();
    assert_eq!(
        (&reported["spec"]["size"], &reported["status"]["ready"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(
        (
            &reported["metadata"]["generation"],
            reported["metadata"].get("labels")
        ),
        (&json!(1), None)
    );
    let changed = world
        .merge(
            &path,
            &json!({ "spec": { "size": 3 }, "status": { "ready": false } }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &changed["status"]["ready"],
            &changed["metadata"]["generation"]
        ),
        (&json!(true), &json!(2))
    );
    let labelled = world
        .merge(&path, &json!({ "metadata": { "labels": { "l": "1" } } }))
        .await
        .ok();
    assert_eq!(labelled["metadata"]["generation"], 2);
}

pub(crate) async fn status_is_a_field_like_others_where_the_definition_says_nothing(world: &World) {
    let widgets = Widgets::install_with(world, &json!({ "subresources": {} })).await;
    let path = format!("{}/a", widgets.path);
    let mut with_status = widget(&widgets, "a");
    with_status["status"] = json!({ "ready": true });
    let made = world.create(&widgets.path, &with_status).await;
    assert_eq!(
        (&made["status"]["ready"], &made["metadata"]["generation"]),
        (&json!(true), &json!(1))
    );
    let changed = world
        .merge(&path, &json!({ "status": { "ready": false } }))
        .await
        .ok();
    assert_eq!(
        (
            &changed["status"]["ready"],
            &changed["metadata"]["generation"]
        ),
        (&json!(false), &json!(2))
    );
    let annotated = world
        .merge(
            &path,
            &json!({ "metadata": { "annotations": { "a": "b" } } }),
        )
        .await
        .ok();
    assert_eq!(annotated["metadata"]["generation"], 2);
    let refused = world
        .merge(
            &format!("{path}/status"),
            &json!({ "status": { "ready": true } }),
        )
        .await;
    let refused = refused.refused(404, "NotFound");
    assert_eq!(
        refused["message"],
        format!("widgets.{} \"a\" not found", widgets.group)
    );
}

pub(crate) async fn a_second_version_shows_the_same_objects(world: &World) {
    let group = group();
    let mut two = definition(&group, &json!({}));
    let mut second = two["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    second["storage"] = json!(false);
    two["spec"]["versions"].as_array_mut().unwrap().push(second);
    world.create(DEFINITIONS, &two).await;
    let first = world.path(&format!("{group}/v1"), "widgets");
    let second = world.path(&format!("{group}/v2"), "widgets");
    world.until(&second, |answer| answer.status == 200).await;
    let object = json!({ "apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": { "name": "a" }, "spec": { "size": 1 } });
    world.until(&first, |answer| answer.status == 200).await;
    world.create(&first, &object).await;
    let seen = world.get(&format!("{second}/a")).await.ok();
    assert_eq!(seen["apiVersion"], format!("{group}/v2"));
    assert_eq!(seen["spec"]["size"], 1);
    let discovered = world
        .until(&format!("/apis/{group}"), |answer| answer.status == 200)
        .await
        .body;
    assert_eq!(
        discovered["preferredVersion"]["version"], "v2",
        "the higher version is preferred, whichever is stored"
    );
}

pub(crate) async fn a_cluster_wide_kind_has_no_namespace(world: &World) {
    let group = group();
    let mut wide = definition(&group, &json!({}));
    wide["spec"]["scope"] = json!("Cluster");
    world.create(DEFINITIONS, &wide).await;
    let path = format!("/apis/{group}/v1/widgets");
    world.until(&path, |answer| answer.status == 200).await;
    let object = json!({ "apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": { "name": "a" }, "spec": { "size": 1 } });
    let made = world.create(&path, &object).await;
    assert_eq!(made["metadata"].get("namespace"), None);
    let below = format!("/apis/{group}/v1/namespaces/{}/widgets", world.namespace());
    let answer = world.get(&below).await;
    assert_eq!(
        (answer.status, answer.text.as_str()),
        (404, "404 page not found\n")
    );
}

pub(crate) async fn a_definition_that_contradicts_itself_is_refused(world: &World) {
    let group = group();
    let mut misnamed = definition(&group, &json!({}));
    misnamed["metadata"]["name"] = json!(format!("other.{group}"));
    let mut schemaless = definition(&group, &json!({}));
    schemaless["spec"]["versions"][0]
        .as_object_mut()
        .unwrap()
        .remove("schema");
    for (wrong, field) in [
        (misnamed, "metadata.name"),
        (schemaless, "spec.versions[0].schema.openAPIV3Schema"),
        (
            definition(&group, &json!({ "storage": false })),
            "spec.versions",
        ),
    ] {
        let refused = world
            .post(DEFINITIONS, &wrong)
            .await
            .refused(422, "Invalid");
        assert_eq!(refused["details"]["causes"][0]["field"], field, "{refused}");
        assert_eq!(refused["details"]["group"], "apiextensions.k8s.io");
        let message = text(&refused["message"]);
        assert!(
            message.starts_with("CustomResourceDefinition.apiextensions.k8s.io \""),
            "{message}"
        );
    }
}

pub(crate) async fn a_kind_goes_with_its_definition(world: &World) {
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let marked = world.delete(&widgets.definition).await.ok();
    assert_eq!(marked["kind"], "CustomResourceDefinition");
    assert_eq!(
        marked["metadata"]["finalizers"],
        json!(["customresourcecleanup.apiextensions.k8s.io"])
    );
    world
        .until(&widgets.definition, |answer| answer.status == 404)
        .await;
    world
        .until(&widgets.path, |answer| answer.status == 404)
        .await;
}

pub(crate) async fn an_unknown_endpoint_of_an_object_is_not_found(world: &World) {
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    for endpoint in ["scale", "bogus"] {
        let answer = world.get(&format!("{}/a/{endpoint}", widgets.path)).await;
        let refused = answer.refused(404, "NotFound");
        assert_eq!(
            refused["details"],
            json!({ "name": "a", "group": widgets.group, "kind": "widgets" })
        );
    }
}

pub(crate) async fn definitions_are_listed_and_the_kind_is_empty_at_first(world: &World) {
    let widgets = Widgets::install(world).await;
    let list = world.request(Method::GET, DEFINITIONS).send().await.ok();
    assert!(names(&list).contains(&format!("widgets.{}", widgets.group)));
    assert_eq!(
        names(&world.get(&widgets.path).await.ok()),
        Vec::<String>::new()
    );
}

fn verbs(resource: &Value) -> Vec<String> {
    let mut verbs: Vec<_> = resource["verbs"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    verbs.sort();
    verbs
}
