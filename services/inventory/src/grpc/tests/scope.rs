//! Two teams of one account and one of another, with applications of the same names.

use pb::{resource_service_client::ResourceServiceClient, view_service_client::ViewServiceClient};

use super::*;
use crate::fixture::{at, live_in, report as put, scope_of};

const SHOP: &str = r#"user@default [{"projects":["shop"]}]"#;
const GLOBS: &str = r#"user@default [{"names":["*-shop"]}]"#;
const FOREIGN: &str = "user@other";

/// Each account has `web`, `NN-shop` and `NN-bank`; the second one has `only-theirs`, too.
async fn filled() -> Served {
    let served = Served::start().await;
    let store = served.inventory.store();
    let mut version = 0;
    for tenant in ["default", "other"] {
        let mut names = vec!["web".to_owned()];
        for number in 0..9 {
            names.push(format!("{number:02}-shop"));
            names.push(format!("{number:02}-bank"));
        }
        if tenant == "other" {
            names.push("only-theirs".to_owned());
        }
        for name in names {
            version += 1;
            let project = if name.ends_with("shop") {
                "shop"
            } else {
                "bank"
            };
            let uid = format!("u{version}");
            let change = live_in(&uid, &name, at(version, 1, version), project, &[]);
            let mut state = change.state.clone().unwrap();
            (state.basic, state.detail) = (bytes::Bytes::new(), bytes::Bytes::new());
            let mut scope = scope_of(tenant);
            scope.runtime = format!("rt-{tenant}").parse().unwrap();
            let change = crate::application::Change {
                scope: Arc::new(scope),
                state: Some(state),
                ..change
            };
            put(&**store, change).await;
        }
    }
    served
}

fn asked(name: &str) -> pb::GetApplicationRequest {
    pb::GetApplicationRequest {
        runtime: "edge".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: String::new(),
        at: None,
    }
}

