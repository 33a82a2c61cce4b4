use causeway_proto::ids::AccountId;
use causeway_shell::TestStop;
use tokio::task::JoinSet;

use super::*;
use crate::{
    audit,
    audit::{AuditRecord, Entry, Intent, Outcome},
    identity_providers::discovery::Providers,
    keys::ring::KeyRing,
    platform::{PlatformSettings, SignInContext},
    sign_in::sealing::SealingKeys,
    store::{Store, tests::memory::MemoryStore},
};

struct Kept {
    platform: Arc<Platform>,
    store: Arc<dyn Store>,
    _stop: TestStop,
    _loops: JoinSet<()>,
}

/// A platform whose housekeeping runs on a paused clock.
fn kept(store: MemoryStore) -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let ring = Arc::new(KeyRing::open(folder.path()).unwrap());
    let store: Arc<dyn Store> = Arc::new(store);
    let (shell, _stop) = Shell::for_test("platform");
    let (log, writer) = audit::open(Arc::clone(&store), Arc::clone(&ring));
    let context = SignInContext {
        keys: SealingKeys::open(folder.path()).unwrap(),
        providers: Providers::new(causeway_oidc::AddressPolicy::Network),
        session_age: 1,
        public_url: None,
    };
    let platform = Platform::new(
        Arc::clone(&store),
        ring,
        log,
        context,
        PlatformSettings::default(),
        &shell,
    );
    let platform = Arc::new(platform);
    let mut _loops = JoinSet::new();
    _loops.spawn(writer.run());
    let housekeeping = run(Arc::clone(&platform), shell);
    _loops.spawn(async move {
        let _ = housekeeping.await;
    });
    Kept {
        platform,
        store,
        _stop,
        _loops,
    }
}

/// Lets the clock go on until something is there.
async fn eventually<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut steps = interval(Duration::from_secs(1));
    for _ in 0..2 * 60 * 60 {
        steps.tick().await;
        if let Some(found) = look().await {
            return found;
        }
    }
    panic!("not within two hours")
}

#[tokio::test(start_paused = true)]
async fn a_row_that_nobody_closes_is_closed_as_unknown() {
    let kept = kept(MemoryStore::default());
    let account: AccountId = "default".parse().unwrap();
    let old = AuditRecord::allowed(AccountId::clone(&account), Intent::default(), 1);
    let young = AuditRecord::allowed(AccountId::clone(&account), Intent::default(), now());
    for row in [&old, &young] {
        kept.platform
            .audit
            .log
            .write(Entry::Open(Box::new(row.clone())))
            .await
            .unwrap();
    }
    let end = eventually(async || {
        let rows = kept.store.newest_audit(&account).await;
        rows.into_iter()
            .find(|row| row.audit_id == old.audit_id)?
            .end
    })
    .await;
    assert_eq!(end.outcome, Outcome::Unknown);
    let rows = kept.store.newest_audit(&account).await;
    assert_eq!(rows.iter().filter(|row| row.end.is_none()).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_platform_tells_of_itself() {
    let kept = kept(MemoryStore::default());
    let account = "default".parse().unwrap();
    let part = eventually(async || {
        let parts = kept
            .platform
            .parts
            .list_parts(&account, now())
            .await
            .unwrap();
        parts.into_iter().next()
    })
    .await;
    assert_eq!((part.0, part.1.name.as_str()), (None, "platform"));
}
