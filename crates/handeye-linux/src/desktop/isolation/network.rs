//! The hosts that an isolated desktop reaches. Each one has an address of the loopback interface inside, under its own name; what
//! connects there is relayed to the host from outside.

use super::NamedHost;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Most hosts that can be named: each has a socket, and all are passed in one message.
pub(super) const MOST_HOSTS: usize = super::message::MOST_FILES;
/// Most connections at a time, all hosts together.
const MOST_CONNECTIONS: usize = 256;
/// How long a host may take to accept one.
const CONNECT_DEADLINE: Duration = Duration::from_secs(20);
/// How long to wait when no connection can be accepted, as files have run out.
const PAUSE: Duration = Duration::from_millis(100);

/// Where the hosts are found inside, in their order: `localhost` at its own address, each other name at one of its own.
pub(super) fn addresses(hosts: &[NamedHost]) -> Vec<SocketAddr> {
    let mut names: Vec<&str> = Vec::new();
    hosts
        .iter()
        .map(|named| {
            if named.is_local() {
                return SocketAddr::from((Ipv4Addr::LOCALHOST, named.port));
            }
            let index = names.iter().position(|name| *name == named.host).unwrap_or_else(|| {
                names.push(&named.host);
                names.len() - 1
            });
            // There are at most `MOST_HOSTS`.
            let last = u8::try_from(index + 1).unwrap_or(u8::MAX);
            SocketAddr::from((Ipv4Addr::new(127, 18, 0, last), named.port))
        })
        .collect()
}

/// The sandbox's `/etc/hosts`.
pub(super) fn hosts_file(hosts: &[NamedHost]) -> String {
    let mut text = "127.0.0.1 localhost isolated\n".to_owned();
    for (named, address) in hosts.iter().zip(addresses(hosts)) {
        if !named.is_local() {
            text += &format!("{} {}\n", address.ip(), named.host);
        }
    }
    text
}

/// Relays what comes at the sockets, which listen inside, to their hosts. Ends with the runtime.
pub(super) fn relay(hosts: &[NamedHost], sockets: Vec<TcpListener>) -> std::io::Result<()> {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    for (host, socket) in hosts.iter().cloned().zip(sockets) {
        socket.set_nonblocking(true)?;
        let socket = tokio::net::TcpListener::from_std(socket)?;
        tokio::spawn(accept(host, socket, Arc::clone(&free)));
    }
    Ok(())
}

async fn accept(host: NamedHost, socket: tokio::net::TcpListener, free: Arc<Semaphore>) {
    // It is never closed.
    while let Ok(slot) = Arc::clone(&free).acquire_owned().await {
        match socket.accept().await {
            Ok((inside, _)) => {
                let host = host.clone();
                tokio::spawn(async move {
                    connect(&host, inside).await;
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(%error, host = host.host, "a connection from inside was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn connect(host: &NamedHost, mut inside: TcpStream) {
    let outside = match timeout(CONNECT_DEADLINE, TcpStream::connect((host.host.as_str(), host.port))).await {
        Ok(Ok(outside)) => outside,
        Ok(Err(error)) => return tracing::warn!(%error, host = host.host, port = host.port, "not reached"),
        Err(_late) => return tracing::warn!(host = host.host, port = host.port, "not reached in time"),
    };
    let mut outside = outside;
    if let Err(error) = copy_bidirectional(&mut inside, &mut outside).await {
        tracing::debug!(%error, "a connection broke off");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_an_address_and_this_machine_its_own() {
        let hosts: Vec<NamedHost> = ["a.org:443", "localhost:3000", "b.org:80", "a.org:80"]
            .iter()
            .map(|text| text.parse().expect("a host"))
            .collect();
        let found: Vec<String> = addresses(&hosts).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["127.18.0.1:443", "127.0.0.1:3000", "127.18.0.2:80", "127.18.0.1:80"]);
        assert_eq!(
            hosts_file(&hosts),
            "127.0.0.1 localhost isolated\n127.18.0.1 a.org\n127.18.0.2 b.org\n127.18.0.1 a.org\n"
        );
    }
}
