//! The floor, case by case.
