//! What all pages that are drawn have in common: how large they may be, why they are not drawn, and PNG.

use png::{BitDepth, ColorType, Compression, DeflateCompression, Encoder, Filter};

/// Images of more pixels than this are refused: four times A4 at 300 dots per inch.
const MAX_PIXELS: f64 = 40e6;
/// The renderer counts the pixels of a side in 16 bits.
const MAX_SIDE: f64 = 65_535.0;

/// Why a page cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageImageError {
    /// There is none of that number.
    #[error("the document has no such page")]
    NoSuchPage,
    /// It would have too many pixels.
    #[error("the page would have more than 40 megapixels at this scale; ask for a smaller scale")]
    TooLarge,
    /// It would have no pixels, or the scale is no number above zero.
    #[error("the page cannot be drawn at this scale; ask for a scale between 0.1 and 4")]
    UnusableScale,
    /// The pixels could not be written as PNG.
    #[error("the page was drawn but not written as PNG; ask for it again")]
    EncodingFailed,
}

/// How many pixels a page of so many points has at a scale.
pub(crate) fn pixel_size(width: f32, height: f32, scale: f32) -> Result<(u16, u16), PageImageError> {
    // Cut off, as the renderer does.
    let side = |points: f32| f64::from(points * scale).floor();
    let (width, height) = (side(width), side(height));
    if !width.is_finite() || !height.is_finite() || width < 1.0 || height < 1.0 {
        return Err(PageImageError::UnusableScale);
    }
    if width * height > MAX_PIXELS || width.max(height) > MAX_SIDE {
        return Err(PageImageError::TooLarge);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Checked above.
    Ok((width as u16, height as u16))
}

/// A PNG of gray pixels, a byte each.
pub(crate) fn gray_png(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, PageImageError> {
    encode(width, height, ColorType::Grayscale, pixels)
}

/// A PNG of coloured pixels, three bytes each.
pub(crate) fn rgb_png(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, PageImageError> {
    encode(width, height, ColorType::Rgb, pixels)
}

fn encode(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Result<Vec<u8>, PageImageError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    if is_flat(pixels, color.samples()) {
        // Half the size of what the fastest way gives, for three milliseconds more.
        encoder.set_deflate_compression(DeflateCompression::Level(2));
        encoder.set_filter(Filter::NoFilter);
    } else {
        // Photographs hardly shrink, so no time is spent on trying.
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Up);
    }
    let mut writer = encoder.write_header().map_err(|_| PageImageError::EncodingFailed)?;
    writer.write_image_data(pixels).map_err(|_| PageImageError::EncodingFailed)?;
    writer.finish().map_err(|_| PageImageError::EncodingFailed)?;
    Ok(file)
}

/// Whether three of four pixels equal the one before: paper with something on it, and no photograph.
fn is_flat(pixels: &[u8], samples: usize) -> bool {
    let same = pixels.iter().zip(pixels.iter().skip(samples)).filter(|(one, next)| one == next).count();
    same > pixels.len() / 4 * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_photographs_are_written_without_loss() {
        let paper = vec![255; 60 * 40];
        let noise: Vec<u8> =
            (0..60u32 * 40).map(|pixel| (pixel.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(is_flat(&paper, 1) && !is_flat(&noise, 1) && !is_flat(&[], 3));
        for pixels in [paper, noise] {
            let gray = image::load_from_memory(&gray_png(60, 40, &pixels).unwrap()).unwrap();
            assert_eq!(gray.into_luma8().into_raw(), pixels);
            let colors = image::load_from_memory(&rgb_png(20, 40, &pixels).unwrap()).unwrap();
            assert_eq!(colors.into_rgb8().into_raw(), pixels);
        }
        assert_eq!(gray_png(60, 41, &[0; 60]), Err(PageImageError::EncodingFailed));
    }

    #[test]
    fn a_page_has_as_many_pixels_as_its_points_times_the_scale_and_no_more_than_the_bound() {
        assert_eq!(pixel_size(595.0, 842.0, 1.5), Ok((892, 1263)));
        assert_eq!(pixel_size(595.0, 842.0, 9.0), Err(PageImageError::TooLarge));
        assert_eq!(pixel_size(70_000.0, 2.0, 1.0), Err(PageImageError::TooLarge));
        assert_eq!(pixel_size(f32::MAX, 10.0, 1.0), Err(PageImageError::TooLarge));
        for scale in [0.0, -1.0, 0.000_1, f32::NAN, f32::INFINITY] {
            assert_eq!(pixel_size(595.0, 842.0, scale), Err(PageImageError::UnusableScale), "{scale}");
        }
        assert_eq!(pixel_size(f32::NAN, 842.0, 1.0), Err(PageImageError::UnusableScale));
    }
}
