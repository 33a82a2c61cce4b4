//! causeway-inventory
