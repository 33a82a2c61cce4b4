use super::RendezvousKey;

const OBJECTS: usize = 20_000;

fn members(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("0194b4a6-63f2-7d25-9a3c-{number:012x}"))
        .collect()
}

fn names() -> Vec<String> {
    (0..OBJECTS).map(|number| format!("app-{number}")).collect()
}

fn object(name: &str) -> RendezvousKey<'_> {
    RendezvousKey {
        cluster: "in-cluster",
        kind: "applications.argoproj.io",
        namespace: "argocd",
        name,
    }
}

fn by_rendezvous<'m>(name: &str, members: &'m [String]) -> &'m str {
    object(name).owner(members).unwrap()
}

/// The alternative that was rejected: assignment by remainder.
fn by_modulo<'m>(name: &str, members: &'m [String]) -> &'m str {
    let number: usize = name.trim_start_matches("app-").parse().unwrap();
    &members[number % members.len()]
}

type Rule = for<'m> fn(&str, &'m [String]) -> &'m str;

/// Share of the objects that change their owner between `before` and `after` members.
fn moved(rule: Rule, before: usize, after: usize) -> f64 {
    let (before, after) = (members(before), members(after));
    let names = names();
    let moved = names
        .iter()
        .filter(|name| rule(name, &before) != rule(name, &after));
    moved.count() as f64 / OBJECTS as f64
}

/// Largest share that one joining or leaving member may move.
fn bound(larger: usize) -> f64 {
    1.25 / larger as f64
}

fn steps() -> impl Iterator<Item = (usize, usize)> {
    let up = (5..8).map(|count| (count, count + 1));
    let down = (4..=8).rev().map(|count| (count, count - 1));
    up.chain(down)
}

#[test]
fn joining_and_leaving_moves_no_more_than_one_share() {
    for (before, after) in steps() {
        let share = moved(by_rendezvous, before, after);
        let most = bound(before.max(after));
        assert!(share <= most, "{before} -> {after}: {share} of {most}");
    }
}

#[test]
fn modulo_assignment_moves_more() {
    for (before, after) in steps() {
        let share = moved(by_modulo, before, after);
        let most = bound(before.max(after));
        assert!(share > most, "{before} -> {after}: {share} of {most}");
    }
}

#[test]
fn only_objects_of_the_joining_member_move() {
    let (five, six) = (members(5), members(6));
    for name in names() {
        let (before, after) = (by_rendezvous(&name, &five), by_rendezvous(&name, &six));
        assert!(before == after || after == six[5], "{name}");
    }
}

#[test]
fn shares_are_balanced() {
    let members = members(8);
    for member in &members {
        let names = names();
        let own = names
            .iter()
            .filter(|name| by_rendezvous(name, &members) == member);
        let share = own.count() as f64 / OBJECTS as f64;
        assert!((0.115..0.135).contains(&share), "{member}: {share}");
    }
}

#[test]
fn owner_ignores_member_order_and_is_none_without_members() {
    let mut members = members(5);
    let before: Vec<String> = names()
        .iter()
        .map(|name| by_rendezvous(name, &members).to_owned())
        .collect();
    members.reverse();
    for (name, before) in names().iter().zip(before) {
        assert_eq!(by_rendezvous(name, &members), before);
    }
    assert_eq!(object("web").owner::<String>(&[]), None);
}

/// Reporters of two versions work side by side during an upgrade: the rule may not change by accident.
#[test]
fn hash_function_is_stable() {
    let members = members(5);
    let owners: Vec<usize> = ["web", "api", "db", "cache", "mail"]
        .iter()
        .map(|name| {
            let owner = by_rendezvous(name, &members);
            members.iter().position(|member| member == owner).unwrap()
        })
        .collect();
    assert_eq!(owners, [0, 3, 4, 4, 0]);
}
