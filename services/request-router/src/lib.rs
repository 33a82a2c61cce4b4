//! causeway-request-router
