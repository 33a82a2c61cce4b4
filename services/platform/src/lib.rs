//! causeway-platform
