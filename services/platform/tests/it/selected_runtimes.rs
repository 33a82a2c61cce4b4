//! Rules that select runtimes: what two teams of one account, and another account with runtimes of the same names, see and change.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_client::{Credential, Peer, RuntimeIdentity};
use causeway_proto::platform::v1::{
    self as pb, account_service_client::AccountServiceClient,
    api_key_service_client::ApiKeyServiceClient, part_service_client::PartServiceClient,
    permission_service_client::PermissionServiceClient, role_service_client::RoleServiceClient,
    runtime_service_client::RuntimeServiceClient, user_service_client::UserServiceClient,
};
use prost::Message;
use tonic::{Code, Status};

use crate::stage::{CallStage, new_id};

const NAMES: [&str; 3] = ["blue-one", "blue-two", "red-one"];

/// Somebody with an API key.
struct Holder<'a> {
    stage: &'a CallStage,
    secret: String,
}

impl Holder<'_> {
    async fn peer(&self, rpc: &str, message: &impl Message) -> Result<Peer, Status> {
        let path = format!("/causeway.platform.v1.{rpc}");
        self.stage.allowed(&self.secret, &path, message).await
    }

    async fn list(&self, page_size: u32) -> Vec<String> {
        let mut names = Vec::new();
        let mut request = pb::ListRuntimesRequest {
            page_size,
            ..Default::default()
        };
        loop {
            let peer = self.peer("RuntimeService/ListRuntimes", &request).await;
            let mut client = RuntimeServiceClient::new(peer.unwrap());
            let page = client.list_runtimes(request.clone()).await.unwrap();
            let page = page.into_inner();
            assert!(page.runtimes.len() <= page_size as usize);
            names.extend(page.runtimes.into_iter().map(|runtime| runtime.name));
            if page.next_page_token.is_empty() {
                return names;
            }
            // A token tells of nothing that was not on the page.
            let token = BASE64_URL_SAFE_NO_PAD
                .decode(&page.next_page_token)
                .unwrap();
            let last = serde_json::json!(names.last()).to_string();
            assert_eq!(&token[16..], last.as_bytes());
            request.page_token = page.next_page_token;
        }
    }

    async fn get(&self, name: &str) -> Result<pb::Runtime, Status> {
        let name = name.to_owned();
        let request = pb::GetRuntimeRequest { name };
        let peer = self.peer("RuntimeService/GetRuntime", &request).await?;
        let answer = RuntimeServiceClient::new(peer).get_runtime(request).await?;
        Ok(answer.into_inner().runtime.unwrap())
    }

    async fn revoke(&self, name: &str) -> Result<pb::Runtime, Status> {
        let request = pb::RevokeRuntimeRequest {
            name: name.to_owned(),
            request_id: new_id(),
        };
        let peer = self.peer("RuntimeService/RevokeRuntime", &request).await?;
        let mut client = RuntimeServiceClient::new(peer);
        let answer = client.revoke_runtime(request).await?;
        Ok(answer.into_inner().runtime.unwrap())
    }

    async fn invite_again(&self, name: &str) -> Result<String, Status> {
        let request = pb::CreateRejoinTokenRequest {
            name: name.to_owned(),
            request_id: new_id(),
        };
        let peer = self
            .peer("RuntimeService/CreateRejoinToken", &request)
            .await?;
        let mut client = RuntimeServiceClient::new(peer);
        Ok(client
            .create_rejoin_token(request)
            .await?
            .into_inner()
            .token)
    }

    async fn invite(&self, name: &str) -> Result<String, Status> {
        let request = pb::CreateJoinTokenRequest {
            runtime: name.to_owned(),
            request_id: new_id(),
        };
        let peer = self
            .peer("RuntimeService/CreateJoinToken", &request)
            .await?;
        let mut client = RuntimeServiceClient::new(peer);
        Ok(client.create_join_token(request).await?.into_inner().token)
    }

    /// A runtime that joined under a name and told of one part.
    async fn join(&self, folder: &str, name: &str) {
        let token = self.invite(name).await.unwrap();
        let folder = format!("{folder}-{name}");
        let runtime: RuntimeIdentity = self.stage.use_token(&folder, &token).await.unwrap();
        let part = Credential::runtime_part(
            runtime.key.clone().unwrap(),
            runtime.account.clone(),
            runtime.runtime_id.clone(),
            "app-proxy".parse().unwrap(),
        );
        announce(Peer::new(&self.stage.url, part), "app-proxy").await;
    }

    /// The runtimes of the parts that are shown; empty for the platform's.
    async fn parts(&self) -> Vec<String> {
        let request = pb::ListPartsRequest::default();
        let peer = self.peer("PartService/ListParts", &request).await.unwrap();
        let listed = PartServiceClient::new(peer).list_parts(request).await;
        let parts = listed.unwrap().into_inner().parts;
        parts.into_iter().map(|part| part.runtime).collect()
    }

    async fn can(&self, permission: &str, runtime: &str) -> bool {
        let request = pb::CheckPermissionRequest {
            permission: permission.to_owned(),
            target: Some(pb::Target {
                name: runtime.to_owned(),
                ..Default::default()
            }),
            ..Default::default()
        };
        let path = "PermissionService/CheckPermission";
        let peer = self.peer(path, &request).await.unwrap();
        let mut client = PermissionServiceClient::new(peer);
        let answer = client.check_permission(request).await.unwrap().into_inner();
        // Of a runtime all is known.
        assert!(answer.rules.iter().all(|rule| !rule.conditional));
        answer.allowed
    }

    /// A user with one rule about runtimes and parts.
    async fn member(&self, user: &str, selector: pb::Selector) -> Holder<'_> {
        let role = pb::CreateRoleRequest {
            name: format!("of-{user}"),
            rules: vec![pb::Rule {
                entities: vec!["runtime".to_owned(), "part".to_owned()],
                actions: vec!["*".to_owned()],
                selector: Some(selector),
            }],
            request_id: new_id(),
            ..Default::default()
        };
        let peer = self.peer("RoleService/CreateRole", &role).await.unwrap();
        RoleServiceClient::new(peer)
            .create_role(role)
            .await
            .unwrap();
        let request = pb::CreateUserRequest {
            user: user.to_owned(),
            roles: vec![format!("of-{user}")],
            request_id: new_id(),
            ..Default::default()
        };
        let peer = self.peer("UserService/CreateUser", &request).await.unwrap();
        let mut users = UserServiceClient::new(peer);
        users.create_user(request).await.unwrap();
        let request = pb::CreateApiKeyRequest {
            display_name: user.to_owned(),
            user: user.to_owned(),
            request_id: new_id(),
            ..Default::default()
        };
        let peer = self.peer("ApiKeyService/CreateApiKey", &request).await;
        let mut keys = ApiKeyServiceClient::new(peer.unwrap());
        let made = keys.create_api_key(request).await.unwrap().into_inner();
        Holder {
            stage: self.stage,
            secret: made.secret,
        }
    }
}

