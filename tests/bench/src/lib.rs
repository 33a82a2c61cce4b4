//! causeway-bench
