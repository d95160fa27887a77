//! By which names this server is called, and which pages may call it: a page whose name was made to lead here comes with another.

use std::net::SocketAddr;

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The names of a server. Programs say no origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    /// What `Host` may say, with any port.
    pub(super) hosts: Vec<String>,
    /// The pages whose scripts may call: those of this very server, which has none.
    pub(super) origins: Vec<String>,
}

impl Names {
    /// The names of a server at `address`: those of this machine, and those by which others call it.
    pub(super) fn of(address: SocketAddr, is_encrypted: bool, others: impl Iterator<Item = String>) -> Self {
        let scheme = if is_encrypted { "https" } else { "http" };
        let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).to_vec();
        hosts.push(address.ip().to_string());
        let mut origins: Vec<String> =
            hosts.iter().map(|host| format!("{scheme}://{}:{}", bracketed(host), address.port())).collect();
        for other in others {
            origins.push(format!(
                "https://{}:{}",
                bracketed(&other),
                if is_encrypted { address.port() } else { 443 }
            ));
            hosts.push(other.to_ascii_lowercase());
        }
        Self { hosts, origins }
    }
}

/// A host as it stands in a URL.
pub(super) fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_the_names_of_its_machine_and_those_it_is_given() {
        let address = "192.0.2.7:8741".parse().expect("an address");
        let names =
            Names::of(address, true, ["Desk.example".to_owned(), "2001:db8::1".to_owned()].into_iter());
        assert_eq!(
            names.hosts,
            ["localhost", "127.0.0.1", "::1", "192.0.2.7", "desk.example", "2001:db8::1"]
        );
        assert!(names.origins.contains(&"https://[::1]:8741".to_owned()));
        assert!(names.origins.contains(&"https://[2001:db8::1]:8741".to_owned()));
        let proxied = Names::of(address, false, std::iter::once("desk.example".to_owned()));
        assert!(proxied.origins.contains(&"http://192.0.2.7:8741".to_owned()));
        assert!(proxied.origins.contains(&"https://desk.example:443".to_owned()));
    }
}
