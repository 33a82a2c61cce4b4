//! OpenID Connect client: discovery, provider keys, authorization code flow with PKCE, device flow and verification of ID
//! tokens. Authorizes nothing and stores no token.

mod actions;
mod cached;
mod config;
mod device;
mod error;
mod flow;
mod http;
mod keys;
mod metadata;
mod provider;
mod secret;
pub mod token;

pub use actions::actions_token;
pub use config::{ProviderArgs, ProviderConfig};
pub use device::{DeviceSignIn, PollResult};
pub use error::{ProviderError, Refusal, SignInError};
pub use flow::{Challenge, CodeExchange};
pub use http::AddressPolicy;
pub use provider::Provider;
pub use reqwest::Url;
pub use secret::RandomToken;
pub use token::{Claims, ExpectedClaims, TokenError};
