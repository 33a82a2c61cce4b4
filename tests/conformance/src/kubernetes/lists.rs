//! Lists: revisions, pages, selectors.

use serde_json::json;

use crate::{
    kubernetes::widgets::Widgets,
    target::{NO_REVISION, World, config_map, names, revision, text},
};

pub(crate) async fn a_list_has_its_kind_and_revision_and_items_have_no_kind_of_their_own(
    world: &World,
) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("one", json!({ "k": "v" })))
        .await;
    let kind = |value: &serde_json::Value| (text(&value["kind"]), text(&value["apiVersion"]));
    assert_eq!(kind(&made), ("ConfigMap".to_owned(), "v1".to_owned()));
    let list = world.get(&path).await.ok();
    assert_eq!(kind(&list), ("ConfigMapList".to_owned(), "v1".to_owned()));
    assert_eq!(list["items"][0]["data"], json!({ "k": "v" }));
    assert_eq!(list["items"][0].get("kind"), None, "{list}");
    assert_eq!(list["items"][0].get("apiVersion"), None, "{list}");
    assert!(revision(&list) >= revision(&made));
}

pub(crate) async fn items_of_a_custom_kind_carry_their_kind(world: &World) {
    let widgets = Widgets::install(world).await;
    world
        .create(&widgets.path, &widgets.object("one", json!({ "size": 1 })))
        .await;
    let list = world.get(&widgets.path).await.ok();
    assert_eq!(list["kind"], "WidgetList");
    assert_eq!(list["metadata"]["continue"], "", "it is said, too");
    assert_eq!(list["items"][0]["kind"], "Widget");
    assert_eq!(list["items"][0]["apiVersion"], widgets.api_version());
}

pub(crate) async fn an_empty_list_has_an_empty_list_of_items(world: &World) {
    let list = world.get(&world.path("v1", "configmaps")).await.ok();
    assert_eq!(list["items"], json!([]));
    assert!(revision(&list) > 0);
}

pub(crate) async fn labels_select(world: &World) {
    let path = world.path("v1", "configmaps");
    for (name, labels) in [
        ("a", json!({ "app": "web", "tier": "1" })),
        ("b", json!({ "app": "api" })),
        ("c", json!({})),
    ] {
        world
            .create(
                &path,
                &json!({ "metadata": { "name": name, "labels": labels } }),
            )
            .await;
    }
    for (selector, expected) in [
        ("app=web", &["a"][..]),
        ("app==web", &["a"]),
        ("app!=web", &["b", "c"]),
        ("app in (web,api)", &["a", "b"]),
        ("app notin (web)", &["b", "c"]),
        ("app", &["a", "b"]),
        ("!app", &["c"]),
        ("app,tier=1", &["a"]),
        ("app=web,tier=2", &[]),
    ] {
        let list = world
            .get(&format!("{path}?labelSelector={}", encoded(selector)))
            .await
            .ok();
        assert_eq!(names(&list), expected, "{selector}");
    }
}

pub(crate) async fn fields_select_by_what_the_kind_allows(world: &World) {
    let path = world.path("v1", "configmaps");
    for name in ["a", "b"] {
        world.create(&path, &config_map(name, json!({}))).await;
    }
    for (selector, expected) in [
        ("metadata.name=a", &["a"][..]),
        ("metadata.name!=a", &["b"]),
        ("metadata.name=a,metadata.namespace=elsewhere", &[]),
    ] {
        let list = world
            .get(&format!("{path}?fieldSelector={}", encoded(selector)))
            .await
            .ok();
        assert_eq!(names(&list), expected, "{selector}");
    }
    let unknown = world.get(&format!("{path}?fieldSelector=data.x%3D1")).await;
    let refused = unknown.refused(400, "BadRequest");
    assert!(text(&refused["message"]).contains("data.x"), "{refused}");
    let pods = world.path("v1", "pods");
    for known in [
        "status.phase",
        "spec.nodeName",
        "spec.restartPolicy",
        "status.podIP",
    ] {
        world
            .get(&format!("{pods}?fieldSelector={known}%3Dx"))
            .await
            .ok();
    }
    let secrets = world.path("v1", "secrets");
    world
        .get(&format!("{secrets}?fieldSelector=type%3DOpaque"))
        .await
        .ok();
    let events = world.path("v1", "events");
    world
        .get(&format!(
            "{events}?fieldSelector=involvedObject.name%3Dx,reason%3Dy"
        ))
        .await
        .ok();
}