async fn announce(by: Peer, part: &str) {
    let request = pb::AnnounceRequest {
        part: part.to_owned(),
        instance: new_id(),
        health: pb::Health::Serving.into(),
        ..Default::default()
    };
    let mut parts = PartServiceClient::new(by);
    parts.announce(request).await.unwrap();
}

/// The admins of two accounts, each with runtimes of the same names.
async fn tenants(stage: &CallStage) -> [Holder<'_>; 2] {
    let secret = stage.admin_key();
    let first = Holder { stage, secret };
    let request = pb::CreateAccountRequest {
        account: "globex".to_owned(),
        request_id: new_id(),
    };
    let peer = first.peer("AccountService/CreateAccount", &request).await;
    let mut accounts = AccountServiceClient::new(peer.unwrap());
    let made = accounts.create_account(request).await.unwrap();
    let secret = made.into_inner().admin_api_key;
    let second = Holder { stage, secret };
    for (folder, holder) in [("first", &first), ("second", &second)] {
        for name in NAMES {
            holder.join(folder, name).await;
        }
    }
    announce(stage.part("inventory"), "inventory").await;
    [first, second]
}

fn runtimes(pattern: &str) -> pb::Selector {
    pb::Selector {
        runtimes: vec![pattern.to_owned()],
        ..Default::default()
    }
}

/// What somebody gets to know of a runtime that is not there for them.
async fn refusals(of: &Holder<'_>, name: &str) -> Vec<String> {
    let answers = [
        (of.get(name).await.map(drop), Code::NotFound),
        (of.revoke(name).await.map(drop), Code::NotFound),
        (of.invite_again(name).await.map(drop), Code::NotFound),
    ];
    let text = |(answer, code): (Result<(), Status>, Code)| {
        let status = answer.unwrap_err();
        assert_eq!(status.code(), code, "{status}");
        status.message().replace(name, "NAME")
    };
    answers.into_iter().map(text).collect()
}

