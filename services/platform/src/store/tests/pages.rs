//! Tests of paginated lists.

use super::{
    sign_in::{add, beginning, dex, session},
    *,
};
use crate::{
    identity_providers::model::Identity,
    service_accounts::model::ServiceAccount,
    sessions::model::UserSession,
    users::model::{User, UserStatus},
};

over_each_store!(
    pieces_of_the_list_of_sessions_hold_each_once_though_several_began_at_one_time,
    pieces_of_the_list_of_links_hold_each_once_though_several_were_made_at_one_time,
    pieces_of_the_list_of_service_accounts_hold_each_once_without_removed_ones,
);

/// Reads a list in pieces of one size after another, and gives back its rows as they are read whole.
async fn pieces<T: PartialEq + std::fmt::Debug, K>(
    read: impl AsyncFn(Option<&K>, u32) -> Vec<T>,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let all = read(None, 1000).await;
    for size in 1..=u32::try_from(all.len()).unwrap() + 1 {
        let (mut found, mut behind) = (Vec::new(), None);
        loop {
            let piece = read(behind.as_ref(), size).await;
            assert!(piece.len() <= size as usize);
            let Some(last) = piece.last() else {
                break;
            };
            behind = Some(key(last));
            found.extend(piece);
        }
        assert_eq!(found, all, "in pieces of {size}");
    }
    all
}

async fn pieces_of_the_list_of_sessions_hold_each_once_though_several_began_at_one_time(
    subject: &Subject,
) {
    for of in ["default", "other"] {
        add(subject, of).await;
        for (who, at) in [("u-1", 1), ("u-2", 2), ("u-3", 2), ("u-1", 2), ("u-2", 3)] {
            session(subject, &beginning(of, who, who, &[who], at)).await;
        }
    }
    let own = account("default");
    let read = async |user: Option<&UserId>, behind: Option<&_>, limit| {
        let asked = (behind, limit);
        let found = subject.store.list_sessions(&own, user, asked, 500);
        found.await.unwrap()
    };
    let of_all = async |behind: Option<&_>, limit| read(None, behind, limit).await;
    let all = pieces(of_all, UserSession::place).await;
    let times: Vec<i64> = all.iter().map(|it| it.created_at).collect();
    assert_eq!(times, [3, 2, 2, 2, 1]);
    assert!(all.iter().all(|it| it.account == own));
    let of_one = async |behind: Option<&_>, limit| read(Some(&all[0].user), behind, limit).await;
    let some = pieces(of_one, UserSession::place).await;
    assert_eq!(some.len(), 2);
}

async fn pieces_of_the_list_of_links_hold_each_once_though_several_were_made_at_one_time(
    subject: &Subject,
) {
    for of in ["default", "other"] {
        add(subject, of).await;
        for (who, linked_at) in [("b", 1), ("c", 2), ("a", 2), ("z", 2)] {
            let identity = Identity {
                provider: dex(),
                subject: (who != "z").then(|| who.to_owned()),
                name: (who == "z").then(|| who.to_owned()),
                user: admin(),
                linked_at,
            };
            let unique = request(of, "LinkIdentity");
            let linked = subject.store.link_identity(&unique, &identity).await;
            assert!(matches!(linked.unwrap(), Change::Made(Recorded::First(_))));
        }
    }
    let (own, user) = (account("default"), admin());
    let read = async |behind: Option<&_>, limit| {
        let asked = (behind, limit);
        let found = subject.store.list_identities(&own, &user, asked);
        found.await.unwrap()
    };
    let all = pieces(read, Identity::place).await;
    let links: Vec<String> = all.iter().map(Identity::link).collect();
    assert_eq!(links, ["subject:b", "name:z", "subject:a", "subject:c"]);
}

async fn pieces_of_the_list_of_service_accounts_hold_each_once_without_removed_ones(
    subject: &Subject,
) {
    for of in ["default", "other"] {
        for name in ["d", "a", "c", "b"] {
            let user = User::new(account(of), name.parse().unwrap(), String::new(), vec![], 3);
            let trust = Vec::new();
            let made = ServiceAccount { user, trust };
            let unique = request(of, "CreateServiceAccount");
            let made = subject.store.create_service_account(&unique, &made).await;
            assert!(matches!(made.unwrap(), Change::Made(Recorded::First(_))));
        }
    }
    let (own, removed) = (account("default"), "b".parse().unwrap());
    let unique = request("default", "DeleteUser");
    let deleted = UserStatus::Deleted;
    let gone = subject
        .store
        .set_user_standing(&unique, &removed, deleted, 4)
        .await;
    assert!(matches!(gone.unwrap(), Change::Made(_)));
    let read = async |behind: Option<&UserId>, limit| {
        let found = subject.store.list_service_accounts(&own, behind, limit);
        found.await.unwrap()
    };
    let all = pieces(read, |it| it.user.user.clone()).await;
    let names: Vec<&str> = all.iter().map(|it| it.user.user.as_str()).collect();
    assert_eq!(names, ["a", "c", "d"]);
}
