use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use crate::{Health, Shell};

#[tokio::test(start_paused = true)]
async fn part_is_unready_with_a_notice_while_a_condition_fails() {
    let (shell, stop) = Shell::for_test("inventory");
    drop(shell.ready_handle("store"));
    let outcomes = Arc::new(Mutex::new(VecDeque::from([
        Ok(()),
        Err("the disk of /data is full"),
        Err("the disk of /data is full"),
    ])));
    let next = Arc::clone(&outcomes);
    let checking = shell.clone().check_condition("writable store", move || {
        let outcome = next.lock().unwrap().pop_front().unwrap_or(Ok(()));
        async move { outcome }
    });
    shell.tasks().spawn("store check", checking);
    let mut health = shell.health();
    let unready = |health: &Health| matches!(health, Health::Starting { pending } if pending == &["writable store"]);
    health.wait_for(unready).await.unwrap();
    let notices = shell.notices().watch();
    let lines = || notices.borrow().values().cloned().collect::<Vec<_>>();
    assert_eq!(lines(), ["the disk of /data is full"]);
    health.wait_for(|it| *it == Health::Ready).await.unwrap();
    assert_eq!(lines(), Vec::<String>::new());
    stop.stop().await.unwrap();
}
