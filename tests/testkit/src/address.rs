//! Addresses for who must be told where to listen, or listens there again after an end.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Mutex, PoisonError},
};

use tokio::net::TcpSocket;

/// Bound and never listening: the kernel then gives the port to nobody who takes any, and lets who names it listen.
static RESERVED: Mutex<Vec<TcpSocket>> = Mutex::new(Vec::new());

/// An address of loopback that is this process's until its end, to be listened on by itself and its children.
///
/// # Panics
/// When there is no port.
pub fn reserved_address() -> SocketAddr {
    reserved_address_on(Ipv4Addr::LOCALHOST)
}

/// The same on another address of this machine.
///
/// # Panics
/// When there is no port, or no such address.
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
fn a_reserved_address_can_be_listened_on_again_and_again_by_one_at_a_time() {
    let address = reserved_address();
    for _ in 0..2 {
        let listener = std::net::TcpListener::bind(address).unwrap();
        let client = std::net::TcpStream::connect(address).unwrap();
        listener.accept().unwrap();
        assert!(std::net::TcpListener::bind(address).is_err());
        drop((client, listener));
    }
}
