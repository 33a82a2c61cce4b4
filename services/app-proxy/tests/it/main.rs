//! The app proxy on a stand-in cluster with a stand-in Argo CD, called as its server calls it.

#[cfg(test)]
mod between;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod mutations;
#[cfg(test)]
mod outside;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod resource_actions;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod rollouts;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod syncs;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod workflows;
