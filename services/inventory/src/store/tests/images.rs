//! Images in use, of two accounts.

use super::*;
use crate::{
    application::Visible,
    fixture::{
        live_in,
        resource::{put, rollout, rollout_gone, running},
        visible,
    },
    image::{ImageFilter, ImageName, ImageRest, ImageUse},
};

pub(super) fn everywhere() -> ImageFilter {
    ImageFilter {
        visible: Visible::everything(),
        ..ImageFilter::default()
    }
}

/// An application of a project with images.
fn using(uid: &str, name: &str, version: u64, project: &str, images: &[&str]) -> Change {
    let mut change = live_in(uid, name, at(version, 1, version), project, &[]);
    let state = change.state.as_mut().unwrap();
    state.images = ImageName::all(images.iter().copied());
    change
}

fn told(found: &ImageUse) -> String {
    let ImageName {
        repository,
        tag,
        digest,
    } = &found.image;
    let name = &found.application.name;
    format!("{repository}:{tag}@{digest} {name}")
}

/// The uses of all pages.
pub(super) async fn uses(store: &dyn Store, filter: &ImageFilter, limit: usize) -> Vec<String> {
    let account = account("default");
    let (mut all, mut after, mut looked) = (Vec::<ImageUse>::new(), None, None);
    for _ in 0..100 {
        let asked = store
            .reads()
            .list_images(&account, filter, after.as_ref(), looked, limit);
        let page = asked.await.unwrap();
        assert!(page.items.len() <= limit);
        all.extend(page.items);
        after = all.last().cloned();
        looked = match page.rest {
            ImageRest::More => None,
            ImageRest::ScanPosition(number) => Some(number),
            ImageRest::End => return all.iter().map(told).collect(),
        };
    }
    panic!("the pages have no end");
}

#[tokio::test]
async fn images_are_those_of_the_current_states() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(
            store,
            using("a1", "web", 1, "shop", &["nginx:1", "redis:7"]),
        )
        .await;
        report(
            store,
            using("a2", "api", 2, "shop", &["redis:7", "go@sha256:1"]),
        )
        .await;
        let expected = [
            "go:@sha256:1 api",
            "nginx:1@ web",
            "redis:7@ api",
            "redis:7@ web",
        ];
        assert_eq!(uses(store, &everywhere(), 100).await, expected);
        report(store, using("a1", "web", 3, "shop", &["nginx:2"])).await;
        let expected = ["go:@sha256:1 api", "nginx:2@ web", "redis:7@ api"];
        assert_eq!(uses(store, &everywhere(), 100).await, expected);
        report(store, gone("a2", "api", at(4, 1, 4))).await;
        assert_eq!(uses(store, &everywhere(), 100).await, ["nginx:2@ web"]);
        report(store, using("a3", "web", 5, "shop", &["nginx:3"])).await;
        assert_eq!(uses(store, &everywhere(), 100).await, ["nginx:3@ web"]);
    }
}

#[tokio::test]
async fn images_of_resources_belong_to_their_application() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let of_web = rollout("u1", "web", at(2, 1, 2), Some("web"));
        put(store, running(of_web, &["nginx:1", "nginx:1@sha256:1"])).await;
        assert_eq!(uses(store, &everywhere(), 100).await, [""; 0]);
        report(store, using("a1", "web", 1, "shop", &["nginx:1"])).await;
        let expected = ["nginx:1@ web", "nginx:1@sha256:1 web"];
        assert_eq!(uses(store, &everywhere(), 100).await, expected);
        put(store, rollout_gone("u1", "web", at(3, 1, 3))).await;
        assert_eq!(uses(store, &everywhere(), 100).await, ["nginx:1@ web"]);
    }
}

#[tokio::test]
async fn s_45_image_pages_have_each_use_of_visible_applications_once() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for number in 0..20_u64 {
            let project = if number % 7 == 3 { "shop" } else { "bank" };
            let (uid, name) = (format!("a{number}"), format!("n{number:02}"));
            let image = format!("image{number:02}:1");
            report(store, using(&uid, &name, number + 1, project, &[&image])).await;
        }
        for limit in [1, 2, 100] {
            let shop = ImageFilter {
                visible: visible(r#"[{"projects":["shop"]}]"#),
                ..ImageFilter::default()
            };
            let expected = ["image03:1@ n03", "image10:1@ n10", "image17:1@ n17"];
            assert_eq!(uses(store, &shop, limit).await, expected);
            assert_eq!(uses(store, &everywhere(), limit).await.len(), 20);
            let nothing = ImageFilter::default();
            assert_eq!(uses(store, &nothing, limit).await, [""; 0]);
        }
        for (filter, expected) in [
            (
                ImageFilter {
                    name: "n05".into(),
                    ..everywhere()
                },
                1,
            ),
            (
                ImageFilter {
                    namespace: "argocd".into(),
                    ..everywhere()
                },
                20,
            ),
            (
                ImageFilter {
                    runtime: "other".into(),
                    ..everywhere()
                },
                0,
            ),
            (
                ImageFilter {
                    text: "age1".into(),
                    ..everywhere()
                },
                10,
            ),
            (
                ImageFilter {
                    text: "*".into(),
                    ..everywhere()
                },
                0,
            ),
        ] {
            assert_eq!(
                uses(store, &filter, 100).await.len(),
                expected,
                "{filter:?}"
            );
        }
    }
}
