//! causeway-source-server
