//! causeway-tidy