pub(crate) async fn a_custom_kind_is_selected_by_its_name_only(world: &World) {
    let widgets = Widgets::install(world).await;
    world
        .create(&widgets.path, &widgets.object("a", json!({ "size": 1 })))
        .await;
    let found = world
        .get(&format!("{}?fieldSelector=metadata.name%3Da", widgets.path))
        .await
        .ok();
    assert_eq!(names(&found), ["a"]);
    let refused = world
        .get(&format!("{}?fieldSelector=spec.size%3D1", widgets.path))
        .await;
    let refused = refused.refused(400, "BadRequest");
    assert_eq!(refused["message"], "field label not supported: spec.size");
}

pub(crate) async fn a_selector_that_cannot_be_read_is_refused(world: &World) {
    let path = world.path("v1", "configmaps");
    for selector in [
        "labelSelector=a%3D%3D%3D",
        "labelSelector=in%20(",
        "fieldSelector=bogus",
    ] {
        let answer = world.get(&format!("{path}?{selector}")).await;
        answer.refused(400, "BadRequest");
    }
}

pub(crate) async fn pages_show_one_revision_whatever_is_written_between_them(world: &World) {
    let path = world.path("v1", "configmaps");
    for name in ["a", "b", "c", "d"] {
        world
            .create(&path, &config_map(name, json!({ "v": "old" })))
            .await;
    }
    let first = world.get(&format!("{path}?limit=2")).await.ok();
    assert_eq!(first["metadata"]["remainingItemCount"], 2);
    world
        .merge(&format!("{path}/c"), &json!({ "data": { "v": "new" } }))
        .await
        .ok();
    world.delete(&format!("{path}/d")).await.ok();
    world.create(&path, &config_map("e", json!({}))).await;
    let token = text(&first["metadata"]["continue"]);
    let second = world
        .get(&format!("{path}?limit=2&continue={token}"))
        .await
        .ok();
    assert_eq!(names(&second), ["c", "d"]);
    assert_eq!(second["items"][0]["data"]["v"], "old");
    assert_eq!(revision(&second), revision(&first));
    assert_eq!(text(&second["metadata"]["continue"]), "");
    assert_eq!(second["metadata"].get("remainingItemCount"), None);
}

pub(crate) async fn a_page_of_a_selection_does_not_say_how_many_are_left(world: &World) {
    let path = world.path("v1", "configmaps");
    for name in ["a", "b"] {
        let labelled = json!({ "metadata": { "name": name, "labels": { "app": "web" } } });
        world.create(&path, &labelled).await;
    }
    let page = world
        .get(&format!("{path}?limit=1&labelSelector=app%3Dweb"))
        .await
        .ok();
    assert_eq!(names(&page), ["a"]);
    assert_eq!(page["metadata"].get("remainingItemCount"), None);
    let token = text(&page["metadata"]["continue"]);
    let rest = format!("{path}?limit=1&labelSelector=app%3Dweb&continue={token}");
    assert_eq!(names(&world.get(&rest).await.ok()), ["b"]);
}

pub(crate) async fn a_limit_does_not_hold_where_any_revision_will_do(world: &World) {
    let path = world.path("v1", "configmaps");
    for name in ["a", "b"] {
        world.create(&path, &config_map(name, json!({}))).await;
    }
    let list = world
        .get(&format!("{path}?limit=1&resourceVersion=0"))
        .await
        .ok();
    assert_eq!(names(&list), ["a", "b"]);
    assert_eq!(text(&list["metadata"]["continue"]), "");
}

