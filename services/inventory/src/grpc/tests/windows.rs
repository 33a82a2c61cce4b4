//! Windows of lists, counts and views over gRPC, for two teams of one account.

use pb::view_service_client::ViewServiceClient;

use super::*;
use crate::fixture::{application::report_numbered, at, live_in, report as put};

const SHOP: &str = r#"user@default [{"projects":["shop"]}]"#;
const ALL: &str = "user@default";

async fn filled() -> Served {
    let served = Served::start().await;
    for number in 0..9_u64 {
        let (name, project) = if number % 3 == 0 {
            (format!("bank-{number}"), "bank")
        } else {
            (format!("shop-{number}"), "shop")
        };
        let labels = [("team", project), (project, "yes")];
        let place = at(number + 1, 1, number + 1);
        let mut change = live_in(&format!("u{number}"), &name, place, project, &labels);
        change.state.as_mut().unwrap().basic = bytes::Bytes::new();
        put(&**served.inventory.store(), change).await;
    }
    served
}

async fn list(
    served: &Served,
    caller: &'static str,
    request: pb::ListApplicationsRequest,
) -> Result<pb::ListApplicationsResponse, Status> {
    let mut client = served.applications();
    let answer = client.list_applications(from(caller, request)).await;
    answer.map(tonic::Response::into_inner)
}

fn names(response: &pb::ListApplicationsResponse) -> Vec<&str> {
    let applications = response.applications.iter();
    applications.map(|it| &*it.name).collect()
}

#[tokio::test]
async fn s_45_a_window_and_its_total_are_of_the_callers_scope() {
    let served = filled().await;
    let window = pb::ListApplicationsRequest {
        offset: 2,
        page_size: 2,
        descending: true,
        sort: pb::ApplicationSort::Name.into(),
        view: pb::ApplicationView::Row.into(),
        ..Default::default()
    };
    let first = list(&served, SHOP, window.clone()).await.unwrap();
    assert_eq!((names(&first), first.total), (vec!["shop-5", "shop-4"], 6));
    let rest = pb::ListApplicationsRequest {
        offset: 0,
        page_token: first.next_page_token,
        ..window.clone()
    };
    let second = list(&served, SHOP, rest.clone()).await.unwrap();
    assert_eq!(names(&second), ["shop-2", "shop-1"]);
    let whole = list(&served, ALL, window).await.unwrap();
    assert_eq!(whole.total, 9);
    for (offset, field) in [(1, "offset"), (1_000_001, "offset")] {
        let both = pb::ListApplicationsRequest {
            offset,
            ..rest.clone()
        };
        let refused = list(&served, SHOP, both).await.unwrap_err();
        assert_eq!(reason(&refused), Some(Reason::FieldInvalid));
        assert!(refused.message().starts_with(field), "{refused}");
    }
}

#[tokio::test]
async fn s_45_labels_are_counted_within_the_callers_scope() {
    let served = filled().await;
    let request = pb::ListApplicationFacetsRequest {
        filter: Some(pb::ApplicationFilter {
            label_selector: "team=shop".to_owned(),
            ..Default::default()
        }),
        own_condition_left_out: true,
        label_keys: vec!["team".to_owned()],
        ..Default::default()
    };
    for (caller, values, keys) in [
        (
            ALL,
            vec![("shop", 6), ("bank", 3)],
            vec![("shop", 6), ("team", 6)],
        ),
        (SHOP, vec![("shop", 6)], vec![("shop", 6), ("team", 6)]),
    ] {
        let mut client = served.applications();
        let answer = client.list_application_facets(from(caller, request.clone()));
        let answer = answer.await.unwrap().into_inner();
        let pairs = |values: &[pb::FacetValue]| -> Vec<(String, u64)> {
            values
                .iter()
                .map(|it| (it.value.clone(), it.count))
                .collect()
        };
        let owned = |pairs: Vec<(&str, u64)>| -> Vec<(String, u64)> {
            pairs
                .into_iter()
                .map(|(text, count)| (text.to_owned(), count))
                .collect()
        };
        assert_eq!(answer.facets[0].label_key, "team");
        assert_eq!(pairs(&answer.facets[0].values), owned(values), "{caller}");
        assert_eq!(pairs(&answer.label_keys), owned(keys), "{caller}");
        assert_eq!(answer.total, 6);
    }
}

