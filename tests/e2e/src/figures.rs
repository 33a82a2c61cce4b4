//! What the parts tell of themselves on `/metrics`.

use causeway_testkit::wait_until;

use crate::program::{SOON, Up, metric};

/// Each with the least that it must come to while the demo runs.
const FIGURES: [(&str, f64); 7] = [
    ("causeway_inventory_objects_held", 3.0),
    ("causeway_inventory_report_sessions", 1.0),
    ("causeway_inventory_watches", 0.0),
    ("causeway_inventory_reports_total", 3.0),
    ("causeway_inventory_store_queued", 0.0),
    ("causeway_inventory_store_writes_total", 4.0),
    (
        "causeway_inventory_store_commit_duration_seconds_count",
        1.0,
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_expose_their_metrics() {
    let (up, admin) = tokio::task::block_in_place(|| Up::start_measured(&[]));
    tokio::task::block_in_place(|| up.wait_for_health("guestbook", "HEALTHY"));
    for (name, least) in FIGURES {
        wait_until(name, SOON, async || match metric(&admin, name).await {
            Some(value) if value >= least => Ok(()),
            value => Err(format!("{value:?}, at least {least} is wanted")),
        })
        .await;
    }
}
