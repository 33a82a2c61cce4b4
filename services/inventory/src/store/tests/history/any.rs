//! Any reports, and what a list of whole states says of them.

use super::*;

/// All stores are given the same reports, and each tells at each moment what a list of whole states says.
#[test]
fn any_reports_yield_the_history_of_their_snapshots() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    });
    let one = (0..2_u8, any::<prop::sample::Index>(), 0..8_u8);
    let all = (prop::collection::vec(one, 1..80), any::<bool>());
    let checked = runner.run(&all, |(reports, plan_actions)| {
        runtime.block_on(async {
            for bench in Bench::all().await {
                agree(&*bench.store, &reports, plan_actions).await;
            }
        });
        Ok(())
    });
    checked.unwrap();
}

async fn agree(store: &dyn Store, reports: &[(u8, prop::sample::Index, u8)], plan_actions: bool) {
    let ours = account("default");
    let mut naive: Vec<(u64, Option<String>)> = Vec::new();
    let mut held: Option<u8> = None;
    for (version, (uid, text, kind)) in (1..).zip(reports) {
        let name = format!("u{uid}{}", if plan_actions { "t" } else { "" });
        if *kind == 0 {
            let outcome = report(store, gone(&name, "web", at(version, 1, version))).await;
            assert_eq!(outcome, Outcome::Stored);
            if held == Some(*uid) {
                naive.push((version, None));
                held = None;
            }
            continue;
        }
        let text = format!("{LONG}{}", text.index(1 << 20));
        let mut change = change(&name, version, "");
        change.state = Some(state(&text));
        assert_eq!(report(store, change).await, Outcome::Stored);
        if held.is_some_and(|held| held != *uid) {
            naive.push((0, None));
        }
        naive.push((version, Some(text)));
        held = Some(*uid);
    }
    if plan_actions {
        thin(
            store,
            RetentionRules {
                from: 0,
                full_from: in_an_hour(),
            },
        )
        .await;
    }
    let told = entries(store, &ours, "web").await;
    assert!(plan_actions || told.len() == naive.len());
    for entry in &told {
        let version = entry.resource_version;
        let state = at_moment(store, &ours, "web", entry.moment).await;
        if entry.frame == Frame::Tombstone {
            assert_eq!(state, None);
            continue;
        }
        let wanted = naive.iter().find(|(of, _)| *of == version).unwrap();
        assert_eq!(&state, &wanted.1);
    }
}
