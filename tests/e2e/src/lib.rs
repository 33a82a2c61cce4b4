//! causeway-e2e
