use causeway_assertion::SigningKey;
use causeway_proto::time::millis_to_timestamp;

use super::*;
use crate::signing_key_statement;

const CHAIN: &str = "default";
const NOW: i64 = 1_700_000_000_000;

/// Simulated platform that writes chains.
struct Platform {
    root: SigningKey,
    signing: SigningKey,
}

impl Platform {
    fn new() -> Self {
        Self {
            root: SigningKey::generate().unwrap(),
            signing: SigningKey::generate().unwrap(),
        }
    }

    fn seal(&self, covers: u64, hash: Hash, at: i64) -> pb::AuditSeal {
        let (key, begin, end) = (self.signing.public_key(), at / 1000 - 60, at / 1000 + 60);
        let certified = signing_key_statement(self.signing.kid().as_str(), key, begin, end);
        let statement = statement(CHAIN, covers, &hash, at);
        pb::AuditSeal {
            hash: hash.to_vec().into(),
            signing_key: Some(pb::SigningKey {
                key_id: self.signing.kid().to_string(),
                public_key: key.as_bytes().to_vec().into(),
                not_before: Some(millis_to_timestamp(begin * 1000)),
                not_after: Some(millis_to_timestamp(end * 1000)),
                root_signature: self.root.sign_bytes(&certified).unwrap().into(),
                ..pb::SigningKey::default()
            }),
            signature: self.signing.sign_bytes(&statement).unwrap().into(),
        }
    }

    /// Ten intents, a checkpoint, ten intents with outcomes, a checkpoint, three intents.
    fn chain(&self) -> Vec<pb::AuditEntry> {
        let mut entries = Vec::new();
        (0..10).for_each(|_| push(&mut entries, intent));
        self.checkpoint(&mut entries);
        for _ in 0..10 {
            push(&mut entries, intent);
            push(&mut entries, |sequence| {
                Body::Outcome(pb::AuditOutcome {
                    closes: sequence - 1,
                    outcome: pb::Outcome::Succeeded.into(),
                    ..Default::default()
                })
            });
        }
        self.checkpoint(&mut entries);
        (0..3).for_each(|_| push(&mut entries, intent));
        entries
    }

    fn checkpoint(&self, entries: &mut Vec<pb::AuditEntry>) {
        let covered = last_hash(entries);
        push(entries, |sequence| {
            Body::Checkpoint(self.seal(sequence - 1, covered, NOW))
        });
    }

    fn verifier(&self) -> AuditVerifier {
        AuditVerifier::new(CHAIN, *self.root.public_key(), ChainStart::Whole)
    }

    fn verify(&self, entries: &[pb::AuditEntry]) -> Result<VerifiedChain, ChainError> {
        run(self.verifier(), entries)
    }
}

fn run(
    mut verifier: AuditVerifier,
    entries: &[pb::AuditEntry],
) -> Result<VerifiedChain, ChainError> {
    for entry in entries {
        verifier.add(entry)?;
    }
    verifier.end()
}

fn last_hash(entries: &[pb::AuditEntry]) -> Hash {
    let last = entries.last();
    last.map_or([0; 32], |last| last.hash.as_ref().try_into().unwrap())
}

fn push(entries: &mut Vec<pb::AuditEntry>, body: impl Fn(u64) -> Body) {
    let sequence = entries.last().map_or(1, |last| last.sequence + 1);
    let mut entry = pb::AuditEntry {
        sequence,
        at: Some(millis_to_timestamp(NOW)),
        hash: Default::default(),
        body: Some(body(sequence)),
    };
    entry.hash = hash(&last_hash(entries), CHAIN, &entry).to_vec().into();
    entries.push(entry);
}

fn intent(sequence: u64) -> Body {
    Body::Intent(pb::AuditIntent {
        audit_id: format!("call-{sequence}"),
        subject: "user:admin".to_owned(),
        ..Default::default()
    })
}

