//! causeway-client
