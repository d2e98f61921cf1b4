//! `quire config`

use crate::config::Layers;

pub(super) fn show(layers: &Layers) -> String {
    layers.to_toml()
}
