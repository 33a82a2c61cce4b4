pub(super) mod kill;

use std::{fs, path::Path};

use causeway_shell::{Shell, TestStop};

use super::*;
use crate::delivery::{MAX_TRIES, State};

const REFRESH: Subscriber = Subscriber::ArgocdRefresh;
const ROOM: u64 = 64 << 20;

/// An open spool whose writer runs.
struct Running {
    spool: Spool,
    stop: TestStop,
}

impl Running {
    fn open(folder: &Path, max_bytes: u64) -> Self {
        let (spool, writer) = Spool::open(folder, max_bytes, vec![REFRESH]).unwrap();
        let (shell, stop) = Shell::for_test("event-source");
        shell.tasks().spawn_essential("spool", writer.run());
        Self { spool, stop }
    }

    async fn receive(&self, id: &str, bytes: usize) -> Result<Receipt, SpoolError> {
        self.spool.receive(delivery(id, bytes)).await
    }

    /// Tries the next delivery.
    async fn attempt(&self, attempt: Attempt) -> u64 {
        let mut changes = self.spool.changes();
        loop {
            changes.borrow_and_update();
            let ready = self.spool.take_ready(REFRESH, 1);
            if let Some((delivery, before)) = ready.first() {
                let target = (delivery.number, REFRESH);
                self.spool.record(target, before, attempt).await;
                // Written in order, so the record is on disk with the next answer.
                self.receive("barrier", 1).await.unwrap();
                return delivery.number;
            }
            changes.changed().await.unwrap();
        }
    }

    fn progress(&self, number: u64) -> Progress {
        self.spool
            .read(|index| index.get(number).unwrap().progress[&REFRESH].clone())
    }

    async fn close(self) {
        drop(self.spool);
        self.stop.stop().await.unwrap();
    }
}

fn delivery(id: &str, bytes: usize) -> NewDelivery {
    NewDelivery {
        route: "github".parse().unwrap(),
        provider: Provider::Github,
        id: id.to_owned(),
        event: Event::default(),
        headers: vec![("x-github-event".to_owned(), "push".to_owned())],
        body: vec![b'x'; bytes].into(),
    }
}

fn files(folder: &Path) -> Vec<u64> {
    segment::numbers(folder).unwrap()
}

fn last_file(folder: &Path) -> PathBuf {
    let last = *files(folder).last().unwrap();
    folder.join(format!("{last:016}.spool"))
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_restart_with_its_body_and_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    let first = running.receive("a", 10).await.unwrap();
    let second = running.receive("b", 20).await.unwrap();
    assert_eq!((first.number, second.number), (1, 2));
    assert_eq!(running.attempt(Attempt::Done("ok".to_owned())).await, 1);
    running.close().await;

    let running = Running::open(folder.path(), ROOM);
    assert_eq!(running.progress(1).state, State::Done);
    assert_eq!(running.progress(2).state, State::Pending);
    assert_eq!(running.spool.body(2).await.unwrap().unwrap(), [b'x'; 20]);
    let again = running.receive("a", 10).await.unwrap();
    assert_eq!((again.number, again.duplicate), (1, true));
    assert_eq!(
        running.receive("c", 1).await.unwrap().number,
        4,
        "after the barrier"
    );
    running.close().await;
}

#[tokio::test]
async fn a_hundred_redeliveries_have_one_effect() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    let all = (0..100).map(|_| running.receive("a", 10));
    let receipts = futures::future::join_all(all).await;
    let news = receipts.iter().filter(|it| !it.as_ref().unwrap().duplicate);
    assert_eq!(news.count(), 1);
    assert_eq!(running.attempt(Attempt::Done(String::new())).await, 1);
    for _ in 0..10 {
        assert!(running.receive("a", 10).await.unwrap().duplicate);
    }
    let others = running.spool.take_ready(REFRESH, 10);
    let numbers: Vec<_> = others.iter().map(|(it, _)| it.number).collect();
    assert_eq!(numbers, [2], "only the barrier");
    running.close().await;
}

