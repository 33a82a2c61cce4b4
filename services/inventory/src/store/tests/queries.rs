use super::*;

#[tokio::test]
async fn accounts_do_not_see_each_other() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let theirs = Change {
            scope: Arc::new(scope_of("other")),
            ..live("u1", "web", at(1, 1, 1))
        };
        report(store, theirs).await;
        assert!(names(store).await.is_empty());
        assert!(list_changes(store, 0).await.is_empty());
        assert!(
            store
                .reads()
                .application_keys(&account("default"), &all().visible, 10)
                .await
                .unwrap()
                .is_empty()
        );
        assert!(
            store
                .reads()
                .list_held(&scope(), None, 10)
                .await
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            store
                .reads()
                .change_bounds(&account("default"))
                .await
                .unwrap()
                .latest,
            0
        );
        assert_eq!(
            store
                .reads()
                .change_bounds(&account("other"))
                .await
                .unwrap()
                .latest,
            1
        );
    }
}

#[tokio::test]
async fn next_page_begins_after_the_last_row() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for number in 0..7 {
            let (uid, name) = (format!("u{number}"), format!("app-{}", 6 - number));
            report(store, live(&uid, &name, at(number + 1, 1, number + 1))).await;
        }
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let all = all();
            let page = store
                .reads()
                .list_applications(&account("default"), &all, View::Full, after.as_ref(), 3)
                .await
                .unwrap();
            seen.extend(page.items.iter().map(|record| record.key.name.clone()));
            after = page.items.last().map(|record| all.sort.place_of(record));
            if page.rest == NextPage::End {
                break;
            }
        }
        let expected: Vec<String> = (0..7).map(|number| format!("app-{number}")).collect();
        assert_eq!(seen, expected);
        let held = store
            .reads()
            .list_held(&scope(), Some(&Uid::from("u4")), 10)
            .await
            .unwrap();
        assert_eq!(held.len(), 2);
        assert_eq!(
            held[0].root_digest,
            live("u5", "app-1", at(6, 1, 6)).state.unwrap().root_digest
        );
    }
}

#[tokio::test]
async fn filters_match_location_and_state() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let mut broken = live("u2", "api", at(2, 1, 2));
        let state = broken.state.as_mut().unwrap();
        state.summary.health = Health::Degraded;
        state.summary.sync = Sync::OutOfSync;
        report(store, broken).await;
        let check = async |filter: Filter| {
            let page = store
                .reads()
                .list_applications(&account("default"), &filter, View::Basic, None, 10)
                .await
                .unwrap();
            page.items
                .into_iter()
                .map(|record| record.key.name)
                .collect::<Vec<_>>()
        };
        let none = all;
        assert_eq!(
            check(Filter {
                name: "web".into(),
                ..none()
            })
            .await,
            ["web"]
        );
        assert_eq!(
            check(Filter {
                health: vec![Health::Degraded, Health::Missing],
                ..none()
            })
            .await,
            ["api"]
        );
        assert_eq!(
            check(Filter {
                sync: vec![Sync::Synced],
                ..none()
            })
            .await,
            ["web"]
        );
        assert_eq!(
            check(Filter {
                project: "default".into(),
                ..none()
            })
            .await,
            ["api", "web"]
        );
        assert_eq!(
            check(Filter {
                runtime: "other".into(),
                ..none()
            })
            .await,
            [""; 0]
        );
        assert_eq!(
            check(Filter {
                cluster: "in-cluster".into(),
                namespace: "argocd".into(),
                ..none()
            })
            .await,
            ["api", "web"]
        );
    }
}

#[tokio::test]
async fn basic_view_has_no_details() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let check = async |view| {
            let all = all();
            let page = store
                .reads()
                .list_applications(&account("default"), &all, view, None, 10)
                .await
                .unwrap();
            page.items[0].detail.is_empty()
        };
        assert!(check(View::Basic).await);
        assert!(!check(View::Full).await);
    }
}
