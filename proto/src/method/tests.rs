use super::{method, methods};
use crate::access::v1::{CallerKind, Kind, Side};

#[test]
fn every_rpc_has_an_access_rule_and_a_part() {
    for method in methods().values() {
        assert_ne!(
            method.kind,
            Kind::Unspecified,
            "{} has no kind",
            method.path
        );
        assert!(!method.callers.is_empty(), "{} has no callers", method.path);
        assert!(
            !method.callers.contains(&CallerKind::Unspecified),
            "{}",
            method.path
        );
        assert!(
            !method.part.is_empty() && method.side != Side::Unspecified,
            "{} has no part",
            method.path
        );
    }
}

#[test]
fn users_need_a_permission_and_unauthenticated_callers_reach_only_public_rpcs() {
    for method in methods().values() {
        let user = method.callers.contains(&CallerKind::User);
        assert_eq!(user, !method.permission.is_empty(), "{}", method.path);
        let anyone = method.callers.contains(&CallerKind::Anyone);
        assert_eq!(anyone, method.kind == Kind::Public, "{}", method.path);
    }
}

#[test]
fn request_streams_match_the_kind_and_users_have_only_sessions() {
    for method in methods().values() {
        let streams = method.descriptor.is_client_streaming();
        let expected = matches!(method.kind, Kind::Stream | Kind::Session);
        assert_eq!(streams, expected, "{}", method.path);
        let user = method.callers.contains(&CallerKind::User);
        assert_eq!(
            streams && user,
            method.kind == Kind::Session,
            "{}",
            method.path
        );
        // A session has no path that could be its target; other calls that change something may say more than theirs.
        let has_target = !method.target.is_empty();
        let fits = match method.kind {
            Kind::Session => has_target,
            Kind::Mutation => true,
            Kind::Unspecified | Kind::Read | Kind::SecretRead | Kind::Public | Kind::Stream => {
                !has_target
            }
        };
        assert!(fits, "{}", method.path);
    }
}

#[test]
fn mutations_of_users_carry_a_request_id() {
    for method in methods()
        .values()
        .filter(|method| matches!(method.kind, Kind::Mutation | Kind::Session))
    {
        let request = method.descriptor.input();
        assert!(
            request.get_field_by_name("request_id").is_some(),
            "{}",
            method.path
        );
    }
}

#[test]
fn runtime_calls_have_the_runtime_as_first_field() {
    let user = |method: &&super::Method| method.callers.contains(&CallerKind::User);
    for method in methods()
        .values()
        .filter(user)
        .filter(|method| method.side == Side::Runtime)
    {
        let field = method.descriptor.input().get_field_by_name("runtime");
        assert_eq!(
            field.map(|field| field.number()),
            Some(1),
            "{}",
            method.path
        );
    }
}

#[test]
fn options_of_a_known_rpc_are_read_completely() {
    let sync = method("/causeway.proxy.v1.ApplicationActionService/SyncApplication").unwrap();
    assert_eq!((sync.kind, sync.side), (Kind::Mutation, Side::Runtime));
    assert_eq!(
        (sync.part.as_str(), sync.permission.as_str()),
        ("app-proxy", "application.sync")
    );
}
