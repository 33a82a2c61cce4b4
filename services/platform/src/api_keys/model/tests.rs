use super::*;
use crate::first_start::first_admin;

fn holder(change: impl FnOnce(&mut Holder)) -> Result<(), KeyRefusal> {
    let (owner, key) = first_admin("default".parse().unwrap(), 1);
    let mut holder = Holder {
        key,
        shown: PresentedSecret::Present,
        owner,
    };
    change(&mut holder);
    holder.check(100)
}

fn rotation(former_ends_at: i64) -> Option<Rotation> {
    Some(Rotation {
        rotated_at: 50,
        former_ends_at,
    })
}

#[test]
fn a_key_opens_what_its_owner_may_until_it_ends() {
    assert_eq!(holder(|_| {}), Ok(()));
    assert_eq!(holder(|it| it.key.expires_at = Some(101)), Ok(()));
    let expired = holder(|it| it.key.expires_at = Some(100));
    assert_eq!(expired, Err(KeyRefusal::Expired));
    let revoked = holder(|it| it.key.revoked_at = Some(1));
    assert_eq!(revoked, Err(KeyRefusal::Revoked));
}

#[test]
fn a_key_of_who_may_not_sign_in_opens_nothing() {
    let disabled = holder(|it| it.owner.disabled_at = Some(1));
    assert_eq!(disabled, Err(KeyRefusal::Disabled));
    let deleted = holder(|it| it.owner.deleted_at = Some(1));
    assert_eq!(deleted, Err(KeyRefusal::Disabled));
}

#[test]
fn the_former_secret_of_a_rotated_key_ends_and_the_present_one_goes_on() {
    assert_eq!(holder(|it| it.key.rotation = rotation(60)), Ok(()));
    let former = |end| {
        holder(|it| {
            it.key.rotation = rotation(end);
            it.shown = PresentedSecret::Former;
        })
    };
    assert_eq!(former(101), Ok(()));
    assert_eq!(former(100), Err(KeyRefusal::Rotated));
    let without = holder(|it| it.shown = PresentedSecret::Former);
    assert_eq!(without, Err(KeyRefusal::Rotated));
}
