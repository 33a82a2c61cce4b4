//! What was is what had been accepted, in every store.

use causeway_proto::ids::AccountId;

use super::*;
use crate::{
    application::Health,
    fixture::NEIGHBOUR,
    history::{Entry, Frame, MOST_PATCHES, Moment, Story, newest, thinning::Rules},
    inventory::Wanted,
    store::StoreError,
};

fn named(name: &str) -> Wanted {
    Wanted {
        runtime: "edge".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: String::new(),
    }
}

async fn story_of(store: &dyn Store, of: &AccountId, name: &str) -> Option<Story> {
    let stories = store.reads().stories(of, &named(name)).await.unwrap();
    assert!(stories.len() <= 1, "{stories:?}");
    stories.into_iter().next()
}

/// All entries of an application, the oldest first.
pub(super) async fn entries(store: &dyn Store, of: &AccountId, name: &str) -> Vec<Entry> {
    let Some(story) = story_of(store, of, name).await else {
        return Vec::new();
    };
    let (mut entries, mut until) = (Vec::new(), Moment::end_of(i64::MAX));
    loop {
        let reads = store.reads();
        let some = reads.entries(of, story.id, until, 10_000).await.unwrap();
        let Some(last) = some.last() else { break };
        until = last.moment.before();
        entries.extend(some);
    }
    entries.reverse();
    entries
}

/// The state at a moment; nothing where it was gone.
async fn at_moment(
    store: &dyn Store,
    of: &AccountId,
    name: &str,
    moment: Moment,
) -> Option<String> {
    let story = story_of(store, of, name).await.unwrap();
    let entries = store
        .reads()
        .entries(of, story.id, moment, 1)
        .await
        .unwrap();
    assert!(entries.len() <= MOST_PATCHES + 1);
    let state = newest(&entries).unwrap();
    state.map(|(_, canonical)| String::from_utf8(canonical.to_vec()).unwrap())
}

const LONG: &str = "what is long enough for a patch to be shorter than a whole state of it, so that there are patches at all: ";

fn change(uid: &str, version: u64, text: &str) -> Change {
    Change {
        state: Some(state(&format!("{LONG}{text}"))),
        ..live(uid, "web", at(version, 1, version))
    }
}

fn in_an_hour() -> i64 {
    let now = std::time::SystemTime::now();
    causeway_proto::time::to_millis(now) + 2 * 3_600_000
}

#[tokio::test]
async fn a_state_that_a_later_stream_tells_again_is_told_once_and_stands_at_its_later_place() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let of = |text: &str, epoch, sequence| Change {
            state: Some(state(&format!("{LONG}{text}"))),
            ..live("a", "web", at(5, epoch, sequence))
        };
        assert_eq!(report(store, of("one", 1, 1)).await, Outcome::Kept);
        let before = store.reads().extent(&account("default")).await.unwrap();
        assert_eq!(report(store, of("one", 2, 1)).await, Outcome::Kept);
        let after = store.reads().extent(&account("default")).await.unwrap();
        assert_eq!(after, before);
        // What the earlier stream had still to say comes too late.
        let late = report(store, of("two", 1, 2)).await;
        assert_eq!(late, Outcome::Superseded);
        assert_eq!(entries(store, &account("default"), "web").await.len(), 1);
        assert_eq!(report(store, of("two", 2, 2)).await, Outcome::Kept);
        assert_eq!(entries(store, &account("default"), "web").await.len(), 2);
    }
}

