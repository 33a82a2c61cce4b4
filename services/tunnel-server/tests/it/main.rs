//! The whole tunnel over TLS on loopback: an upstream, a tunnel client, a tunnel server, a caller.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod entry;
#[cfg(test)]
mod frames;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod upstream;
#[cfg(test)]
mod wire;