async fn page(
    served: &Served,
    caller: &'static str,
    token: &str,
) -> Result<pb::ListApplicationsResponse, Status> {
    let request = pb::ListApplicationsRequest {
        page_size: 2,
        page_token: token.to_owned(),
        ..pb::ListApplicationsRequest::default()
    };
    let mut client = served.applications();
    let answer = client.list_applications(from(caller, request));
    answer.await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn s_56_pages_are_of_the_callers_scope_and_their_tokens_of_no_use_to_others() {
    let served = filled().await;
    for caller in [SHOP, GLOBS] {
        let (mut names, mut token) = (Vec::new(), String::new());
        loop {
            let answer = page(&served, caller, &token).await.unwrap();
            names.extend(answer.applications.into_iter().map(|it| it.name));
            token = answer.next_page_token;
            if token.is_empty() {
                break;
            }
            for other in ["user@default", FOREIGN] {
                let refused = page(&served, other, &token).await.unwrap_err();
                assert_eq!(reason(&refused), Some(Reason::FieldInvalid), "{refused}");
                assert!(refused.message().starts_with("page_token"), "{refused}");
            }
        }
        let expected: Vec<String> = (0..9).map(|number| format!("{number:02}-shop")).collect();
        assert_eq!(names, expected);
    }
}

async fn facets(
    served: &Served,
    caller: &'static str,
    filter: pb::ApplicationFilter,
) -> pb::ListApplicationFacetsResponse {
    let request = pb::ListApplicationFacetsRequest {
        filter: Some(filter),
        fields: vec![
            pb::ApplicationField::Project.into(),
            pb::ApplicationField::Health.into(),
        ],
        most_values: 1,
        ..Default::default()
    };
    let mut client = served.applications();
    let answer = client.list_application_facets(from(caller, request));
    answer.await.unwrap().into_inner()
}

#[tokio::test]
async fn s_45_s_56_counts_are_of_the_callers_scope_and_account() {
    let served = filled().await;
    for (caller, total, first, others) in [
        (SHOP, 9, ("shop", 9), 0),
        (GLOBS, 9, ("shop", 9), 0),
        ("user@default", 19, ("bank", 10), 9),
        (FOREIGN, 20, ("bank", 11), 9),
        ("user@third", 0, ("", 0), 0),
    ] {
        let told = facets(&served, caller, pb::ApplicationFilter::default()).await;
        assert_eq!(told.total, total, "{caller}");
        assert_eq!(told.facets.len(), 2);
        let projects = &told.facets[0];
        assert_eq!(projects.field(), pb::ApplicationField::Project);
        let value = projects.values.first().cloned().unwrap_or_default();
        assert_eq!((value.value.as_str(), value.count), first, "{caller}");
        assert_eq!(projects.others, others, "{caller}");
        let only = pb::ApplicationFilter {
            text: "only-theirs".to_owned(),
            ..pb::ApplicationFilter::default()
        };
        let told = facets(&served, caller, only).await;
        assert_eq!(told.total, u64::from(caller == FOREIGN), "{caller}");
    }
}

#[tokio::test]
async fn a_filter_or_an_order_that_cannot_be_is_refused_by_its_field() {
    let served = filled().await;
    let mut client = served.applications();
    let of = |filter: pb::ApplicationFilter| pb::ListApplicationsRequest {
        filter: Some(filter),
        ..pb::ListApplicationsRequest::default()
    };
    let filter = pb::ApplicationFilter::default;
    for (field, request) in [
        (
            "filter.label_selector",
            of(pb::ApplicationFilter {
                label_selector: "a in b".to_owned(),
                ..filter()
            }),
        ),
        (
            "filter.text",
            of(pb::ApplicationFilter {
                text: "a ".repeat(9),
                ..filter()
            }),
        ),
        (
            "filter.source",
            of(pb::ApplicationFilter {
                source: vec![9],
                ..filter()
            }),
        ),
        (
            "sort",
            pb::ListApplicationsRequest {
                sort: 99,
                ..of(filter())
            },
        ),
    ] {
        let refused = client.list_applications(from(SHOP, request)).await;
        let refused = refused.unwrap_err();
        assert_eq!(reason(&refused), Some(Reason::FieldInvalid), "{refused}");
        assert!(refused.message().starts_with(field), "{refused}");
    }
    let by_name = |page_token: &str, sort: pb::ApplicationSort| pb::ListApplicationsRequest {
        page_size: 1,
        page_token: page_token.to_owned(),
        sort: sort.into(),
        ..pb::ListApplicationsRequest::default()
    };
    let first = by_name("", pb::ApplicationSort::Name);
    let page = client.list_applications(from(SHOP, first)).await.unwrap();
    let token = page.into_inner().next_page_token;
    let other = by_name(&token, pb::ApplicationSort::Changed);
    let refused = client.list_applications(from(SHOP, other)).await;
    let refused = refused.unwrap_err();
    assert!(refused.message().starts_with("page_token"), "{refused}");
}

#[tokio::test]
async fn n_33_s_57_absent_foreign_and_forbidden_applications_get_one_answer() {
    let served = filled().await;
    let mut client = served.applications();
    for (absent, other) in [
        ("01-bonk", "01-bank"),
        ("wab", "web"),
        ("only-thears", "only-theirs"),
    ] {
        let mut answers = Vec::new();
        for name in [absent, other] {
            let refused = client.get_application(from(SHOP, asked(name)));
            let refused = refused.await.unwrap_err();
            assert_eq!(refused.code(), Code::NotFound);
            assert_eq!(reason(&refused), Some(Reason::ApplicationUnknown));
            let text = refused.message().replace(name, "NAME");
            let near = text.split("; the nearest are ").nth(1).unwrap_or_default();
            assert!(!near.contains("bank") && !near.contains("web"), "{text}");
            answers.push(text.split(';').next().unwrap().to_owned());
        }
        assert_eq!(answers[0], answers[1]);
    }
    let mine = client.get_application(from(SHOP, asked("01-shop"))).await;
    assert_eq!(
        mine.unwrap().into_inner().application.unwrap().name,
        "01-shop"
    );
}

#[tokio::test]
async fn n_34_a_cluster_out_of_scope_is_not_named_as_one_to_choose() {
    let served = filled().await;
    let store = served.inventory.store();
    let mut scope = scope_of("default");
    scope.runtime = "rt-default".parse().unwrap();
    scope.cluster = crate::application::ClusterName::from("vault");
    let change = crate::application::Change {
        scope: Arc::new(scope),
        ..live_in("u900", "01-shop", at(900, 1, 900), "bank", &[])
    };
    put(&**store, change).await;
    let mut client = served.applications();
    let mine = client.get_application(from(SHOP, asked("01-shop"))).await;
    assert_eq!(
        mine.unwrap().into_inner().application.unwrap().cluster,
        "in-cluster"
    );
    let both = client
        .get_application(from("user@default", asked("01-shop")))
        .await;
    assert!(both.unwrap_err().message().contains("vault"));
}

#[tokio::test]
async fn n_31_who_may_see_one_cluster_reaches_nothing_of_another_by_its_name() {
    const HERE: &str = r#"user@default [{"clusters":["in-cluster"]}]"#;
    let served = filled().await;
    let mut scope = scope_of("default");
    scope.runtime = "rt-default".parse().unwrap();
    scope.cluster = crate::application::ClusterName::from("vault");
    let scope = Arc::new(scope);
    for (uid, name) in [("u900", "01-shop"), ("u901", "only-there")] {
        let change = live_in(uid, name, at(900, 1, 900), "shop", &[]);
        let mut state = change.state.clone().unwrap();
        (state.basic, state.detail) = (bytes::Bytes::new(), bytes::Bytes::new());
        let change = crate::application::Change {
            scope: scope.clone(),
            state: Some(state),
            ..change
        };
        put(&**served.inventory.store(), change).await;
    }
    let mut client = served.applications();
    let got = |name: &str, cluster: &str| pb::GetApplicationRequest {
        cluster: cluster.to_owned(),
        ..asked(name)
    };
    for name in ["01-shop", "only-there"] {
        let mut told = Vec::new();
        for cluster in ["vault", "vaalt"] {
            let refused = client.get_application(from(HERE, got(name, cluster))).await;
            let refused = refused.unwrap_err();
            assert_eq!(reason(&refused), Some(Reason::ApplicationUnknown));
            assert!(!refused.message().contains("vault/"), "{refused}");
            let text = refused.message().split(';').next().unwrap().to_owned();
            told.push(text.replace(name, "NAME").replace(cluster, "CLUSTER"));
        }
        assert_eq!(told[0], told[1]);
    }
    let list = |cluster: &str| pb::ListApplicationsRequest {
        filter: Some(pb::ApplicationFilter {
            cluster: cluster.to_owned(),
            ..pb::ApplicationFilter::default()
        }),
        page_size: 500,
        ..pb::ListApplicationsRequest::default()
    };
    for (caller, cluster, count) in [
        (HERE, "", 19),
        (HERE, "vault", 0),
        ("user@default", "", 21),
        ("user@default", "vault", 2),
        (FOREIGN, "vault", 0),
    ] {
        let listed = client.list_applications(from(caller, list(cluster))).await;
        let listed = listed.unwrap().into_inner().applications;
        assert_eq!(listed.len(), count, "{caller} {cluster}");
    }
    // And the other way round: what is called the same there is changed by nobody's looking for it here.
    let mine = client.get_application(from(HERE, got("01-shop", ""))).await;
    let mine = mine.unwrap().into_inner().application.unwrap();
    assert_eq!(mine.cluster, "in-cluster");
}

#[tokio::test]
async fn s_56_a_cursor_of_another_tenant_or_scope_is_told_to_begin_anew() {
    let served = filled().await;
    let mut client = served.applications();
    let request = |cursor: &str| pb::WatchApplicationsRequest {
        cursor: cursor.to_owned(),
        ..pb::WatchApplicationsRequest::default()
    };
    let watch = client.watch_applications(from(FOREIGN, request("")));
    let mut steps = watch.await.unwrap().into_inner();
    let cursor = loop {
        let step = soon(steps.message()).await.unwrap().unwrap();
        if !step.cursor.is_empty() {
            break step.cursor;
        }
    };
    for caller in [SHOP, "user@default"] {
        let watch = client.watch_applications(from(caller, request(&cursor)));
        let refused = watch.await.map(drop).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        assert_eq!(reason(&refused), Some(Reason::CursorExpired), "{refused}");
    }
    let other_rights = r#"user@other [{"projects":["shop"]}]"#;
    let watch = client.watch_applications(from(other_rights, request(&cursor)));
    let mut steps = watch.await.unwrap().into_inner();
    let refused = soon(steps.message()).await.unwrap_err();
    assert_eq!(reason(&refused), Some(Reason::CursorExpired), "{refused}");
}

#[tokio::test]
async fn a_cursor_that_the_inventory_did_not_seal_is_told_to_list_again() {
    let served = filled().await;
    let list = pb::ListApplicationsRequest::default();
    let mut users = served.applications();
    let listed = users.list_applications(from(SHOP, list)).await;
    let cursor = listed.unwrap().into_inner().cursor;
    let mut forged = cursor.clone().into_bytes();
    forged[20] ^= 1;
    let forged = String::from_utf8(forged).unwrap();
    // The second one is as earlier versions made them.
    for cursor in ["x", "00000000000000aa-7-3-00000000000000bb", &*forged] {
        let cursor = cursor.to_owned();
        let watch = pb::WatchApplicationsRequest {
            cursor: cursor.clone(),
            ..pb::WatchApplicationsRequest::default()
        };
        let resources = pb::WatchResourcesRequest {
            cursor: cursor.clone(),
            ..pb::WatchResourcesRequest::default()
        };
        let views = pb::WatchViewsRequest {
            views: vec![pb::View {
                id: "all".to_owned(),
                cursor: cursor.clone(),
                ..pb::View::default()
            }],
        };
        let watched = users.watch_applications(from(SHOP, watch)).await.map(drop);
        let mut of_resources = ResourceServiceClient::new(served.channel.clone());
        let resources = of_resources.watch_resources(from(SHOP, resources));
        let mut of_views = ViewServiceClient::new(served.channel.clone());
        let views = of_views.watch_views(from(SHOP, views)).await.map(drop);
        for answer in [watched, resources.await.map(drop), views] {
            let refused = answer.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
            assert_eq!(reason(&refused), Some(Reason::CursorExpired), "{refused}");
            assert!(refused.message().contains("list again"), "{refused}");
        }
    }
}

#[tokio::test]
async fn n_43_a_manifest_is_shown_to_those_who_see_an_application_that_has_it() {
    let served = Served::start().await;
    let (up, mut down) = served.report().await;
    send(&up, pb::report_request::Message::Report(web(1)));
    let manifest = pb::Manifest {
        digest: bytes::Bytes::copy_from_slice(Digest::of(b"{}").as_bytes()),
        content: "{}".into(),
        ..pb::Manifest::default()
    };
    send(&up, pb::report_request::Message::Manifest(manifest));
    while !matches!(
        next(&mut down).await,
        pb::report_response::Message::Acknowledged(_)
    ) {}
    let request = |name: &str, content: &[u8]| pb::GetManifestRequest {
        digest_hex: Digest::of(content).to_string(),
        runtime: "rt-one".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: String::new(),
        at: None,
    };
    let nameless = |content: &[u8]| pb::GetManifestRequest {
        digest_hex: Digest::of(content).to_string(),
        ..pb::GetManifestRequest::default()
    };
    let mut client = served.applications();
    let mine = r#"user@default [{"names":["web"]}]"#;
    let shown = client.get_manifest(from(mine, request("web", b"{}"))).await;
    assert_eq!(&shown.unwrap().into_inner().content[..], b"{}");
    let mut texts = Vec::new();
    for (caller, asked) in [
        (mine, nameless(b"{}")),
        (mine, request("api", b"{}")),
        (SHOP, request("web", b"{}")),
        (FOREIGN, request("web", b"{}")),
        (FOREIGN, nameless(b"{}")),
        (mine, request("web", b"[]")),
    ] {
        let digest = asked.digest_hex.clone();
        let refused = client.get_manifest(from(caller, asked)).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound, "{refused}");
        texts.push(refused.message().replace(&digest, "DIGEST"));
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    for (caller, name, found) in [
        (mine, "web", 1),
        (mine, "api", 0),
        (mine, "", 0),
        (SHOP, "web", 0),
        (FOREIGN, "web", 0),
        (FOREIGN, "", 0),
        ("user@default", "", 1),
    ] {
        let one = if name.is_empty() {
            nameless(b"{}")
        } else {
            request(name, b"{}")
        };
        let batch = pb::BatchGetManifestsRequest {
            digests_hex: vec![one.digest_hex.clone(), Digest::of(b"[]").to_string()],
            runtime: one.runtime,
            namespace: one.namespace,
            name: one.name,
            cluster: one.cluster,
            at: None,
        };
        let shown = client.batch_get_manifests(from(caller, batch)).await;
        let shown = shown.unwrap().into_inner();
        let digests = shown.manifests.iter().map(|it| it.digest_hex.as_str());
        let expected = vec![one.digest_hex.as_str(); found];
        assert_eq!(digests.collect::<Vec<_>>(), expected, "{caller} {name}");
        assert!(shown.omitted.is_empty());
    }
}

#[tokio::test]
async fn manifests_that_do_not_fit_are_named() {
    let served = Served::start().await;
    let (store, account) = (served.inventory.store(), account("default"));
    let mut digests_hex = Vec::new();
    for number in 0..5 {
        let content = bytes::Bytes::from(format!("{number}").repeat(1 << 20));
        let digest = Digest::of(&content);
        digests_hex.push(digest.to_string());
        let manifest = crate::store::Write::Manifest(
            (account.clone(), "rt-one".parse().unwrap()),
            digest,
            content,
        );
        crate::fixture::write(&**store, manifest).await;
    }
    let request = pb::BatchGetManifestsRequest {
        digests_hex: digests_hex.clone(),
        ..pb::BatchGetManifestsRequest::default()
    };
    let mut client = served.applications();
    let shown = client.batch_get_manifests(from("user@default", request));
    let shown = shown.await.unwrap().into_inner();
    let found = shown.manifests.iter().map(|it| it.digest_hex.clone());
    assert_eq!(found.collect::<Vec<_>>(), digests_hex[..2]);
    assert_eq!(shown.omitted, digests_hex[2..]);
    for digests_hex in [vec![], vec!["0".repeat(63)], vec!["0".repeat(64); 101]] {
        let wrong = pb::BatchGetManifestsRequest {
            digests_hex,
            ..pb::BatchGetManifestsRequest::default()
        };
        let wrong = client.batch_get_manifests(from("user@default", wrong));
        assert!(
            wrong
                .await
                .unwrap_err()
                .message()
                .starts_with("digests_hex")
        );
    }
}

#[tokio::test]
async fn summary_and_counts_are_of_the_callers_scope_and_account() {
    let served = filled().await;
    for (caller, total) in [(SHOP, 9), (GLOBS, 9), ("user@default", 19), (FOREIGN, 20)] {
        let request = from(caller, pb::GetSummaryRequest::default());
        let summary = served.summaries().get_summary(request).await;
        let summary = summary.unwrap().into_inner();
        assert_eq!(summary.total, total, "{caller}");
        let silent = summary.silent_runtimes.iter().map(|it| it.applications);
        assert_eq!(silent.sum::<u64>(), total, "{caller}");
    }
    let wrong = |from, intervals| pb::CountDeploymentsRequest {
        from,
        intervals,
        ..pb::CountDeploymentsRequest::default()
    };
    let time = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    for (request, field) in [
        (wrong(None, 0), "from"),
        (wrong(time(1 << 40), 0), "from"),
        (wrong(time(1), 0), "from"),
        (wrong(time(1 << 30), 0), "from"),
    ] {
        let mut client = served.summaries();
        let refused = client.count_deployments(from(SHOP, request));
        assert!(refused.await.unwrap_err().message().starts_with(field));
    }
}

async fn deployments(
    served: &Served,
    caller: &'static str,
    token: &str,
) -> Result<pb::ListDeploymentsResponse, Status> {
    let request = pb::ListDeploymentsRequest {
        page_size: 1,
        page_token: token.to_owned(),
        ..pb::ListDeploymentsRequest::default()
    };
    let mut client = served.applications();
    let answer = client.list_deployments(from(caller, request)).await;
    answer.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn s_45_s_56_deployments_are_of_the_callers_scope_and_account() {
    let served = filled().await;
    let store = served.inventory.store();
    for (name, project) in [("web", "bank"), ("00-shop", "shop"), ("01-shop", "shop")] {
        let change = live_in(name, name, at(90, 1, 90), project, &[]);
        let operation = crate::deployment::Ended {
            started_at: 7,
            mark: name.to_owned(),
            phase: crate::deployment::Phase::Failed,
            content: bytes::Bytes::new(),
            commit: bytes::Bytes::new(),
        };
        let mut state = change.state.clone().unwrap();
        (state.basic, state.detail) = (bytes::Bytes::new(), bytes::Bytes::new());
        let change = crate::application::Change {
            state: Some(state),
            operations: vec![operation],
            ..change
        };
        put(&**store, change).await;
    }
    for (caller, wanted) in [
        (SHOP, &["01-shop", "00-shop"][..]),
        ("user@default", &["01-shop", "00-shop", "web"]),
        (FOREIGN, &[]),
    ] {
        let (mut names, mut token) = (Vec::new(), String::new());
        loop {
            let answer = deployments(&served, caller, &token).await.unwrap();
            names.extend(answer.deployments.into_iter().map(|it| it.name));
            token = answer.next_page_token;
            if token.is_empty() {
                break;
            }
            let refused = deployments(&served, GLOBS, &token).await.unwrap_err();
            assert_eq!(reason(&refused), Some(Reason::FieldInvalid), "{refused}");
        }
        assert_eq!(names, wanted, "{caller}");
    }
}
