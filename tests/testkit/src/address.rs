//! Reserved local addresses, for servers that must know their address before they listen or listen on it again.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Mutex, PoisonError},
};

use tokio::net::TcpSocket;

/// Sockets that are bound but never listen: the kernel assigns their ports to no one else, but allows listening on them
/// explicitly.
static RESERVED: Mutex<Vec<TcpSocket>> = Mutex::new(Vec::new());

/// Reserves a loopback address for this process and its children until it ends.
///
/// # Panics
/// No port is available.
pub fn reserved_address() -> SocketAddr {
    reserved_address_on(Ipv4Addr::LOCALHOST)
}

/// Reserves a port on another address of this machine.
///
/// # Panics
/// No port or no such address is available.
pub fn reserved_address_on(host: Ipv4Addr) -> SocketAddr {
    let socket = TcpSocket::new_v4().expect("a socket can be had");
    socket
        .set_reuseaddr(true)
        .expect("a socket knows this option");
    socket.bind((host, 0).into()).expect("there are free ports");
    let address = socket.local_addr().expect("a bound socket has an address");
    let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    reserved.push(socket);
    address
}

#[test]
fn reserved_address_can_be_reused_by_one_listener_at_a_time() {
    let address = reserved_address();
    for _ in 0..2 {
        let listener = std::net::TcpListener::bind(address).unwrap();
        let client = std::net::TcpStream::connect(address).unwrap();
        listener.accept().unwrap();
        assert!(std::net::TcpListener::bind(address).is_err());
        drop((client, listener));
    }
}