#[tokio::test]
async fn a_filter_out_of_its_bounds_is_refused_by_its_field() {
    let served = filled().await;
    let texts = |text: &str, count| vec![text.to_owned(); count];
    for (filter, field) in [
        (
            pb::ApplicationFilter {
                runtimes: texts("a", 501),
                ..Default::default()
            },
            "filter.runtimes",
        ),
        (
            pb::ApplicationFilter {
                keys: texts("a/b/c", 1),
                ..Default::default()
            },
            "filter.keys",
        ),
        (
            pb::ApplicationFilter {
                operation: vec![99],
                ..Default::default()
            },
            "filter.operation",
        ),
        (
            pb::ApplicationFilter {
                exclude: Some(pb::ApplicationExclusion {
                    label_selector: "=".to_owned(),
                    ..Default::default()
                }),
                ..Default::default()
            },
            "filter.exclude.label_selector",
        ),
    ] {
        let request = pb::ListApplicationsRequest {
            filter: Some(filter),
            ..Default::default()
        };
        let refused = list(&served, ALL, request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        assert!(refused.message().starts_with(field), "{refused}");
    }
}

#[tokio::test]
async fn a_row_has_states_and_the_operation_without_its_details() {
    let served = Served::start().await;
    for (uid, number) in (0..20).zip((3_u64..).step_by(7_777)) {
        report_numbered(&**served.inventory.store(), uid, number, uid as u64 + 1).await;
    }
    let rows = pb::ListApplicationsRequest {
        view: pb::ApplicationView::Row.into(),
        ..Default::default()
    };
    let rows = list(&served, ALL, rows).await.unwrap();
    assert!(!rows.applications.is_empty());
    let basic = pb::ListApplicationsRequest::default();
    let basic = list(&served, ALL, basic).await.unwrap();
    for (row, whole) in rows.applications.iter().zip(basic.applications) {
        assert_eq!(row.name, whole.name);
        assert!(row.received_at.is_some());
        let spec = row.spec.as_ref().unwrap();
        assert!(spec.sources.is_empty());
        assert_eq!(spec.sync_policy, whole.spec.unwrap().sync_policy);
        let status = row.status.as_ref().unwrap();
        assert_eq!(status.operation, whole.status.unwrap().operation);
    }
}

#[tokio::test]
async fn views_are_watched_from_the_cursor_of_a_list() {
    let served = filled().await;
    let listed = list(&served, SHOP, pb::ListApplicationsRequest::default());
    let cursor = listed.await.unwrap().cursor;
    let view = |id: &str| pb::View {
        id: id.to_owned(),
        cursor: cursor.clone(),
        facets: vec![pb::ApplicationField::Project.into()],
        ..Default::default()
    };
    let mut client = ViewServiceClient::new(served.channel.clone());
    let twice = pb::WatchViewsRequest {
        views: vec![view("a"), view("a")],
    };
    for refused in [pb::WatchViewsRequest::default(), twice] {
        let refused = client.watch_views(from(SHOP, refused)).await.unwrap_err();
        assert!(refused.message().starts_with("views"), "{refused}");
    }
    for (number, project) in [(20, "bank"), (21, "shop")] {
        let name = format!("{project}-{number}");
        let change = live_in(&name, &name, at(number, 1, number), project, &[]);
        let mut state = change.state.clone().unwrap();
        state.basic = bytes::Bytes::new();
        let change = crate::application::Change {
            state: Some(state),
            ..change
        };
        put(&**served.inventory.store(), change).await;
    }
    let request = pb::WatchViewsRequest {
        views: vec![view("shops")],
    };
    let mut stream = client
        .watch_views(from(SHOP, request))
        .await
        .unwrap()
        .into_inner();
    let told = soon(stream.message()).await.unwrap().unwrap();
    assert_eq!((&*told.id, told.total), ("shops", 7));
    let [change] = &told.changes[..] else {
        panic!("{told:?}")
    };
    let Some(pb::view_change::Change::Updated(new)) = &change.change else {
        panic!("{change:?}")
    };
    assert_eq!(new.name, "shop-21");
    assert_eq!(told.facets[0].values.len(), 1);
}
