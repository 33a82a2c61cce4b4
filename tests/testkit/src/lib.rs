//! causeway-testkit
