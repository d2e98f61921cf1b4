//! `quire config`

use crate::config::Layers;

pub(super) fn print(layers: &Layers) -> String {
    layers.to_toml()
}