#[tokio::test]
async fn each_accepted_state_is_told_with_ends_and_new_beginnings() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, change("u1", 1, "one")).await;
        report(store, change("u1", 2, "two")).await;
        report(store, change("u1", 1, "older")).await;
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        report(store, change("u2", 4, "again")).await;
        report(store, change("u3", 5, "instead")).await;
        let ours = account("default");
        let told = entries(store, &ours, "web").await;
        let kinds = told.iter().map(|entry| match &entry.frame {
            Frame::Whole(uid, _) => uid.to_string(),
            Frame::Patch(_) => "patch".to_owned(),
            Frame::Gone => "gone".to_owned(),
        });
        let kinds: Vec<String> = kinds.collect();
        assert_eq!(kinds, ["u1", "patch", "gone", "u2", "gone", "u3"]);
        assert!(told.is_sorted_by_key(|entry| entry.moment));
        let versions: Vec<u64> = told.iter().map(|entry| entry.resource_version).collect();
        assert_eq!(versions, [1, 2, 3, 4, 4, 5]);
        let wanted = ["one", "two", "", "again", "", "instead"];
        for (entry, text) in told.iter().zip(wanted) {
            let state = at_moment(store, &ours, "web", entry.moment).await;
            let wanted = (!text.is_empty()).then(|| format!("{LONG}{text}"));
            assert_eq!(state, wanted);
        }
        // Theirs was never deleted, and is none of ours.
        let theirs = account(NEIGHBOUR);
        let told = entries(store, &theirs, "web").await;
        assert!(
            told.iter()
                .all(|entry| entry.outline.health == Health::Missing || entry.frame == Frame::Gone)
        );
        let story = story_of(store, &theirs, "web").await.unwrap();
        let reads = store.reads();
        let until = Moment::end_of(i64::MAX);
        assert_eq!(reads.entries(&ours, story.id, until, 10).await.unwrap(), []);
        assert_eq!(reads.beginning(&ours, story.id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_history_tells_of_the_application_as_it_is_and_else_as_it_was_last() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let ours = account("default");
        let in_project = |version, project: &str| {
            crate::fixture::live_in(
                "u1",
                "web",
                at(version, 1, version),
                project,
                &[("tier", project)],
            )
        };
        report(store, in_project(1, "shop")).await;
        report(store, in_project(2, "bank")).await;
        let story = story_of(store, &ours, "web").await.unwrap();
        assert_eq!(
            (&*story.traits.project, story.life),
            ("bank", crate::order::Life::Live)
        );
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        forget(store, keep(0)).await;
        let story = story_of(store, &ours, "web").await.unwrap();
        assert_eq!(
            (&*story.traits.project, story.life),
            ("bank", crate::order::Life::Gone)
        );
        assert_eq!(story.traits.labels["tier"], "bank");
    }
}

#[tokio::test]
async fn many_states_are_whole_now_and_then_and_each_is_found() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let ours = account("default");
        for version in 1..=80_u64 {
            report(store, change("u1", version, &version.to_string())).await;
        }
        let told = entries(store, &ours, "web").await;
        let alone = |entry: &Entry| entry.frame.stands_alone();
        let whole = told.iter().enumerate().filter(|(_, entry)| alone(entry));
        let whole: Vec<usize> = whole.map(|(index, _)| index).collect();
        assert_eq!(whole, [0, 64]);
        for entry in &told {
            let state = at_moment(store, &ours, "web", entry.moment).await;
            assert_eq!(state, Some(format!("{LONG}{}", entry.resource_version)));
        }
        let story = story_of(store, &ours, "web").await.unwrap();
        let reads = store.reads();
        let some = reads
            .entries(&ours, story.id, told[79].moment, 10)
            .await
            .unwrap();
        assert_eq!(some.len(), 16, "ten, and on to the one that stands alone");
    }
}

