//! Every RPC of the contract for every built-in role, and every RPC of the platform for things of one's own account, of another one
//! and of none. What is expected stands in two tables beside this file; what has no row there is a failure.

mod world;

use std::collections::{BTreeMap, BTreeSet};

use causeway_proto::{
    access::v1::CallerKind,
    method::{Method, method, methods},
};
use tonic::Code;

use self::world::{Kind, Tenant, World};

const ROLES: &str = include_str!("matrix/roles.txt");
const THINGS: &str = include_str!("matrix/things.txt");

/// The lines of a table without comments, as columns.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|columns| !columns.is_empty())
}

/// A path without its leading slash and what all packages have in common.
fn short(path: &str) -> String {
    path.trim_start_matches("/causeway.").to_owned()
}

fn open_to_users(method: &Method) -> bool {
    method.callers.contains(&CallerKind::User)
}

#[tokio::test]
async fn every_rpc_of_the_contract_is_for_the_roles_that_the_table_names() {
    let world = World::start().await;
    let mut actual = Vec::new();
    for method in methods().values() {
        let mut columns = vec![short(&method.path)];
        for (_, key) in &world.holders {
            columns.push(world.reach(key, method).await.to_owned());
        }
        actual.push(columns.join(" "));
    }
    let expected: BTreeSet<String> = rows(ROLES).map(|columns| columns.join(" ")).collect();
    let actual: BTreeSet<String> = actual.into_iter().collect();
    let wrong: Vec<_> = actual.difference(&expected).collect();
    let stale: Vec<_> = expected.difference(&actual).collect();
    let holders: Vec<_> = world.holders.iter().map(|(name, _)| *name).collect();
    assert!(
        wrong.is_empty() && stale.is_empty(),
        "for {holders:?}\nthese rows are true and not in matrix/roles.txt: {wrong:#?}\nthese are there and not true: {stale:#?}"
    );
}

#[tokio::test]
async fn what_belongs_to_another_account_is_as_if_it_were_not_there() {
    let mut world = World::start().await;
    let table: BTreeMap<&str, Vec<&str>> = rows(THINGS)
        .map(|columns| (columns[0], columns[1..].to_vec()))
        .collect();
    for method in methods().values() {
        if method.part != "platform" || !open_to_users(method) {
            continue;
        }
        let name = short(&method.path);
        let row = table.get(name.as_str());
        let row = row.unwrap_or_else(|| panic!("{name} has no row in matrix/things.txt"));
        for tenant in [Tenant::RootKeyNote, Tenant::Second] {
            check(&mut world, method, row, tenant).await;
        }
    }
}

#[tokio::test]
async fn the_pages_of_a_list_are_all_of_it_once_and_their_tokens_are_of_no_use_elsewhere() {
    let mut world = World::start().await;
    let kinds = [
        Kind::Role,
        Kind::User,
        Kind::ApiKey,
        Kind::Runtime,
        Kind::IdentityProvider,
        Kind::ServiceAccount,
        Kind::Session,
        Kind::JoinToken,
        Kind::SavedView,
    ];
    for kind in kinds {
        for tenant in [Tenant::RootKeyNote, Tenant::RootKeyNote, Tenant::Second] {
            world.make(tenant, kind).await;
        }
    }
    let user = world.make(Tenant::RootKeyNote, Kind::Linked).await;
    let link = method("/causeway.platform.v1.IdentityProviderService/LinkIdentity").unwrap();
    for _ in 0..2 {
        let linked = world.call(Tenant::RootKeyNote, link, "user", &user).await;
        linked.unwrap();
    }
    let mut seen = Vec::new();
    for method in methods().values() {
        let input = method.descriptor.input();
        let paged = input.get_field_by_name("page_token").is_some();
        if paged && method.part == "platform" {
            world.check_pages(method, &user).await;
            seen.push(method.descriptor.name().to_owned());
        }
    }
    assert_eq!(seen.len(), 14, "{seen:?}");
}

async fn check(world: &mut World, method: &Method, row: &[&str], tenant: Tenant) {
    let Some(kind) = Kind::named(row[0]) else {
        return world.check_without_thing(method, tenant).await;
    };
    let [_, field, codes @ ..] = row else {
        panic!(
            "{}: a row is RPC KIND FIELD OWN FOREIGN ABSENT",
            method.path
        );
    };
    let own = world.make(tenant, kind).await;
    let foreign = world.make(tenant.other(), kind).await;
    let absent = world.absent(kind);
    let mut refusals = Vec::new();
    for (name, expected) in [&own, &foreign, &absent].into_iter().zip(codes) {
        let answer = world.call(tenant, method, field, name).await;
        let code = answer
            .as_ref()
            .map_or_else(tonic::Status::code, |_| Code::Ok);
        let what = format!("{} {field}={name} by {tenant:?}: {answer:?}", method.path);
        assert_eq!(format!("{code:?}"), *expected, "{what}");
        refusals.push(
            answer
                .map_err(|status| status.message().replace(name.as_str(), "X"))
                .err(),
        );
    }
    assert_eq!(
        refusals[1], refusals[2],
        "{}: foreign and absent",
        method.path
    );
    let kept = world.look(tenant.other(), kind, &foreign).await;
    assert!(kept, "{}: {foreign} is as it was", method.path);
}
