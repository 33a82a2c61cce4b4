//! What stays of histories when they get old, and by how many writes.

use super::*;

#[tokio::test]
async fn compaction_keeps_the_last_entry_of_each_hour_and_milestones() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let ours = account("default");
        for version in 1..=100_u64 {
            let mut change = change("u1", version, &version.to_string());
            if (40..60).contains(&version) {
                let state = change.state.as_mut().unwrap();
                state.summary.health = Health::Degraded;
            }
            report(store, change).await;
        }
        let before = entries(store, &ours, "web").await;
        let rules = RetentionRules {
            from: 0,
            full_from: in_an_hour(),
        };
        thin(store, rules).await;
        let told = entries(store, &ours, "web").await;
        let versions: Vec<u64> = told.iter().map(|entry| entry.resource_version).collect();
        let hours = |entry: &Entry| entry.moment.at / 3_600_000;
        // An hour may have ended in between.
        let ends = before
            .windows(2)
            .filter(|two| hours(&two[0]) != hours(&two[1]));
        let mut wanted: Vec<u64> = ends.map(|two| two[0].resource_version).collect();
        wanted.extend([1, 40, 60, 100]);
        wanted.sort_unstable();
        wanted.dedup();
        assert_eq!(versions, wanted);
        for entry in &told {
            let state = at_moment(store, &ours, "web", entry.moment).await;
            assert_eq!(state, Some(format!("{LONG}{}", entry.resource_version)));
        }
        report(store, change("u1", 101, "next")).await;
        thin(store, rules).await;
        let told = entries(store, &ours, "web").await;
        let last = at_moment(store, &ours, "web", told[told.len() - 1].moment).await;
        assert_eq!(last, Some(format!("{LONG}next")));
    }
}

#[tokio::test]
async fn entries_superseded_before_the_retention_are_deleted() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let ours = account("default");
        for version in 1..=50_u64 {
            report(store, change("u1", version, &version.to_string())).await;
        }
        report(store, live("u2", "api", at(51, 1, 51))).await;
        report(store, gone("u2", "api", at(52, 1, 52))).await;
        let rules = RetentionRules {
            from: in_an_hour(),
            full_from: 0,
        };
        thin(store, rules).await;
        let told = entries(store, &ours, "web").await;
        assert_eq!(told.len(), 1);
        let story = story_of(store, &ours, "web").await.unwrap();
        let beginning = store.reads().history_start(&ours, story.id).await.unwrap();
        assert_eq!(beginning, Some(told[0].moment));
        let state = at_moment(store, &ours, "web", told[0].moment).await;
        assert_eq!(state, Some(format!("{LONG}50")));
        assert_eq!(
            story_of(store, &ours, "api").await,
            None,
            "nothing is left of it"
        );
        report(store, change("u1", 53, "next")).await;
        let told = entries(store, &ours, "web").await;
        assert_eq!(told.len(), 2);
        let state = at_moment(store, &ours, "web", told[1].moment).await;
        assert_eq!(state, Some(format!("{LONG}next")));
    }
}

/// Each of so many changes one second after the other, from the beginning of time on.
async fn one_each_second(store: &dyn Store, path: &std::path::Path, count: u64) {
    for version in 1..=count {
        report(store, change("u1", version, &version.to_string())).await;
    }
    let seconds = "UPDATE history SET received_at = resource_version * 1000";
    on_file(path, seconds).await;
}

async fn on_file(path: &std::path::Path, sql: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
}

#[tokio::test]
async fn expired_entries_are_deleted_without_reading_later_ones() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let (store, ours) = (&*bench.store, account("default"));
    one_each_second(store, &path, 90).await;
    // Behind the next one that stands alone.
    let broken = "UPDATE history SET content = X'00' WHERE resource_version = 70";
    on_file(&path, broken).await;
    let rules = RetentionRules {
        from: 20_000,
        full_from: 0,
    };
    thin(store, rules).await;
    let told = entries(store, &ours, "web").await;
    assert_eq!(told[0].resource_version, 20);
    assert_eq!(told.len(), 71);
    for entry in &told[..45] {
        let state = at_moment(store, &ours, "web", entry.moment).await;
        assert_eq!(state, Some(format!("{LONG}{}", entry.resource_version)));
    }
}