#[tokio::test]
async fn s_45_a_team_sees_and_puts_out_the_runtimes_that_its_rules_select() {
    let stage = CallStage::start().await;
    let [first, second] = tenants(&stage).await;
    let blue = first.member("blue", runtimes("blue-*")).await;
    let red = first.member("red", runtimes("red-one")).await;
    for size in [1, 2, 500] {
        assert_eq!(blue.list(size).await, NAMES[..2]);
        assert_eq!(red.list(size).await, NAMES[2..]);
        assert_eq!(first.list(size).await, NAMES);
    }
    assert_eq!(blue.parts().await, NAMES[..2]);
    assert_eq!(red.parts().await, NAMES[2..]);
    let mut all = first.parts().await;
    all.dedup();
    assert_eq!(all, ["", NAMES[0], NAMES[1], NAMES[2]]);

    assert_eq!(
        refusals(&blue, "red-one").await,
        refusals(&blue, "rad-one").await
    );
    assert!(blue.can("runtime.revoke", "blue-one").await);
    assert!(!blue.can("runtime.revoke", "red-one").await);
    // Whether a name is taken is told to those alone who may take it.
    for name in ["red-one", "red-two"] {
        let refused = blue.invite(name).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
        assert!(refused.message().contains(name), "{refused}");
    }
    let taken = blue.invite("blue-one").await.unwrap_err();
    assert_eq!(taken.code(), Code::AlreadyExists, "{taken}");
    assert!(!blue.invite("blue-three").await.unwrap().is_empty());

    assert!(blue.get("blue-one").await.is_ok());
    assert!(!blue.invite_again("blue-one").await.unwrap().is_empty());
    let revoked = blue.revoke("blue-one").await.unwrap();
    assert_eq!(revoked.connection(), pb::Connection::Revoked);
    for (of, name) in [
        (&first, "blue-two"),
        (&first, "red-one"),
        (&second, "blue-one"),
    ] {
        let found = of.get(name).await.unwrap();
        assert_ne!(found.connection(), pb::Connection::Revoked, "{name}");
    }
}

#[tokio::test]
async fn s_56_rules_of_one_account_select_nothing_of_another() {
    let stage = CallStage::start().await;
    let [first, second] = tenants(&stage).await;
    let all = second.member("all", runtimes("*")).await;
    let [mine, theirs] = [first.get("red-one").await, second.get("red-one").await];
    let (mine, theirs) = (mine.unwrap(), theirs.unwrap());
    assert_ne!(mine.runtime_id, theirs.runtime_id);
    assert_eq!(all.get("red-one").await.unwrap(), theirs);
    first.join("first", "only-ours").await;
    assert_eq!(all.list(500).await, NAMES);
    assert_eq!(
        refusals(&all, "only-ours").await,
        refusals(&all, "only-hers").await
    );
    all.revoke("red-one").await.unwrap();
    assert_eq!(first.get("red-one").await.unwrap(), mine);
}

#[tokio::test]
async fn s_45_a_rule_that_selects_by_what_a_runtime_does_not_have_selects_none() {
    let stage = CallStage::start().await;
    let [first, _] = tenants(&stage).await;
    let some = || vec!["blue-*".to_owned()];
    let narrowed = [
        pb::Selector {
            projects: some(),
            ..runtimes("*")
        },
        pb::Selector {
            namespaces: some(),
            ..runtimes("*")
        },
        pb::Selector {
            names: some(),
            ..Default::default()
        },
        pb::Selector {
            clusters: some(),
            ..Default::default()
        },
        pb::Selector {
            labels: [("team".to_owned(), "blue".to_owned())].into(),
            ..runtimes("blue-*")
        },
    ];
    for (number, selector) in narrowed.into_iter().enumerate() {
        let of = first.member(&format!("user-{number}"), selector).await;
        assert_eq!(of.list(500).await, [""; 0]);
        assert_eq!(of.parts().await, [""; 0]);
        assert_eq!(
            refusals(&of, "blue-one").await,
            refusals(&of, "blau-one").await
        );
        let refused = of.invite("blue-three").await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
        assert!(!of.can("runtime.revoke", "blue-one").await);
    }
}
