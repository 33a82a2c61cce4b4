//! What is said of many values.

/// The median.
pub(crate) fn middle(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value that the given part of all is not above; not a number where there are none.
pub(crate) fn quantile(values: &[f64], at: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len().saturating_sub(1)) as f64 * at).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}
