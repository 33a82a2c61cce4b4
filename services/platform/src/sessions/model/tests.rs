use super::*;
use crate::{api_keys::model::Rotation, roles::model as role};

fn holder(change: impl FnOnce(&mut SessionHolder)) -> SessionHolder {
    let account: AccountId = "default".parse().unwrap();
    let user: UserId = "ada".parse().unwrap();
    let owner = User::new(
        account.clone(),
        user.clone(),
        "ada".to_owned(),
        vec![role::admin()],
        1,
    );
    let session = UserSession {
        account,
        session_id: UserSession::new_id(),
        user,
        provider: None,
        key_id: None,
        identity: String::new(),
        groups: Vec::new(),
        created_at: 1,
        last_seen_at: None,
        expires_at: 101,
        revoked_at: None,
        source_address: String::new(),
    };
    let mut holder = SessionHolder {
        session,
        owner,
        provider: None,
        key: None,
    };
    change(&mut holder);
    holder
}

#[test]
fn a_session_opens_until_it_ends_or_its_owner_or_its_provider_goes() {
    let check = |change: fn(&mut SessionHolder)| holder(change).check(100);
    assert_eq!(check(|_| {}), Ok(()));
    assert_eq!(
        check(|it| it.session.expires_at = 100),
        Err(SessionRefusal::Expired)
    );
    assert_eq!(
        check(|it| it.session.revoked_at = Some(1)),
        Err(SessionRefusal::Revoked)
    );
    assert_eq!(
        check(|it| it.owner.disabled_at = Some(1)),
        Err(SessionRefusal::Disabled)
    );
    assert_eq!(
        check(|it| it.owner.deleted_at = Some(1)),
        Err(SessionRefusal::Disabled)
    );
    let gone = |it: &mut SessionHolder| it.session.provider = Some("dex".parse().unwrap());
    assert_eq!(check(gone), Err(SessionRefusal::Revoked));
}

#[test]
fn the_roles_of_a_session_are_the_users_own_and_those_of_its_groups() {
    assert_eq!(holder(|_| {}).roles(), [role::admin()]);
}

fn key(change: impl FnOnce(&mut ApiKey)) -> ApiKey {
    let mut key = ApiKey {
        account: "default".parse().unwrap(),
        key_id: ApiKey::new_id(),
        display_name: "a key".to_owned(),
        user: "ada".parse().unwrap(),
        role: Some("viewer".parse().unwrap()),
        created_at: 1,
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
        rotation: None,
    };
    change(&mut key);
    key
}

fn rotation(rotated_at: i64, former_ends_at: i64) -> Option<Rotation> {
    Some(Rotation {
        rotated_at,
        former_ends_at,
    })
}

#[test]
fn a_session_of_a_key_ends_with_the_key_and_after_12_hours_at_most() {
    let end = |change: fn(&mut ApiKey)| UserSession::of_key(&key(change), 10).expires_at;
    let longest = 10 + KEY_SESSION_LIFE;
    assert_eq!(end(|_| {}), longest);
    assert_eq!(end(|key| key.expires_at = Some(20)), 20);
    assert_eq!(end(|key| key.expires_at = Some(i64::MAX)), longest);
    assert_eq!(end(|key| key.rotation = rotation(5, 30)), 30);
    assert_eq!(end(|key| key.rotation = rotation(5, 9)), longest);
}

#[test]
fn a_session_of_a_key_opens_nothing_once_the_key_opens_nothing() {
    let check = |change: fn(&mut ApiKey)| {
        let session = UserSession::of_key(&key(|_| {}), 10);
        let key = key(change);
        holder(|it| (it.session, it.key) = (session, Some(key))).check(100)
    };
    assert_eq!(check(|_| {}), Ok(()));
    let ended = Err(SessionRefusal::KeyEnded);
    assert_eq!(check(|key| key.revoked_at = Some(50)), ended);
    assert_eq!(check(|key| key.expires_at = Some(100)), ended);
    assert_eq!(check(|key| key.rotation = rotation(50, 100)), ended);
    assert_eq!(check(|key| key.rotation = rotation(50, 101)), Ok(()));
    let gone = |it: &mut SessionHolder| it.session = UserSession::of_key(&key(|_| {}), 10);
    assert_eq!(holder(gone).check(100), ended);
}

#[test]
fn a_session_of_a_key_has_the_limit_of_the_key() {
    let limited = holder(|it| it.key = Some(key(|_| {})));
    assert_eq!(limited.limit().map(RoleName::as_str), Some("viewer"));
    assert_eq!(holder(|_| {}).limit(), None);
}
