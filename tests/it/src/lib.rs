//! causeway-it
