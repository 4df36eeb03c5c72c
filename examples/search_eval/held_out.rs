//! Weights chosen without the conversation that is scored.

use crate::data::Talk;
use crate::score::Measures;

pub fn report(_talks: &[Talk], _whole: &Measures) {}
