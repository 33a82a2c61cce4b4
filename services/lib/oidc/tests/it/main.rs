//! A provider at the wire: what is believed of whoever answers in its name.

#[cfg(test)]
mod encryption;
