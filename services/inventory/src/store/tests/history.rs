//! What was is what had been accepted, in every store.

mod any;
mod broken;
mod compaction;

use causeway_proto::ids::AccountId;

use super::*;
use crate::{
    application::Health,
    fixture::NEIGHBOUR,
    history::{
        Entry, Frame, History, MAX_PATCHES, Moment, latest_state, retention::RetentionRules,
    },
    inventory::ApplicationRequest,
    store::StoreError,
};

fn named(name: &str) -> ApplicationRequest {
    ApplicationRequest {
        runtime: "edge".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: String::new(),
    }
}

async fn story_of(store: &dyn Store, of: &AccountId, name: &str) -> Option<History> {
    let stories = store
        .reads()
        .find_histories(of, &named(name))
        .await
        .unwrap();
    assert!(stories.len() <= 1, "{stories:?}");
    stories.into_iter().next()
}

/// All entries of an application, the oldest first.
pub(super) async fn entries(store: &dyn Store, of: &AccountId, name: &str) -> Vec<Entry> {
    let Some(story) = story_of(store, of, name).await else {
        return Vec::new();
    };
    let (mut entries, mut until) = (Vec::new(), Moment::last_at(i64::MAX));
    loop {
        let reads = store.reads();
        let some = reads
            .history_entries(of, story.id, until, 10_000)
            .await
            .unwrap();
        let Some(last) = some.last() else { break };
        until = last.moment.previous();
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
        .history_entries(of, story.id, moment, 1)
        .await
        .unwrap();
    assert!(entries.len() <= MAX_PATCHES + 1);
    let state = latest_state(&entries).unwrap();
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

/// As the background does.
async fn thin(store: &dyn Store, rules: RetentionRules) {
    crate::cleanup::compact(store, rules).await.unwrap();
}

#[tokio::test]
async fn repeated_state_gets_no_change_and_the_later_position() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let of = |text: &str, epoch, sequence| Change {
            state: Some(state(&format!("{LONG}{text}"))),
            ..live("a", "web", at(5, epoch, sequence))
        };
        assert_eq!(report(store, of("one", 1, 1)).await, Outcome::Stored);
        let before = store
            .reads()
            .change_bounds(&account("default"))
            .await
            .unwrap();
        assert_eq!(report(store, of("one", 2, 1)).await, Outcome::Stored);
        let after = store
            .reads()
            .change_bounds(&account("default"))
            .await
            .unwrap();
        assert_eq!(after, before);
        // What the earlier stream had still to say comes too late.
        let late = report(store, of("two", 1, 2)).await;
        assert_eq!(late, Outcome::Superseded);
        assert_eq!(entries(store, &account("default"), "web").await.len(), 1);
        assert_eq!(report(store, of("two", 2, 2)).await, Outcome::Stored);
        assert_eq!(entries(store, &account("default"), "web").await.len(), 2);
    }
}

#[tokio::test]
async fn history_has_each_accepted_state_deletion_and_recreation() {
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
            Frame::Snapshot(uid, _) => uid.to_string(),
            Frame::Patch(_) => "patch".to_owned(),
            Frame::Tombstone => "gone".to_owned(),
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
        assert!(told.iter().all(
            |entry| entry.summary.health == Health::Missing || entry.frame == Frame::Tombstone
        ));
        let story = story_of(store, &theirs, "web").await.unwrap();
        let reads = store.reads();
        let until = Moment::last_at(i64::MAX);
        assert_eq!(
            reads
                .history_entries(&ours, story.id, until, 10)
                .await
                .unwrap(),
            []
        );
        assert_eq!(reads.history_start(&ours, story.id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn history_has_the_current_or_last_traits() {
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
            ("bank", crate::order::ObjectLife::Live)
        );
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        forget(store, keep(0)).await;
        let story = story_of(store, &ours, "web").await.unwrap();
        assert_eq!(
            (&*story.traits.project, story.life),
            ("bank", crate::order::ObjectLife::Gone)
        );
        assert_eq!(story.traits.labels["tier"], "bank");
    }
}

#[tokio::test]
async fn long_history_has_snapshots_and_finds_each_state() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let ours = account("default");
        for version in 1..=80_u64 {
            report(store, change("u1", version, &version.to_string())).await;
        }
        let told = entries(store, &ours, "web").await;
        let alone = |entry: &Entry| entry.frame.is_standalone();
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
            .history_entries(&ours, story.id, told[79].moment, 10)
            .await
            .unwrap();
        assert_eq!(some.len(), 16, "ten, and on to the one that stands alone");
    }
}

fn held(state: &State) -> crate::application::HeldState {
    crate::application::HeldState {
        root_digest: state.root_digest,
        canonical: state.canonical.clone(),
    }
}

#[tokio::test]
async fn prepared_patch_is_used_only_after_its_base() {
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
        write(store, Write::Report(of(1, &states[0]), None)).await;
        let following = Write::Report(of(2, &states[1]), Some(held(&states[0])));
        write(store, following).await;
        let stale = Write::Report(of(3, &states[2]), Some(held(&states[0])));
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
async fn revisions_are_stored_only_where_they_change() {
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
            let told = told.map(|it| (it.resource_version, it.summary.revisions.concat()));
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
            RetentionRules {
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

#[tokio::test]
async fn highly_compressed_entries_are_read_in_several_pages() {
    for bench in Bench::all().await {
        let (store, ours) = (&*bench.store, account("default"));
        for version in 1..=130_u64 {
            let mut change = live("u1", "web", at(version, 1, version));
            let state = change.state.as_mut().unwrap();
            state.canonical = format!("{}{version}", "it is long ".repeat(6_000)).into();
            state.root_digest = Digest::of(&state.canonical);
            write(store, Write::Report(Arc::new(change), None)).await;
        }
        let story = story_of(store, &ours, "web").await.unwrap();
        let until = Moment::last_at(i64::MAX);
        let page = store.reads().history_entries(&ours, story.id, until, 1_000);
        // As much as is enough, and on to the one that stands alone.
        assert_eq!(page.await.unwrap().len(), 66);
        assert_eq!(entries(store, &ours, "web").await.len(), 130);
    }
}

#[tokio::test]
async fn large_states_are_not_diffed_inside_the_transaction() {
    let bench = Bench::sqlite().await;
    let (store, ours) = (&*bench.store, account("default"));
    for version in 1..=2_u64 {
        let mut change = live("u1", "web", at(version, 1, version));
        let state = change.state.as_mut().unwrap();
        state.canonical = format!("{}{version}", "it is long ".repeat(50_000)).into();
        state.root_digest = Digest::of(&state.canonical);
        write(store, Write::Report(Arc::new(change), None)).await;
    }
    let told = entries(store, &ours, "web").await;
    assert!(told.iter().all(|entry| entry.frame.is_standalone()));
}
