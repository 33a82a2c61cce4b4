//! The life of an installation, from the first command to the last, and what the API server saw of it.

use std::{
    collections::BTreeSet,
    io::Write as _,
    net::SocketAddr,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use causeway_testkit::{skip_part, wait_until_blocking};
use serde_json::{Value, json};

use crate::{
    acts, audit, before, command,
    console::{Console, LATER},
    demo::Demo,
    direct, door,
    grant::{exceptions, unproven},
    helm::{self, Release},
    kills::{self, Soak},
    kinds, left,
    pods::{pods, settle},
    site::{EAST, PLATFORM, Site, WEST, platform_values, west_values},
    stage::{NAMESPACES, SOON, Stage},
    terraform, usage,
};

const IDLE: Duration = Duration::from_secs(20);

#[test]
fn the_charts_are_installed_used_upgraded_and_taken_away() {
    let Some(stage) = Stage::start() else { return };
    let site = Site::new(&stage);
    let shop = Demo {
        stage: &stage,
        name: "shop",
        argocd: "argocd",
    };
    let depot = Demo {
        stage: &stage,
        name: "depot",
        argocd: "gitops",
    };
    stage.apply(&acts::workflow_kinds());
    let before = left::everything(&stage);
    shop.make();
    let only = depot.make();

    let console = install(&site);
    let door = door::open(&stage, WEST, site.west.namespace);
    change_and_go_back(&site, (&console, &shop));
    for release in [&site.east, &site.west] {
        before::all_is_well(
            &stage,
            release,
            &["cluster", "platform", "clock", "join-token"],
        );
    }
    // What was installed first may have been another chart, and what that lacked is none of this one's faults.
    let since = audit::read(&stage.cluster().audit_log()).len();
    figures(&site);
    direct_reads(&site, &console, door, (&depot, &only));
    acts::through_the_door(&console, &depot, WEST);
    acts::on_application(&console, &shop);
    acts::on_rollout(&console, &shop);
    acts::on_workflows(&console, &shop, EAST);
    kinds::see_and_delete(&console, &shop, EAST);
    for release in site.releases() {
        report(&release.test());
    }
    endure(&site, (&console, &shop));
    acts::to_the_end(&console, &shop);
    rights_are_right(&site, since);
    a_right_that_is_missing_is_found(&site, &console, &depot);
    command::a_runtime_comes_and_goes(&site, &console);
    command::a_runtime_that_would_not_join_is_not_installed(&site, &console);
    terraform::a_runtime_comes_and_goes(&site, &console);

    for release in site.releases().into_iter().rev() {
        release.uninstall();
    }
    shop.remove();
    depot.remove();
    site.remove();
    left::nothing_but(&stage, &before, &kept());
    stage.check();
}

/// The platform and both runtimes, from nothing.
fn install(site: &Site<'_>) -> Console {
    let chart =
        |name, release: &Release<'_>, values: &Value| first_chart(site, name, release, values);
    let values = platform_values();
    let console = site.install_platform(&chart("causeway-platform", &site.platform, &values));
    let [secured, plain] = site.stage.cluster().argocd() else {
        panic!("there are two");
    };
    let values = site.east_values();
    site.prepare(&console, &site.east, secured);
    let first = chart("causeway-runtime", &site.east, &values);
    let shown = site.install_runtime(&console, &site.east, (&first, &values));
    report(&format!(
        "{:.1} s from helm install to the first application shown",
        shown.as_secs_f64()
    ));
    site.prepare(&console, &site.west, plain);
    let newest = helm::chart("causeway-runtime");
    site.install_runtime(&console, &site.west, (&newest, &west_values()));
    for release in site.releases() {
        settle(site.stage, release.namespace);
    }
    console
}

/// The chart as it was before its last change, so that the present one is an upgrade; or the present one.
fn first_chart(site: &Site<'_>, name: &str, release: &Release<'_>, values: &Value) -> PathBuf {
    let former = helm::former_chart(site.stage, name);
    let former = former.filter(|former| release.takes(former, values));
    if former.is_none() {
        skip_part(&format!("no release of the chart {name} to upgrade from"));
    }
    former.unwrap_or_else(|| helm::chart(name))
}

/// Told, not judged: on a machine that has much else to do they say nothing.
fn figures(site: &Site<'_>) {
    let of = |release: &Release<'_>| pods(site.stage, release.namespace);
    let all: Vec<_> = site.releases().into_iter().flat_map(of).collect();
    let parts = usage::idle(&all, IDLE);
    for (part, usage) in &parts {
        report(&format!("{usage}  {part}"));
    }
    for namespace in NAMESPACES {
        let ours = parts.iter().filter(|(part, _)| part.starts_with(namespace));
        let sum = usage::sum(ours.map(|(_, usage)| usage));
        report(&format!("{sum}  {namespace} together"));
    }
}

/// What is asked of the runtime that has a door of its own.
fn direct_reads(
    site: &Site<'_>,
    console: &Console,
    door: SocketAddr,
    (depot, revision): (&Demo<'_>, &str),
) {
    let full = format!("{WEST}/gitops/{}", depot.name);
    console.until(&["app", "get", &full], |application| {
        application["status"]["sync"]["revisions"][0] == revision
    });
    let live = direct::read(site, console, door, depot.name);
    assert!(live.contains(depot.name), "{live}");
    let told = direct::missed(site, console, door, "deopt");
    assert!(told.contains("did you mean gitops/depot?"), "{told}");
    let told = direct::refused(site, door);
    assert!(told.contains("Unauthenticated"), "{told}");
}

fn endure(site: &Site<'_>, (console, shop): (&Console, &Demo<'_>)) {
    let namespaces = site.releases().map(|release| release.namespace);
    let soak = Soak::wanted();
    let (killed, commits) = kills::endure(site.stage, &namespaces, (console, shop), soak);
    report(&format!(
        "{} kills, {commits} commits: {}",
        killed.len(),
        killed.join(" ")
    ));
    assert!(!killed.is_empty(), "no process was killed");
}

/// Upgrades the charts with other values, rolls back to the first installation and upgrades again, under load.
fn change_and_go_back(site: &Site<'_>, (console, shop): (&Console, &Demo<'_>)) {
    let over = AtomicBool::new(false);
    let (seen, later) = thread::scope(|scope| {
        let looking = scope.spawn(|| look_on(console, shop, &over));
        let with = |mut values: Value| {
            values["log"] = json!({"filter": "debug"});
            values
        };
        site.platform
            .upgrade(&helm::chart("causeway-platform"), &with(platform_values()));
        site.east
            .upgrade(&helm::chart("causeway-runtime"), &with(site.east_values()));
        deploy(console, shop, 500);
        site.east.rollback(1);
        site.platform.rollback(1);
        deploy(console, shop, 501);
        let now = helm::chart("causeway-platform");
        let values = site.platform_values_with_west(console);
        site.platform.upgrade(&now, &values);
        let now = helm::chart("causeway-runtime");
        site.east.upgrade(&now, &site.east_values());
        deploy(console, shop, 502);
        over.store(true, Ordering::Relaxed);
        looking.join().unwrap()
    });
    report(&format!(
        "during upgrade and rollback: {seen} answers, {later} times to be asked later"
    ));
    assert!(seen > 0, "there was no answer");
}

