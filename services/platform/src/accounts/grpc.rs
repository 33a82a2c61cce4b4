//! gRPC handlers of `AccountService`.

use causeway_proto::{ids::AccountId, platform::v1 as pb};
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::{
    accounts::model::{first_account, is_reserved},
    accounts::service::AccountService,
    api_keys::grpc::shown,
    convert,
    convert::FieldError,
    grpc::{Handler, PAGES, user_of},
    platform::{ChangeError, now},
};

#[tonic::async_trait]
impl pb::account_service_server::AccountService for Handler<AccountService> {
    async fn create_account(
        &self,
        request: Request<pb::CreateAccountRequest>,
    ) -> Result<Response<pb::CreateAccountResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateAccount", asked)?;
        let account: AccountId = convert::id("account", &asked.account)?;
        if is_reserved(&account) {
            return Err(FieldError::new("account", "the platform's own name").into());
        }
        let made = self.0.create_account(&requester, &unique, account, now());
        let (account, secret) = made.await?;
        Ok(Response::new(pb::CreateAccountResponse {
            account: Some(account.into()),
            admin_api_key: shown(secret),
        }))
    }

    async fn list_accounts(
        &self,
        request: Request<pb::ListAccountsRequest>,
    ) -> Result<Response<pb::ListAccountsResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        if caller.account != first_account() {
            return Err(ChangeError::FirstAccountOnly.into());
        }
        let page = Page::from_request(request.get_ref(), caller, PAGES)?;
        let found = self.0.store.list_accounts(page.after(), page.fetch_limit());
        let (accounts, next_page_token) = page.split_page(found.await?, |it| it.account.clone());
        Ok(Response::new(pb::ListAccountsResponse {
            accounts: accounts.into_iter().map(pb::Account::from).collect(),
            next_page_token,
        }))
    }
}
