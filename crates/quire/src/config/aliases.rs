//! Other names for the same settings: environment variables that people already have from elsewhere. This list is
//! the only place where such a name is known.

/// Environment variable and the key it stands for. A `QUIRE_` variable of the same key beats it.
pub(super) const ALIASES: &[(&str, &str)] = &[];
