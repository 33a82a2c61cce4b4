//! The sandbox as its users see it: through `kube` in process, over sockets, and by stock clients.

#[cfg(test)]
mod argocd;
#[cfg(test)]
mod durability;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod git;
#[cfg(test)]
mod kubectl;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod socket;
#[cfg(test)]
mod watches;
#[cfg(test)]
mod workloads;
#[cfg(test)]
mod world;
#[cfg(test)]
mod writes;