#[tokio::test]
async fn a_redelivery_of_what_failed_is_tried_again_and_a_dead_one_holds_up_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    running.receive("poison", 10).await.unwrap();
    let mut progress = running.spool.take_ready(REFRESH, 1)[0].1.clone();
    for _ in 0..MAX_TRIES {
        let failed = Attempt::Failed("rejected".to_owned());
        progress = progress.after(failed.clone(), now_ms());
        let before = Progress {
            tries: progress.tries - 1,
            ..progress.clone()
        };
        running.spool.record((1, REFRESH), &before, failed).await;
    }
    running.receive("good", 10).await.unwrap();
    assert_eq!(running.progress(1).state, State::Dead);
    assert_eq!(running.attempt(Attempt::Done(String::new())).await, 2);
    let again = running.receive("poison", 10).await.unwrap();
    assert!(again.duplicate);
    assert_eq!(running.progress(1).state, State::Pending);
    running.close().await;
}

#[tokio::test]
async fn a_replay_makes_a_delivery_pending_again() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    running.receive("a", 10).await.unwrap();
    running.attempt(Attempt::Done(String::new())).await;
    running.spool.replay(1).await.unwrap();
    assert_eq!(running.progress(1).state, State::Pending);
    running.close().await;
}

#[tokio::test]
async fn a_record_that_was_written_in_part_is_removed_and_the_rest_stays() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    running.receive("a", 100).await.unwrap();
    running.close().await;
    let file = last_file(folder.path());
    let whole = fs::read(&file).unwrap();
    let mut torn = whole.clone();
    let record = whole[8..].to_vec();
    for cut in [1, 5, 11, 12, 40, record.len() - 1] {
        torn.truncate(whole.len());
        torn.extend(&record[..cut]);
        fs::write(&file, &torn).unwrap();
        let running = Running::open(folder.path(), ROOM);
        assert_eq!(running.spool.read(Index::len), 1, "cut at {cut}");
        running.close().await;
        assert_eq!(fs::read(&file).unwrap(), whole, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_changed_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    running.receive("a", 50).await.unwrap();
    running.close().await;
    let file = last_file(folder.path());
    let whole = fs::read(&file).unwrap();
    for at in (8..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&file, damaged).unwrap();
        let mut index = Index::new(vec![REFRESH]);
        load(folder.path(), &mut index).unwrap();
        assert_eq!(index.len(), 0, "byte {at}");
    }
}

#[tokio::test]
async fn a_full_spool_refuses_new_webhooks_and_takes_them_again_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), 20 << 20);
    let mut accepted = 0;
    let full = loop {
        match running.receive(&format!("id-{accepted}"), 3 << 20).await {
            Ok(_) => accepted += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(full, SpoolError::Full(20 << 20));
    assert!(accepted >= 5, "{accepted}");
    let again = running.receive("id-0", 3 << 20).await.unwrap();
    assert!(again.duplicate, "what is there is still known");
    for (delivery, before) in running.spool.take_ready(REFRESH, 100) {
        let target = (delivery.number, REFRESH);
        let done = Attempt::Done(String::new());
        running.spool.record(target, &before, done).await;
    }
    running.receive("id-0", 1).await.unwrap();
    assert!(!running.receive("new", 3 << 20).await.unwrap().duplicate);
    assert!(
        running.receive("id-0", 1).await.unwrap().duplicate,
        "remembered without its file"
    );
    running.close().await;
    let running = Running::open(folder.path(), 20 << 20);
    assert!(
        running.receive("id-0", 1).await.unwrap().duplicate,
        "after a restart too"
    );
    running.close().await;
}

#[tokio::test]
async fn a_disk_without_room_is_never_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::open(folder.path(), ROOM);
    let full = folder.path().join(format!("{:016}.spool", 1));
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let refused = running.receive("a", 10).await.unwrap_err();
    assert!(matches!(refused, SpoolError::Disk(_)), "{refused}");
    fs::remove_file(&full).unwrap();
    assert!(
        !running.receive("a", 10).await.unwrap().duplicate,
        "it was not taken before"
    );
    running.close().await;
}

#[tokio::test]
async fn only_its_owner_reads_the_spool_and_one_process_writes_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let running = Running::open(&data, ROOM);
    running.receive("a", 10).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&last_file(&data)), 0o600);
    assert!(Spool::open(&data, ROOM, vec![REFRESH]).is_err());
    running.close().await;
}
