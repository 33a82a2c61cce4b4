use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use super::{
    retention::{EntryAction, RetentionRules, plan_actions},
    *,
};
use crate::{
    application::{Health, Operation},
    fixture::state,
};

const HOUR: i64 = 3_600_000;

/// What happens to an application, so long after what happened before.
#[derive(Debug, Clone)]
enum Step {
    State {
        text: Vec<u8>,
        health: u8,
        ended_at: i64,
    },
    Gone,
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let text = prop::collection::vec(0..4_u8, 0..300);
    let record = (text, 0..3_u8, 0..3_i64);
    let record = record.prop_map(|(text, health, ended_at)| Step::State {
        text,
        health,
        ended_at,
    });
    let step = prop_oneof![12 => record, 1 => Just(Step::Gone)];
    prop::collection::vec((0..HOUR / 3, step), 1..120)
}

/// History as a store records it, with the state of each moment.
#[derive(Debug, Default)]
struct Recorded {
    entries: Vec<Entry>,
    states: Vec<Option<Bytes>>,
}

fn record(steps: &[(i64, Step)]) -> Recorded {
    let mut record = Recorded::default();
    let (mut held, mut at): (Option<(State, usize)>, i64) = (None, 0);
    for (change, (later, step)) in (1..).zip(steps) {
        at += later;
        let moment = Moment { at, change };
        held = record_step(&mut record, moment, step, held);
    }
    record
}

fn record_step(
    record: &mut Recorded,
    moment: Moment,
    step: &Step,
    held: Option<(State, usize)>,
) -> Option<(State, usize)> {
    let uid = Uid::from("u1");
    let Step::State {
        text,
        health,
        ended_at,
    } = step
    else {
        if held.is_some() {
            record.states.push(None);
            record.entries.push(Entry {
                moment,
                resource_version: moment.change,
                summary: EntrySummary::tombstone(),
                importance: Importance::Milestone,
                root_digest: None,
                frame: Frame::Tombstone,
            });
        }
        return None;
    };
    let mut next = state("");
    next.canonical = text.clone().into();
    next.root_digest = Digest::of(text);
    next.summary.health =
        [Health::Healthy, Health::Degraded, Health::Missing][usize::from(*health)];
    next.progress.operation = Operation {
        ended_at: *ended_at,
        ..Operation::default()
    };
    let before = held.as_ref().map(|(state, patches)| BaseState {
        canonical: state.canonical.clone(),
        patches: *patches,
    });
    let packed = patch::encode(b"", text).into();
    let (frame, patches) = next_frame(before.as_ref(), &uid, &next, &packed);
    record.states.push(Some(next.canonical.clone()));
    record.entries.push(Entry {
        moment,
        resource_version: moment.change,
        summary: EntrySummary::from_state(&next),
        importance: StatusKey::from_state(&next)
            .importance_after(held.map(|(state, _)| StatusKey::from_state(&state))),
        root_digest: Some(next.root_digest),
        frame,
    });
    Some((next, patches))
}

/// The state at a moment, as a store finds it: with the last entry by then and those before it that it is read with.
fn at(entries: &[Entry], moment: Moment) -> Result<Option<Bytes>, CorruptHistory> {
    let by_then = entries.iter().rev().filter(|entry| entry.moment <= moment);
    let some: Vec<Entry> = by_then.take(MAX_PATCHES + 1).cloned().collect();
    Ok(latest_state(&some)?.map(|(_, canonical)| canonical))
}

fn carried_out(entries: &[Entry], rules: RetentionRules) -> Vec<Entry> {
    let verdicts = plan_actions(entries, rules).unwrap();
    let both = entries.iter().cloned().zip(verdicts);
    both.filter_map(|(entry, verdict)| match verdict {
        EntryAction::Keep => Some(entry),
        EntryAction::Drop => None,
        EntryAction::Rewrite(frame) => Some(Entry { frame, ..entry }),
    })
    .collect()
}

fn check<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config {
        cases: 64,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(strategy, test).unwrap();
}

#[test]
fn each_moment_decodes_to_its_accepted_state() {
    check(&steps(), |steps| {
        let record = record(&steps);
        for (entry, state) in record.entries.iter().zip(&record.states) {
            prop_assert_eq!(&at(&record.entries, entry.moment).unwrap(), state);
            let between = Moment::last_at(entry.moment.at);
            let last = record
                .entries
                .iter()
                .rposition(|entry| entry.moment <= between);
            let wanted = &record.states[last.unwrap()];
            prop_assert_eq!(&at(&record.entries, between).unwrap(), wanted);
        }
        Ok(())
    });
}

