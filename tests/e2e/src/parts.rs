//! One process per part.