#[tokio::test]
async fn a_thin_history_has_the_last_of_each_hour_and_what_says_something() {
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
        let rules = Rules {
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

/// As the background does.
async fn thin(store: &dyn Store, rules: Rules) {
    crate::tidying::thin(store, rules).await.unwrap();
}

#[tokio::test]
async fn what_was_over_before_the_time_that_is_kept_goes_and_what_stood_then_stays() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let ours = account("default");
        for version in 1..=50_u64 {
            report(store, change("u1", version, &version.to_string())).await;
        }
        report(store, live("u2", "api", at(51, 1, 51))).await;
        report(store, gone("u2", "api", at(52, 1, 52))).await;
        let rules = Rules {
            from: in_an_hour(),
            full_from: 0,
        };
        thin(store, rules).await;
        let told = entries(store, &ours, "web").await;
        assert_eq!(told.len(), 1);
        let story = story_of(store, &ours, "web").await.unwrap();
        let beginning = store.reads().beginning(&ours, story.id).await.unwrap();
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

#[tokio::test]
async fn a_history_that_was_broken_on_the_disk_is_told_as_corrupt_and_others_are_read() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let (store, ours) = (&*bench.store, account("default"));
    for version in 1..=3_u64 {
        report(store, change("u1", version, &version.to_string())).await;
    }
    report(store, live("u2", "api", at(4, 1, 4))).await;
    let story = story_of(store, &ours, "web").await.unwrap();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let reads = store.reads();
    let until = Moment::end_of(i64::MAX);
    for broken in [
        "UPDATE history SET content = (SELECT content FROM history WHERE resource_version = 4) WHERE resource_version = 1",
        "DELETE FROM history WHERE resource_version = 1",
    ] {
        sqlx::raw_sql(broken).execute(&pool).await.unwrap();
        let entries = reads.entries(&ours, story.id, until, 1).await.unwrap();
        assert!(newest(&entries).is_err(), "{broken}");
    }
    let kinds = "UPDATE history SET facts = facts | 3";
    sqlx::raw_sql(kinds).execute(&pool).await.unwrap();
    let refused = reads.entries(&ours, story.id, until, 1).await;
    assert!(matches!(refused, Err(StoreError::Corrupt("history"))));
    thin(
        store,
        Rules {
            from: 0,
            full_from: in_an_hour(),
        },
    )
    .await;
    pool.close().await;
}

#[tokio::test]
async fn a_history_that_cannot_be_read_keeps_none_after_it_from_becoming_thin() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let store = &*bench.store;
    for version in 1..=100_u64 {
        report(store, change("u1", version, &version.to_string())).await;
    }
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    // That it comes to an end is what is shown.
    for broken in [
        "UPDATE history SET content = X'00' WHERE resource_version = 98",
        "DELETE FROM history WHERE resource_version = 97",
    ] {
        sqlx::raw_sql(broken).execute(&pool).await.unwrap();
        let rules = Rules {
            from: in_an_hour(),
            full_from: in_an_hour(),
        };
        thin(store, rules).await;
    }
    pool.close().await;
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
async fn what_was_over_is_dropped_without_a_look_at_what_is_not() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let (store, ours) = (&*bench.store, account("default"));
    one_each_second(store, &path, 90).await;
    // Behind the next one that stands alone.
    let broken = "UPDATE history SET content = X'00' WHERE resource_version = 70";
    on_file(&path, broken).await;
    let rules = Rules {
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
async fn a_chain_of_more_than_is_read_at_once_becomes_thin_beyond_it() {
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
                Some(before) => Write::Following(Arc::new(change), held(&before)),
                None => Write::Report(Arc::new(change)),
            };
            write(store, write_it).await;
        }
        let told = entries(store, &ours, "web").await;
        let patches = told.iter().filter(|it| matches!(it.frame, Frame::Patch(_)));
        assert_eq!(patches.count(), 68);
        let rules = Rules {
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
        let (_, last) = newest(&newest_first).unwrap().unwrap();
        assert!(last == before.unwrap().canonical);
    }
}

fn held(state: &State) -> crate::application::HeldState {
    crate::application::HeldState {
        root_digest: state.root_digest,
        canonical: state.canonical.clone(),
    }
}

#[tokio::test]
async fn what_was_found_of_a_history_is_left_undone_where_it_is_another_one_by_now() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let (store, ours) = (&*bench.store, account("default"));
    one_each_second(store, &path, 30).await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    // Nobody writes until both were found out about the same entries.
    let others = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let over = Rules {
        from: 28_500,
        full_from: 0,
    };
    let hourly = Rules {
        from: 0,
        full_from: 29_500,
    };
    let (over, hourly) = (Write::Thin(over, 0), Write::Thin(hourly, 0));
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

