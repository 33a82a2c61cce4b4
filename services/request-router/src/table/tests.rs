use super::*;

fn table() -> Table {
    Table::new(method::methods().values()).unwrap()
}

fn binding_of(verb: http::Method, template: &str) -> Binding {
    Binding {
        verb,
        template: template.parse().unwrap(),
        body: Body::Nothing,
        fields: Vec::new(),
        plain: false,
        place: 0,
        method: 0,
    }
}

#[test]
fn the_contract_makes_a_table() {
    let table = table();
    let sync = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
    let method = table.method(sync).unwrap();
    assert_eq!(method.contract.kind, Kind::Mutation);
    assert_eq!(method.shape, Shape::Unary);
    assert!(method.is_inside_runtime());
    assert_eq!(method.contract.part, "app-proxy");
    assert_eq!(method.runtime(), Some(1));
    assert_eq!(method.request_id(), Some(4));
    assert!(
        table
            .method("/causeway.proxy.v1.ApplicationActionService/Nothing")
            .is_none()
    );
}

#[test]
fn a_verb_and_a_path_lead_to_an_rpc() {
    let table = table();
    let cases = [
        (http::Method::GET, "/v1/applications", "ListApplications"),
        (
            http::Method::GET,
            "/v1/applications:watch",
            "WatchApplications",
        ),
        (http::Method::GET, "/v1/runtimes/prod", "GetRuntime"),
        (
            http::Method::GET,
            "/v1/runtimes/prod/applications/argocd/web",
            "GetApplication",
        ),
        (
            http::Method::GET,
            "/v1/runtimes/prod/applications/argocd/web/live",
            "GetLiveApplication",
        ),
        (
            http::Method::POST,
            "/v1/runtimes/prod/applications/argocd/web:sync",
            "SyncApplication",
        ),
    ];
    for (verb, path, expected) in cases {
        let path = RequestPath::parse(path).unwrap();
        let Lookup::Found(method, _, _) = table.lookup(&verb, &path) else {
            panic!("{verb} {path:?} leads nowhere");
        };
        assert!(
            method.path().ends_with(expected),
            "{} for {path:?}",
            method.path()
        );
    }
}

#[test]
fn another_verb_is_told_from_an_unknown_path() {
    let table = table();
    let path = RequestPath::parse("/v1/apiKeys").unwrap();
    let Lookup::OtherVerb(verbs) = table.lookup(&http::Method::DELETE, &path) else {
        panic!("the path exists");
    };
    assert_eq!(verbs.len(), 2);
    let path = RequestPath::parse("/v1/aplications").unwrap();
    assert!(matches!(
        table.lookup(&http::Method::GET, &path),
        Lookup::Unknown
    ));
    assert_eq!(
        table.nearest("/v1/aplications").unwrap().to_string(),
        "/v1/applications"
    );
    assert!(table.nearest("/favicon.ico").is_none());
}

#[test]
fn bindings_that_match_the_same_path_are_an_error() {
    let get = http::Method::GET;
    let same = [
        binding_of(get.clone(), "/v1/a/{b}"),
        binding_of(get.clone(), "/v1/a/c"),
    ];
    let error = check_overlaps(&same).unwrap_err().to_string();
    assert_eq!(
        error,
        "two HTTP bindings would match the same path: GET /v1/a/{b} and GET /v1/a/c"
    );
    let apart = [
        binding_of(get, "/v1/a/{b}"),
        binding_of(http::Method::POST, "/v1/a/{b}"),
    ];
    check_overlaps(&apart).unwrap();
}

#[test]
fn a_mutation_without_a_request_id_and_a_call_without_a_row_do_not_start() {
    let listed = method::method("/causeway.inventory.v1.ApplicationService/ListApplications");
    let mut changed = listed.unwrap().clone();
    changed.kind = Kind::Mutation;
    let error = Table::new([&changed].into_iter()).unwrap_err();
    assert!(matches!(error, TableError::NoRequestId(_)), "{error}");
    changed.kind = Kind::Unspecified;
    let error = Table::new([&changed].into_iter()).unwrap_err();
    assert!(matches!(error, TableError::NoAccess(_)), "{error}");
}
