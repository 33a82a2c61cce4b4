//! causeway-shell