#[tokio::test]
async fn a_patch_that_was_made_before_is_used_after_its_base_alone() {
    for bench in Bench::all().await {
        let (store, ours) = (&*bench.store, account("default"));
        let large = |text: &str| {
            let mut state = state("");
            state.canonical = format!("{}{text}", "it is long ".repeat(50_000)).into();
            state.root_digest = Digest::of(&state.canonical);
            state
        };
        let states = ["one", "two", "three", "four"].map(large);
        let of = |version: u64, state: &State| {
            let mut change = live("u1", "web", at(version, 1, version));
            change.state = Some(state.clone());
            Arc::new(change)
        };
        write(store, Write::Report(of(1, &states[0]))).await;
        let following = Write::Following(of(2, &states[1]), held(&states[0]));
        write(store, following).await;
        let stale = Write::Following(of(3, &states[2]), held(&states[0]));
        write(store, stale).await;
        let told = entries(store, &ours, "web").await;
        assert!(matches!(told[1].frame, Frame::Patch(_)));
        for (entry, state) in told.iter().zip(&states) {
            let is = at_moment(store, &ours, "web", entry.moment).await;
            assert!(is == Some(String::from_utf8(state.canonical.to_vec()).unwrap()));
        }
    }
}

#[tokio::test]
async fn revisions_are_told_of_each_state_and_kept_where_they_change_alone() {
    for bench in Bench::all().await {
        let (store, ours) = (&*bench.store, account("default"));
        let revisions = ["a", "a", "a", "b", "b", "", "b", "b", "b"];
        for (version, revision) in (1..).zip(revisions) {
            let mut change = change("u1", version, &version.to_string());
            let state = change.state.as_mut().unwrap();
            state.progress.revisions = match revision {
                "" => Vec::new(),
                revision => vec![revision.to_owned(), "other".to_owned()],
            };
            report(store, change).await;
        }
        let shown = async || {
            let told = entries(store, &ours, "web").await.into_iter();
            let told = told.map(|it| (it.resource_version, it.outline.revisions.concat()));
            told.collect::<Vec<_>>()
        };
        let wanted = (1..).zip(revisions.map(|it| match it {
            "" => String::new(),
            it => format!("{it}other"),
        }));
        let wanted: Vec<(u64, String)> = wanted.collect();
        assert_eq!(shown().await, wanted);
        if let Some(folder) = &bench.folder {
            let path = folder.path().join("inventory.db");
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
            let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
            let kept = "SELECT revisions FROM history JOIN story ON story.id = story
                        WHERE account = 'default' ORDER BY change";
            let kept: Vec<String> = sqlx::query_scalar(kept).fetch_all(&pool).await.unwrap();
            let short = kept.iter().map(|it| it.is_empty());
            let short: Vec<bool> = short.collect();
            let expected = [false, true, true, false, true, true, false, true, true];
            assert_eq!(short, expected);
            pool.close().await;
        }
        thin(
            store,
            Rules {
                from: 0,
                full_from: in_an_hour(),
            },
        )
        .await;
        // The one before the last one is gone, and so is the one that said the revisions of both.
        let left = shown().await;
        assert!(left.len() < 4, "{left:?}");
        assert_eq!(left.last(), wanted.last());
        for told in left {
            assert!(wanted.contains(&told), "{told:?}");
        }
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
async fn what_is_over_of_many_histories_goes_in_several_writes() {
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
            write(store, Write::Report(Arc::new(change))).await;
        }
    }
    let rules = Rules {
        from: in_an_hour(),
        full_from: 0,
    };
    let (mut before, mut next) = (count(store, &names).await, Some(0));
    assert_eq!(before, 390);
    while let Some(after) = next {
        let Outcome::Thinned { next: then } = write(store, Write::Thin(rules, after)).await else {
            panic!("histories are made thin");
        };
        let left = count(store, &names).await;
        assert!(before - left < 200, "{} went at once", before - left);
        (before, next) = (left, then);
    }
    assert_eq!(before, 10);
}

