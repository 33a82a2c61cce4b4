//! The addresses of a node, all from one number.

use std::net::Ipv4Addr;

/// Number of a node on this machine, 1 to 250, which selects its networks: `10.243.N.0/24` between host and node, `10.244.N.0/24` for
/// pods, `10.96.N.0/24` for Services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subnets {
    number: u8,
}

impl Subnets {
    pub(crate) fn new(number: u8) -> Self {
        Self { number }
    }

    pub(crate) fn number(self) -> u8 {
        self.number
    }

    /// Address of the host for the node and its pods.
    pub(crate) fn host(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 243, self.number, 1)
    }

    pub(crate) fn node(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 243, self.number, 2)
    }

    pub(crate) fn services(self) -> String {
        format!("10.96.{}.0/24", self.number)
    }

    /// Address of the API server for pods.
    pub(crate) fn api(self) -> Ipv4Addr {
        Ipv4Addr::new(10, 96, self.number, 1)
    }

    /// Where the Argo CD of this place in the options is: among the first sixteen of a network, which Kubernetes gives to no Service that does
    /// not ask for one, as long as there are others.
    pub(crate) fn argocd(self, at: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 96, self.number, 2 + at)
    }

    pub(crate) fn node_name(self) -> String {
        format!("node-{}", self.number)
    }

    /// Commands of `ip -batch` for the host's end of the link.
    pub(crate) fn host_end(self, process: u32) -> String {
        let (number, host, node) = (self.number, self.host(), self.node());
        format!(
            "link add causeway{number} type veth peer name eth0 netns {process}\n\
             address add {host}/24 dev causeway{number}\n\
             link set causeway{number} up\n\
             route add 10.244.{number}.0/24 via {node}\n\
             route add 10.96.{number}.0/24 via {node}\n"
        )
    }

    /// Writes the number and a folder into a text with `{number}` and `{folder}`.
    pub(crate) fn fill(self, template: &str, folder: &str) -> String {
        let filled = template.replace("{number}", &self.number.to_string());
        filled.replace("{folder}", folder)
    }
}

#[cfg(test)]
mod tests;