#[test]
fn numbers_at_the_ends_of_the_range_are_flaws() {
    let platform = Platform::new();
    for sequence in [0, u64::MAX] {
        let mut entries = Vec::new();
        platform.checkpoint(&mut entries);
        entries[0].sequence = sequence;
        let flaw = platform.verify(&entries).unwrap_err();
        assert_eq!(flaw.sequence, sequence);
    }
    let head = pb::GetAuditHeadResponse {
        sequence: u64::MAX,
        seal: Some(pb::AuditSeal::default()),
        ..Default::default()
    };
    let flaw = platform.verifier().expect_head(&head).unwrap_err();
    assert_eq!(flaw.sequence, u64::MAX);
}

/// Recomputes the hashes from an index on, as an attacker with database access can.
fn hash_again(entries: &mut [pb::AuditEntry], from: usize) {
    for place in from..entries.len() {
        let before = last_hash(&entries[..place]);
        let own = hash(&before, CHAIN, &entries[place]);
        entries[place].hash = own.to_vec().into();
    }
}

fn edit(entry: &mut pb::AuditEntry) {
    let Some(Body::Intent(intent)) = &mut entry.body else {
        panic!("{entry:?}");
    };
    intent.subject = "user:nobody".to_owned();
}

fn bad(result: Result<VerifiedChain, ChainError>) -> u64 {
    result.unwrap_err().sequence
}

#[test]
fn a_chain_that_nobody_touched_holds() {
    let platform = Platform::new();
    let verified = platform.verify(&platform.chain()).unwrap();
    assert_eq!(
        (
            verified.entries,
            verified.first,
            verified.last,
            verified.sealed
        ),
        (35, 1, 35, 32)
    );
    assert_eq!(verified.since, NOW);
}

#[test]
fn an_edit_is_found_where_it_is() {
    let platform = Platform::new();
    let mut entries = platform.chain();
    edit(&mut entries[4]);
    assert_eq!(bad(platform.verify(&entries)), 5);
}

#[test]
fn an_edit_with_its_own_hash_made_new_is_found_at_the_next_entry() {
    let platform = Platform::new();
    let mut entries = platform.chain();
    edit(&mut entries[4]);
    hash_again(&mut entries[..5], 4);
    assert_eq!(bad(platform.verify(&entries)), 6);
}

#[test]
fn an_edit_with_all_hashes_made_new_is_found_at_the_checkpoint() {
    let platform = Platform::new();
    let mut entries = platform.chain();
    edit(&mut entries[4]);
    hash_again(&mut entries, 4);
    assert_eq!(bad(platform.verify(&entries)), 11);
}

#[test]
fn a_deletion_an_insertion_and_a_swap_are_found() {
    let platform = Platform::new();
    let chain = platform.chain();
    let mut entries = chain.clone();
    entries.remove(6);
    assert_eq!(bad(platform.verify(&entries)), 7);
    let mut entries = chain.clone();
    entries.insert(6, chain[2].clone());
    assert_eq!(bad(platform.verify(&entries)), 3);
    let mut entries = chain.clone();
    let (left, right) = (entries[2].body.take(), entries[7].body.take());
    (entries[2].body, entries[7].body) = (right, left);
    assert_eq!(bad(platform.verify(&entries)), 3);
}

