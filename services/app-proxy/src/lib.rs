//! causeway-app-proxy
