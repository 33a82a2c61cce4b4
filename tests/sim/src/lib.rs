//! causeway-sim
