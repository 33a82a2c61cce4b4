//! causeway-tunnel-client