/// Asks again and again; gives how often there was an answer, and how often the word was to ask later.
fn look_on(console: &Console, shop: &Demo<'_>, over: &AtomicBool) -> (u32, u32) {
    let (mut seen, mut later) = (0, 0);
    while !over.load(Ordering::Relaxed) {
        let told = console.cli(&["app", "get", shop.name]);
        match told.code() {
            0 => seen += 1,
            LATER => later += 1,
            _ => panic!("{told:?}"),
        }
    }
    (seen, later)
}

fn deploy(console: &Console, shop: &Demo<'_>, number: u32) {
    let revision = shop.push(number);
    console.insist(&["app", "sync", shop.name, "--revision", &revision]);
    shop.wait_for(console, &revision);
}

/// Nothing was refused since then, and nothing is granted that was not used.
fn rights_are_right(site: &Site<'_>, since: usize) {
    let log = site.stage.cluster().audit_log();
    let of = |release: &Release<'_>| release.grants();
    let grants: Vec<_> = site.releases().into_iter().flat_map(of).collect();
    // What events tell is asked for a moment after they were written.
    wait_until_blocking("the use of all that is granted", SOON, || {
        let events = audit::read(&log);
        let refused = audit::refused(&events[since..]);
        assert!(refused.is_empty(), "refused: {refused:#?}");
        match unproven(&grants, &events, &exceptions()) {
            unproven if unproven.is_empty() => Ok(()),
            unproven => Err(format!("{unproven:#?}")),
        }
    });
}

/// The same look at an installation that is broken on purpose.
fn a_right_that_is_missing_is_found(site: &Site<'_>, console: &Console, depot: &Demo<'_>) {
    let name = format!("{}-{EAST}-app-proxy", site.east.namespace);
    let without = json!([{"op": "replace", "path": "/rules", "value": []}]).to_string();
    let words = [
        "patch",
        "clusterrole",
        &name,
        "--type=json",
        "--patch",
        &without,
    ];
    site.stage.kubectl(&words).expect_success();
    let told = console.cli(&["app", "refresh", &format!("{EAST}/gitops/{}", depot.name)]);
    assert!(!told.status.success(), "{told:?}");
    let refused = audit::refused(&audit::read(&site.stage.cluster().audit_log()));
    assert!(
        refused.iter().any(|line| line.contains("app-proxy")),
        "{refused:?}"
    );
}

/// What is left of the releases, as helm/README.md says.
fn kept() -> BTreeSet<String> {
    let [platform, east, west] = NAMESPACES;
    let claims = ["platform", "inventory"].map(|part| format!("{PLATFORM}-{part}"));
    let claims = claims.iter().flat_map(|claim| {
        [
            format!("PersistentVolumeClaim {platform} {claim}"),
            format!("PersistentVolume <none> {claim}"),
        ]
    });
    let secrets = [
        format!("Secret {platform} {PLATFORM}-tunnel-server-tls"),
        format!("Secret {east} {EAST}-identity"),
        format!("Secret {west} {WEST}-identity"),
    ];
    let tests = [(platform, PLATFORM), (east, EAST), (west, WEST)];
    let tests = tests.map(|(namespace, release)| format!("Pod {namespace} {release}-test"));
    claims.chain(secrets).chain(tests).collect()
}

/// For a person who reads the figures: not by the macro, whose output a test that passes does not show.
fn report(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