#[tokio::test]
async fn compaction_continues_beyond_one_read() {
    use rand::Rng as _;
    for bench in Bench::all().await {
        let (store, ours) = (&*bench.store, account("default"));
        let mut same = vec![0_u8; 3 << 10];
        rand::rng().fill_bytes(&mut same);
        let mut before: Option<State> = None;
        for version in 1..=70_u64 {
            // Half of it is another one each time: a patch is as large as that.
            let mut other = vec![0_u8; 3 << 10];
            rand::rng().fill_bytes(&mut other);
            let canonical = bytes::Bytes::from([&same[..], &other].concat());
            let state = State {
                root_digest: Digest::of(&canonical),
                canonical,
                ..state("long")
            };
            let mut change = live("u1", "web", at(version, 1, version));
            change.state = Some(state.clone());
            let write_it = match before.replace(state) {
                Some(before) => Write::Report(Arc::new(change), Some(held(&before))),
                None => Write::Report(Arc::new(change), None),
            };
            write(store, write_it).await;
        }
        let told = entries(store, &ours, "web").await;
        let patches = told.iter().filter(|it| matches!(it.frame, Frame::Patch(_)));
        assert_eq!(patches.count(), 68);
        let rules = RetentionRules {
            from: 0,
            full_from: in_an_hour(),
        };
        thin(store, rules).await;
        let told = entries(store, &ours, "web").await;
        assert!(
            told.len() <= 3,
            "{} are left, of at most two hours",
            told.len()
        );
        let newest_first: Vec<Entry> = told.into_iter().rev().collect();
        let (_, last) = latest_state(&newest_first).unwrap().unwrap();
        assert!(last == before.unwrap().canonical);
    }
}

#[tokio::test]
async fn overtaken_compaction_plan_is_not_applied() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let (store, ours) = (&*bench.store, account("default"));
    one_each_second(store, &path, 30).await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    // Nobody writes until both were found out about the same entries.
    let others = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let over = RetentionRules {
        from: 28_500,
        full_from: 0,
    };
    let hourly = RetentionRules {
        from: 0,
        full_from: 29_500,
    };
    let (over, hourly) = (Write::Compact(over, 0), Write::Compact(hourly, 0));
    let (over, hourly) = (store.submit(over).await, store.submit(hourly).await);
    others.rollback().await.unwrap();
    over.unwrap().await.unwrap();
    hourly.unwrap().await.unwrap();
    pool.close().await;
    let told = entries(store, &ours, "web").await;
    let versions: Vec<u64> = told.iter().map(|entry| entry.resource_version).collect();
    assert_eq!(versions, [28, 29, 30]);
    for entry in &told {
        let state = at_moment(store, &ours, "web", entry.moment).await;
        assert_eq!(state, Some(format!("{LONG}{}", entry.resource_version)));
    }
}

/// How many entries some applications have.
async fn count(store: &dyn Store, names: &[String]) -> usize {
    let mut count = 0;
    for name in names {
        count += entries(store, &account("default"), name).await.len();
    }
    count
}

#[tokio::test]
async fn expiry_of_many_histories_takes_several_writes() {
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    let names: Vec<String> = (0..10).map(|number| format!("app-{number}")).collect();
    // Of entries that each stand alone, the ones that are over go without being read.
    for version in 1..=40_u64 {
        for name in &names {
            let position = at(version, 1, version);
            let change = match version % 2 {
                0 => live(&format!("{name}-{version}"), name, position),
                _ => gone(&format!("{name}-{}", version - 1), name, position),
            };
            write(store, Write::Report(Arc::new(change), None)).await;
        }
    }
    let rules = RetentionRules {
        from: in_an_hour(),
        full_from: 0,
    };
    let (mut before, mut next) = (count(store, &names).await, Some(0));
    assert_eq!(before, 390);
    while let Some(after) = next {
        let Outcome::Compacted { next: then } = write(store, Write::Compact(rules, after)).await
        else {
            panic!("histories are made thin");
        };
        let left = count(store, &names).await;
        assert!(before - left < 200, "{} went at once", before - left);
        (before, next) = (left, then);
    }
    assert_eq!(before, 10);
}

#[tokio::test]
async fn compaction_of_large_states_takes_several_writes() {
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    let names: Vec<String> = (0..5).map(|number| format!("app-{number}")).collect();
    for version in 1..=10_u64 {
        for name in &names {
            let mut change = live(name, name, at(version, 1, version));
            let text = format!("{}{version}", "it is long ".repeat(6_000));
            change.state = Some(state(&text));
            write(store, Write::Report(Arc::new(change), None)).await;
        }
    }
    let rules = RetentionRules {
        from: 0,
        full_from: in_an_hour(),
    };
    write(store, Write::Compact(rules, 0)).await;
    let left = count(store, &names).await;
    assert!((30..50).contains(&left), "{left} are left after one write");
    thin(store, rules).await;
    assert!(count(store, &names).await <= 10);
}
