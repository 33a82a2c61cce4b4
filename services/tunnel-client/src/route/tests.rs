use super::*;

#[test]
fn a_route_is_a_name_and_a_local_address() {
    let route: Route = "router=http://127.0.0.1:7500".parse().unwrap();
    assert_eq!(
        (route.name.as_str(), route.upstream.as_str()),
        ("router", "127.0.0.1:7500")
    );
}

#[test]
fn what_is_no_route_is_refused() {
    for text in [
        "router",
        "=http://127.0.0.1:1",
        "Router=http://127.0.0.1:1",
        "a/b=http://127.0.0.1:1",
        "router=https://127.0.0.1:1",
        "router=127.0.0.1:1",
        "router=http://127.0.0.1",
        "router=http://me@127.0.0.1:1",
        "router=http://127.0.0.1:1/path",
        "router=http://127.0.0.1:1/?q",
        "router=unix:/run/socket",
    ] {
        assert!(text.parse::<Route>().is_err(), "{text}");
    }
}

#[test]
fn only_an_exact_name_is_found() {
    let routes = [
        "router=http://127.0.0.1:1".parse().unwrap(),
        "app-proxy=http://127.0.0.1:2".parse().unwrap(),
    ];
    let routes = Routes::new(&routes, |route| route.upstream.port_u16()).unwrap();
    assert_eq!(routes.find("router"), Some(&Some(1)));
    assert_eq!(routes.names(), ["app-proxy", "router"]);
    for name in [
        "",
        "Router",
        "router ",
        "rout",
        "127.0.0.1:1",
        "169.254.169.254",
        "kubernetes.default",
        &"r".repeat(1024),
    ] {
        assert_eq!(routes.find(name), None, "{name}");
    }
}

#[test]
fn a_table_without_routes_or_with_one_twice_does_not_start() {
    let twice: Route = "router=http://127.0.0.1:1".parse().unwrap();
    assert_eq!(Routes::new(&[], |_| ()).unwrap_err(), RouteError::None);
    assert_eq!(
        Routes::new(&[twice.clone(), twice.clone()], |_| ()).unwrap_err(),
        RouteError::Twice(twice.name)
    );
}
