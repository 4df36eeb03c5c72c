//! Tests of the order.