/// Shows that the verifier needs the chained hash: without it, two entries that swap positions, numbers and hashes would be
/// undetected between checkpoints.
#[test]
fn a_verifier_that_does_not_chain_the_hashes_would_not_find_the_swap() {
    let platform = Platform::new();
    let mut entries: Vec<pb::AuditEntry> = platform.chain()[..10].to_vec();
    for entry in &mut entries {
        entry.hash = hash(&[0; 32], CHAIN, entry).to_vec().into();
    }
    let (left, right) = (entries[2].body.take(), entries[7].body.take());
    (entries[2].body, entries[7].body) = (right, left);
    for place in [2, 7] {
        entries[place].hash = hash(&[0; 32], CHAIN, &entries[place]).to_vec().into();
    }
    let mut twin = platform.verifier();
    twin.linking = Linking::Loose;
    run(twin, &entries).expect("the twin sees nothing");
    assert_eq!(bad(platform.verify(&entries)), 2);
    let mut chained = platform.chain()[..10].to_vec();
    let (left, right) = (chained[2].body.take(), chained[7].body.take());
    (chained[2].body, chained[7].body) = (right, left);
    let ends = [
        hash(&last_hash(&chained[..2]), CHAIN, &chained[2]),
        hash(&last_hash(&chained[..7]), CHAIN, &chained[7]),
    ];
    (chained[2].hash, chained[7].hash) = (ends[0].to_vec().into(), ends[1].to_vec().into());
    assert_eq!(bad(platform.verify(&chained)), 4);
}

#[test]
fn a_tail_that_is_cut_is_found_by_whoever_saw_more() {
    let platform = Platform::new();
    let chain = platform.chain();
    assert!(platform.verify(&chain[..33]).is_ok(), "nobody saw more");
    let mut remembers = platform.verifier();
    let (sequence, by) = (35, "the last verify");
    let hash = last_hash(&chain);
    remembers.expect(ExpectedEntry { sequence, hash, by });
    assert_eq!(bad(run(remembers, &chain[..33])), 34);
    let head = pb::GetAuditHeadResponse {
        sequence: 35,
        signed_at: Some(millis_to_timestamp(NOW)),
        seal: Some(platform.seal(35, hash, NOW)),
        ..Default::default()
    };
    let mut asked = platform.verifier();
    asked.expect_head(&head).unwrap();
    assert_eq!(bad(run(asked, &chain[..33])), 34);
}

#[test]
fn a_tail_that_is_written_anew_is_found_by_whoever_saw_the_old_one() {
    let platform = Platform::new();
    let mut chain = platform.chain();
    let mut remembers = platform.verifier();
    let (sequence, by) = (34, "the last verify");
    let hash = chain[33].hash.as_ref().try_into().unwrap();
    remembers.expect(ExpectedEntry { sequence, hash, by });
    edit(&mut chain[33]);
    hash_again(&mut chain, 33);
    assert!(platform.verify(&chain).is_ok(), "nobody saw the old one");
    assert_eq!(bad(run(remembers, &chain)), 34);
}

#[test]
fn a_beginning_that_is_cut_needs_an_entry_that_says_so() {
    let platform = Platform::new();
    let mut chain = platform.chain();
    assert_eq!(bad(platform.verify(&chain[5..])), 5);
    assert_eq!(bad(platform.verify(&chain[10..])), 1);
    let part = AuditVerifier::new(CHAIN, *platform.root.public_key(), ChainStart::Part);
    assert_eq!(run(part, &chain[10..]).unwrap().first, 11);
    push(&mut chain, |_| {
        let (through, before) = (10, None);
        Body::Retention(pb::AuditRetention { through, before })
    });
    assert_eq!(platform.verify(&chain[10..]).unwrap().first, 11);
}

#[test]
fn a_checkpoint_of_another_root_key_is_worth_nothing() {
    let (platform, other) = (Platform::new(), Platform::new());
    assert_eq!(bad(other.verify(&platform.chain())), 11);
}

#[test]
fn a_chain_of_another_account_is_not_taken() {
    let platform = Platform::new();
    let foreign = AuditVerifier::new("other", *platform.root.public_key(), ChainStart::Whole);
    assert_eq!(bad(run(foreign, &platform.chain())), 1);
}

#[test]
fn a_second_outcome_is_found() {
    let platform = Platform::new();
    let mut entries = Vec::new();
    push(&mut entries, intent);
    for _ in 0..2 {
        push(&mut entries, |_| {
            let closes = 1;
            Body::Outcome(pb::AuditOutcome {
                closes,
                ..Default::default()
            })
        });
    }
    assert_eq!(bad(platform.verify(&entries)), 3);
}