#[tokio::test]
async fn large_states_of_many_histories_are_made_thin_in_several_writes() {
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    let names: Vec<String> = (0..5).map(|number| format!("app-{number}")).collect();
    for version in 1..=10_u64 {
        for name in &names {
            let mut change = live(name, name, at(version, 1, version));
            let text = format!("{}{version}", "it is long ".repeat(6_000));
            change.state = Some(state(&text));
            write(store, Write::Report(Arc::new(change))).await;
        }
    }
    let rules = Rules {
        from: 0,
        full_from: in_an_hour(),
    };
    write(store, Write::Thin(rules, 0)).await;
    let left = count(store, &names).await;
    assert!((30..50).contains(&left), "{left} are left after one write");
    thin(store, rules).await;
    assert!(count(store, &names).await <= 10);
}

#[tokio::test]
async fn few_bytes_that_make_many_are_read_in_several_pages() {
    for bench in Bench::all().await {
        let (store, ours) = (&*bench.store, account("default"));
        for version in 1..=130_u64 {
            let mut change = live("u1", "web", at(version, 1, version));
            let state = change.state.as_mut().unwrap();
            state.canonical = format!("{}{version}", "it is long ".repeat(6_000)).into();
            state.root_digest = Digest::of(&state.canonical);
            write(store, Write::Report(Arc::new(change))).await;
        }
        let story = story_of(store, &ours, "web").await.unwrap();
        let until = Moment::end_of(i64::MAX);
        let page = store.reads().entries(&ours, story.id, until, 1_000);
        // As much as is enough, and on to the one that stands alone.
        assert_eq!(page.await.unwrap().len(), 66);
        assert_eq!(entries(store, &ours, "web").await.len(), 130);
    }
}

#[tokio::test]
async fn large_states_are_not_compared_while_others_wait() {
    let bench = Bench::sqlite().await;
    let (store, ours) = (&*bench.store, account("default"));
    for version in 1..=2_u64 {
        let mut change = live("u1", "web", at(version, 1, version));
        let state = change.state.as_mut().unwrap();
        state.canonical = format!("{}{version}", "it is long ".repeat(50_000)).into();
        state.root_digest = Digest::of(&state.canonical);
        write(store, Write::Report(Arc::new(change))).await;
    }
    let told = entries(store, &ours, "web").await;
    assert!(told.iter().all(|entry| entry.frame.stands_alone()));
}

/// All stores are given the same reports, and each tells at each moment what a list of whole states says.
#[test]
fn histories_of_any_reports_are_what_a_list_of_whole_states_says() {
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
    let checked = runner.run(&all, |(reports, thinned)| {
        runtime.block_on(async {
            for bench in Bench::all().await {
                agree(&*bench.store, &reports, thinned).await;
            }
        });
        Ok(())
    });
    checked.unwrap();
}

async fn agree(store: &dyn Store, reports: &[(u8, prop::sample::Index, u8)], thinned: bool) {
    let ours = account("default");
    let mut naive: Vec<(u64, Option<String>)> = Vec::new();
    let mut held: Option<u8> = None;
    for (version, (uid, text, kind)) in (1..).zip(reports) {
        let name = format!("u{uid}{}", if thinned { "t" } else { "" });
        if *kind == 0 {
            let outcome = report(store, gone(&name, "web", at(version, 1, version))).await;
            assert_eq!(outcome, Outcome::Kept);
            if held == Some(*uid) {
                naive.push((version, None));
                held = None;
            }
            continue;
        }
        let text = format!("{LONG}{}", text.index(1 << 20));
        let mut change = change(&name, version, "");
        change.state = Some(state(&text));
        assert_eq!(report(store, change).await, Outcome::Kept);
        if held.is_some_and(|held| held != *uid) {
            naive.push((0, None));
        }
        naive.push((version, Some(text)));
        held = Some(*uid);
    }
    if thinned {
        thin(
            store,
            Rules {
                from: 0,
                full_from: in_an_hour(),
            },
        )
        .await;
    }
    let told = entries(store, &ours, "web").await;
    assert!(thinned || told.len() == naive.len());
    for entry in &told {
        let version = entry.resource_version;
        let state = at_moment(store, &ours, "web", entry.moment).await;
        if entry.frame == Frame::Gone {
            assert_eq!(state, None);
            continue;
        }
        let wanted = naive.iter().find(|(of, _)| *of == version).unwrap();
        assert_eq!(&state, &wanted.1);
    }
}
