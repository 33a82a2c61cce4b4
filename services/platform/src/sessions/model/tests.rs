use super::*;
use crate::roles::model as role;

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
