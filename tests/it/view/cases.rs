//! Cases that broke other engines.
