//! causeway