#[test]
fn compacted_history_keeps_states_and_moments() {
    let span = 60 * HOUR / 3;
    check(&(steps(), 0..span, 0..span), |(steps, from, full_from)| {
        let record = record(&steps);
        let rules = RetentionRules::new(0, -from, -full_from);
        let thin = carried_out(&record.entries, rules);
        for entry in &thin {
            let place = record
                .entries
                .iter()
                .position(|one| one.moment == entry.moment);
            prop_assert_eq!(
                &at(&thin, entry.moment).unwrap(),
                &record.states[place.unwrap()]
            );
        }
        for (entry, next) in record.entries.iter().zip(record.entries.iter().skip(1)) {
            let kept = thin.iter().any(|one| one.moment == entry.moment);
            let over = next.moment.at <= from
                || entry.frame == Frame::Tombstone && entry.moment.at <= from;
            let young = next.moment.at >= rules.full_from;
            prop_assert!(!(over && kept), "what was over stays");
            let lasting =
                entry.importance == Importance::Milestone || next.frame == Frame::Tombstone;
            prop_assert!(
                over || kept || !(young || lasting),
                "what is to stay is gone"
            );
            let same = entry.moment.at / HOUR == next.moment.at / HOUR;
            prop_assert!(!(kept && same && !young && !lasting && entry.frame != Frame::Tombstone));
        }
        prop_assert_eq!(&carried_out(&thin, rules), &thin, "thin is thin");
        Ok(())
    });
}

#[test]
fn partly_compacted_history_is_decodable() {
    check(&(steps(), 33..80_usize), |(steps, some)| {
        let mut record = record(&steps);
        let rules = RetentionRules::new(0, 0, -i64::MAX / 2);
        let alone = |entry: &Entry| entry.frame.is_standalone();
        let cut = some.min(record.entries.len());
        let thin = carried_out(&record.entries[..cut], rules);
        let rest = record.entries.split_off(cut);
        let states = record.states.split_off(cut);
        let all = [thin, rest.clone()].concat();
        for (entry, state) in rest.iter().zip(&states) {
            prop_assert_eq!(&at(&all, entry.moment).unwrap(), state);
        }
        let longest = all.split(alone).map(<[Entry]>::len).max();
        prop_assert!(longest.unwrap_or(0) <= MAX_PATCHES);
        Ok(())
    });
}

fn of_texts(texts: &[&str]) -> Recorded {
    let steps = texts.iter().map(|text| {
        let text = text.as_bytes().to_vec();
        let (health, ended_at) = (0, 0);
        (
            1_000,
            Step::State {
                text,
                health,
                ended_at,
            },
        )
    });
    record(&steps.collect::<Vec<_>>())
}

const LONG: &str = "a state that is long enough for a patch of it to be shorter than it is, whatever changes at its end: ";

#[test]
fn snapshot_follows_the_maximum_of_patches() {
    let texts: Vec<String> = (0..100).map(|number| format!("{LONG}{number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let record = of_texts(&texts);
    let whole = record.entries.iter().enumerate();
    let whole = whole.filter(|(_, entry)| entry.frame.is_standalone());
    let whole: Vec<usize> = whole.map(|(index, _)| index).collect();
    assert_eq!(whole, [0, 64]);
}

#[test]
fn history_with_missing_or_wrong_snapshot_is_corrupt() {
    let [one, two, three] = ["one", "two", "three"].map(|end| format!("{LONG}{end}"));
    let record = of_texts(&[&one, &two, &three]);
    let newest_first = |entries: &[Entry]| entries.iter().rev().cloned().collect::<Vec<_>>();
    assert!(latest_state(&newest_first(&record.entries)).is_ok());
    assert_eq!(
        latest_state(&newest_first(&record.entries[1..])),
        Err(CorruptHistory)
    );
    let other = of_texts(&[&three, &one, &two]);
    let mixed = [&other.entries[..1], &record.entries[1..]].concat();
    assert_eq!(latest_state(&newest_first(&mixed)), Err(CorruptHistory));
    assert_eq!(
        plan_actions(&mixed, RetentionRules::new(0, 0, 0)),
        Err(CorruptHistory)
    );
    let mut left_out = record.entries.clone();
    left_out.remove(1);
    assert_eq!(latest_state(&newest_first(&left_out)), Err(CorruptHistory));
    let gone = Entry {
        frame: Frame::Tombstone,
        ..record.entries[0].clone()
    };
    assert_eq!(
        latest_state(&[gone]),
        Err(CorruptHistory),
        "its digest says that there was something"
    );
}

#[test]
fn broken_history_never_decodes_to_another_state() {
    let texts: Vec<String> = (0..20).map(|number| format!("{LONG}{number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let whole = of_texts(&texts);
    let hit = (0..20_usize, any::<prop::sample::Index>(), any::<u8>());
    check(&hit, |(index, place, byte)| {
        let mut entries = whole.entries.clone();
        let (Frame::Snapshot(_, content) | Frame::Patch(content)) = &mut entries[index].frame
        else {
            return Ok(());
        };
        let mut broken = content.to_vec();
        let place = place.index(broken.len());
        broken[place] = byte;
        *content = broken.into();
        for (entry, state) in whole.entries.iter().zip(&whole.states) {
            if let Ok(read) = at(&entries, entry.moment) {
                prop_assert_eq!(&read, state);
            }
        }
        Ok(())
    });
}
