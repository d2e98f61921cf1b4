//! Puts scanned and photographed pages right before their text is recognised: sheets seen from the side, pages that lie on
//! their side or are tilted, shadows, pale print and low resolution.
//!
//! Pure computation on gray pixels, for the parser process. [`prepare`] looks at a reduced image, which costs a few
//! milliseconds, and touches the page itself only if something is wrong with it. Whatever it changes, the
//! [`Projection`] of the result leads every place back to the given image.

// Images are a few thousand pixels wide, and pixels are bytes.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    clippy::cast_possible_wrap,
    clippy::many_single_char_names
)]

mod gray;
mod light;
mod paper;
mod prepare;
mod projection;
mod sharpen;
mod text_lines;
mod warp;

pub use gray::Gray;
pub use prepare::{Instructions, MAX_SIDE, Prepared, prepare};
pub use projection::Projection;
pub use text_lines::Rotation;
