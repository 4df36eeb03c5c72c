//! Views, case by case.
