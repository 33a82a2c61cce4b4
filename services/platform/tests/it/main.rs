//! The platform as its callers see it: the real server on a real port, over its own data folder.

#[cfg(test)]
mod api_keys;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod audit_chain;
#[cfg(test)]
mod authorization;
#[cfg(test)]
mod door;
#[cfg(test)]
mod issuer;
#[cfg(test)]
mod joining;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod mix_up;
#[cfg(test)]
mod offboarding;
#[cfg(test)]
mod restart;
#[cfg(test)]
mod selected_runtimes;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod sign_in;
#[cfg(test)]
mod speed;
#[cfg(test)]
mod stage;
