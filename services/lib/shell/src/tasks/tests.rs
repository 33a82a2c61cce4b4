use anyhow::bail;
use tokio::sync::oneshot;

use crate::Shell;

#[tokio::test]
async fn an_essential_task_that_ends_is_a_failure_with_its_name() {
    let (shell, mut stop) = Shell::for_test("inventory");
    shell.tasks().spawn_essential("ingest", async { Ok(()) });
    let failure = stop.failed().await;
    assert_eq!(format!("{failure:#}"), "inventory: task ingest: it ended");
}

#[tokio::test]
async fn an_essential_task_that_fails_names_the_cause() {
    let (shell, mut stop) = Shell::for_test("inventory");
    shell
        .tasks()
        .spawn_essential("ingest", async { bail!("the disk is full") });
    let failure = stop.failed().await;
    assert_eq!(
        format!("{failure:#}"),
        "inventory: task ingest: the disk is full"
    );
}

#[tokio::test]
async fn an_essential_task_that_panics_is_a_failure() {
    let (shell, mut stop) = Shell::for_test("inventory");
    shell
        .tasks()
        .spawn_essential("ingest", async { panic!("out of cheese") });
    let failure = format!("{:#}", stop.failed().await);
    assert!(failure.ends_with("it panicked: out of cheese"), "{failure}");
}

#[tokio::test]
async fn an_essential_task_may_end_in_the_drain() {
    let (shell, stop) = Shell::for_test("inventory");
    let shutdown = shell.shutdown();
    shell.tasks().spawn_essential("ingest", async move {
        shutdown.await;
        Ok(())
    });
    stop.stop().await.unwrap();
}

#[tokio::test]
async fn the_drain_waits_for_a_task() {
    let (shell, stop) = Shell::for_test("inventory");
    let (shutdown, (done_tx, mut done_rx)) = (shell.shutdown(), oneshot::channel());
    shell.tasks().spawn("save", async move {
        shutdown.requested().await;
        tokio::task::yield_now().await;
        done_tx.send(()).unwrap();
    });
    stop.stop().await.unwrap();
    assert!(done_rx.try_recv().is_ok());
}

#[tokio::test]
async fn panic_in_an_inessential_task_ends_only_that_task() {
    let (shell, stop) = Shell::for_test("inventory");
    shell.tasks().spawn("odd", async { panic!("no") });
    stop.stop().await.unwrap();
}

#[tokio::test]
async fn dropping_the_test_stop_aborts_remaining_tasks() {
    let (shell, stop) = Shell::for_test("inventory");
    let (held, dropped) = oneshot::channel::<()>();
    shell.tasks().spawn("stuck", async move {
        std::future::pending::<()>().await;
        drop(held);
    });
    drop(stop);
    assert!(dropped.await.is_err());
}
