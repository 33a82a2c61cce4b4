//! causeway-sandbox
