//! Limits and PNG encoding for rendered pages, shared by all document types.

use png::{BitDepth, ColorType, Compression, DeflateCompression, Encoder, Filter};

/// The largest page image: four times A4 at 300 dpi.
const MAX_PIXELS: f64 = 40e6;
/// The renderer stores the length of a side in 16 bits.
const MAX_SIDE: f64 = 65_535.0;

/// Why a page cannot be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageImageError {
    /// The document has no page with that number.
    #[error("the document has no page with that number; pages start at 1")]
    NoSuchPage,
    /// The image would have too many pixels.
    #[error("the page would have more than 40 megapixels at this scale; use a smaller scale")]
    TooLarge,
    /// The image would have no pixels, or the scale is not a positive number.
    #[error("the page cannot be rendered at this scale; use a scale between 0.1 and 4")]
    UnusableScale,
    /// The pixels could not be encoded as PNG.
    #[error("the page image could not be encoded as PNG; request it again")]
    EncodingFailed,
}

/// Width and height in pixels of a page at a scale. The page size is in points.
pub(crate) fn pixel_size(width: f32, height: f32, scale: f32) -> Result<(u16, u16), PageImageError> {
    // The renderer rounds down too.
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

/// Encodes gray pixels, one byte each.
pub(crate) fn gray_png(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, PageImageError> {
    encode(width, height, ColorType::Grayscale, pixels)
}

/// Encodes colored pixels, three bytes each.
pub(crate) fn rgb_png(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, PageImageError> {
    encode(width, height, ColorType::Rgb, pixels)
}

fn encode(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Result<Vec<u8>, PageImageError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    if is_flat(pixels, color.samples()) {
        // Half the size of the fastest compression, for three milliseconds more per page.
        encoder.set_deflate_compression(DeflateCompression::Level(2));
        encoder.set_filter(Filter::NoFilter);
    } else {
        // Photographs hardly compress, so a slower method would not pay.
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Up);
    }
    let mut writer = encoder.write_header().map_err(|_| PageImageError::EncodingFailed)?;
    writer.write_image_data(pixels).map_err(|_| PageImageError::EncodingFailed)?;
    writer.finish().map_err(|_| PageImageError::EncodingFailed)?;
    Ok(file)
}

/// Whether three of four pixels equal the previous one: text on paper, not a photograph.
fn is_flat(pixels: &[u8], samples: usize) -> bool {
    let same = pixels.iter().zip(pixels.iter().skip(samples)).filter(|(one, next)| one == next).count();
    same > pixels.len() / 4 * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_photographs_are_encoded_without_loss() {
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
    fn the_pixel_size_is_the_page_size_times_the_scale_up_to_the_limit() {
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
