//! The one way to ask an OpenID Connect provider who somebody is: discovery, its keys, the code flow with PKCE, the device
//! flow, and the verification of ID tokens. Never decides what somebody may do, and never keeps a token.

mod actions;
mod config;
mod device;
mod error;
mod flow;
mod http;
mod kept;
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
