use causeway_proto::platform::v1 as pb;

use super::*;
use causeway_assertion::Scope;

const SIZES: PageSizes = PageSizes { default: 2, max: 3 };

fn caller(account: &str, subject: &str) -> Caller {
    Caller {
        subject: subject.parse().unwrap(),
        account: account.parse().unwrap(),
        runtime: None,
        scope: Scope::default(),
        request_id: None,
        issued_at: 0,
        jti: None,
        credential: None,
    }
}

fn ada() -> Caller {
    caller("default", "user:ada")
}

fn sessions(user: &str, page_size: u32, page_token: &str) -> pb::ListSessionsRequest {
    pb::ListSessionsRequest {
        user: user.to_owned(),
        page_size,
        page_token: page_token.to_owned(),
    }
}

fn page_of(numbers: &[u32], page_size: u32, token: &str) -> (Vec<u32>, String) {
    let asked = sessions("", page_size, token);
    let page: Page<u32> = Page::from_request(&asked, &ada(), SIZES).unwrap();
    page.paginate(numbers.iter().copied(), |&number| number)
}

#[test]
fn pages_contain_each_row_exactly_once() {
    for count in 0..9 {
        let all: Vec<u32> = (0..count).collect();
        for size in 0..5 {
            let (mut found, mut token) = (Vec::new(), String::new());
            loop {
                let (page, next) = page_of(&all, size, &token);
                assert!(page.len() <= 3);
                assert_eq!(page.is_empty(), all.is_empty(), "no page is in vain");
                found.extend(page);
                if next.is_empty() {
                    break;
                }
                token = next;
            }
            assert_eq!(found, all);
        }
    }
}

#[test]
fn page_size_has_a_default_and_a_maximum() {
    let all = [1, 2, 3, 4, 5];
    for (asked, has) in [(0, 2), (1, 1), (3, 3), (4, 3), (u32::MAX, 3)] {
        assert_eq!(page_of(&all, asked, "").0.len(), has, "{asked}");
    }
    assert_eq!(PageSizes::fixed(7).resolve(0), 7);
}

#[test]
fn concurrent_changes_do_not_shift_pages() {
    let (first, token) = page_of(&[10, 20, 30, 40], 2, "");
    assert_eq!(first, [10, 20]);
    assert_eq!(page_of(&[5, 10, 15, 30, 40], 2, &token).0, [30, 40]);
    assert_eq!(page_of(&[25, 30], 2, &token), (vec![25, 30], String::new()));
    assert_eq!(page_of(&[], 2, &token), (Vec::new(), String::new()));
}

#[test]
fn token_is_bound_to_caller_and_query() {
    let token = page_of(&[1, 2, 3], 1, "").1;
    let read = |request: &pb::ListSessionsRequest, caller: &Caller| {
        Page::<u32>::from_request(request, caller, SIZES).map(|page| page.after().copied())
    };
    let asked = sessions("", 3, &token);
    assert_eq!(read(&asked, &ada()), Ok(Some(1)), "the size may change");
    let strangers = [
        caller("default", "user:bob"),
        caller("other", "user:ada"),
        caller("default", "part:platform/ada"),
    ];
    for stranger in strangers {
        assert_eq!(read(&asked, &stranger), Err(InvalidPageToken));
    }
    let of_bob = sessions("bob", 3, &token);
    assert_eq!(read(&of_bob, &ada()), Err(InvalidPageToken));
    let roles = pb::ListRolesRequest {
        page_token: token,
        ..Default::default()
    };
    assert_eq!(
        Page::<u32>::from_request(&roles, &ada(), SIZES),
        Err(InvalidPageToken)
    );
}

#[test]
fn invalid_token_error_names_its_field() {
    let token = page_of(&[1, 2, 3], 1, "").1;
    let digest = &token[..20];
    let texts = ["x", "!", "ada", digest, &token[1..], &"A".repeat(5_000)];
    for text in texts {
        let read: Result<Page<u32>, Status> =
            Page::from_request(&sessions("", 0, text), &ada(), SIZES).map_err(Status::from);
        let refused = read.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{text}");
        assert!(refused.message().starts_with("page_token"), "{refused}");
    }
    let asked = sessions("", 0, &token);
    let other_key: Result<Page<String>, InvalidPageToken> =
        Page::from_request(&asked, &ada(), SIZES);
    assert_eq!(other_key, Err(InvalidPageToken));
}