pub(crate) async fn an_unreadable_continue_token_is_refused(world: &World) {
    let path = world.path("v1", "configmaps");
    let answer = world.get(&format!("{path}?limit=1&continue=xx")).await;
    let refused = answer.refused(400, "BadRequest");
    assert!(
        text(&refused["message"]).contains("continue key is not valid"),
        "{refused}"
    );
}

pub(crate) async fn an_exact_revision_that_is_forgotten_is_gone(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world.create(&path, &config_map("a", json!({}))).await;
    world.forget(&path, revision(&made)).await;
    let exact = format!(
        "{path}?resourceVersionMatch=Exact&resourceVersion={}",
        revision(&made)
    );
    world.get(&exact).await.refused(410, "Expired");
}

pub(crate) async fn an_exact_old_revision_is_shown_as_it_was(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("a", json!({ "v": "1" })))
        .await;
    world
        .merge(&format!("{path}/a"), &json!({ "data": { "v": "2" } }))
        .await
        .ok();
    world.create(&path, &config_map("b", json!({}))).await;
    let then = format!(
        "{path}?resourceVersionMatch=Exact&resourceVersion={}",
        revision(&made)
    );
    let then = world.get(&then).await.ok();
    assert_eq!(names(&then), ["a"]);
    assert_eq!(then["items"][0]["data"]["v"], "1");
    assert_eq!(revision(&then), revision(&made));
    let since = format!(
        "{path}?resourceVersionMatch=NotOlderThan&resourceVersion={}",
        revision(&made)
    );
    assert_eq!(names(&world.get(&since).await.ok()), ["a", "b"]);
}

pub(crate) async fn a_future_revision_times_out(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world.create(&path, &config_map("a", json!({}))).await;
    let future = revision(&made) + 1_000_000;
    for path in [
        format!("{path}?resourceVersion={future}"),
        format!("{path}?resourceVersion={future}&resourceVersionMatch=NotOlderThan"),
        format!("{path}?resourceVersion={future}&resourceVersionMatch=Exact"),
        format!("{path}/a?resourceVersion={future}"),
    ] {
        let answer = world.get(&path).await;
        assert_eq!(answer.headers["retry-after"], "1");
        let refused = answer.refused(504, "Timeout");
        assert!(
            text(&refused["message"]).starts_with("Timeout: Too large resource version:"),
            "{refused}"
        );
        assert_eq!(
            refused["details"]["causes"][0]["reason"],
            "ResourceVersionTooLarge"
        );
        assert_eq!(refused["details"]["retryAfterSeconds"], 1);
    }
}

pub(crate) async fn numbers_that_are_none_are_refused(world: &World) {
    let path = world.path("v1", "configmaps");
    let answer = world.get(&format!("{path}?limit=abc")).await;
    answer.refused(400, "BadRequest");
    let answer = world.get(&format!("{path}?resourceVersion=abc")).await;
    let refused = answer.refused(400, "BadRequest");
    assert_eq!(
        refused["message"],
        format!("invalid resource version: {NO_REVISION}")
    );
    world.get(&format!("{path}?limit=-1")).await.ok();
}

pub(crate) async fn a_kind_is_listed_across_namespaces(world: &World) {
    world
        .create(
            &world.path("v1", "configmaps"),
            &config_map("mine", json!({})),
        )
        .await;
    let mine = format!("fieldSelector=metadata.namespace%3D{}", world.namespace());
    let list = world.get(&format!("/api/v1/configmaps?{mine}")).await.ok();
    assert!(names(&list).contains(&"mine".to_owned()), "{list}");
    assert_eq!(list["items"][0]["metadata"]["namespace"], world.namespace());
}

fn encoded(selector: &str) -> String {
    selector.replace('=', "%3D").replace(' ', "%20")
}
