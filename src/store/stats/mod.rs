//! Counts, and how the tokens of a view rose and fell.
//! May not scan messages: running sums hold what is asked.

mod counts;
mod curve;
#[cfg(test)]
mod tests;
