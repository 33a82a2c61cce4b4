//! causeway-tunnel-server
