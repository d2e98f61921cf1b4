//! Reads image files (photographs and scans) as one page without words. OCR adds the words later.

use std::io::Cursor;

use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use quire_domain::reading::{PICTURE_LONG_SIDE, Page};
use quire_imaging::Gray;

use crate::page_image::{self, PageImageError};
use crate::{PageGraphics, ParsedPage};

/// Scanners do not produce larger images, and a pixel takes up to eight bytes.
const MAX_PIXELS: u64 = 100_000_000;
const MAX_SIDE: u32 = 20_000;
const MAX_BYTES: u64 = 512 << 20;

/// Why an image file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageFileError {
    /// It is neither PNG nor JPEG, or it is too damaged to read.
    #[error(
        "the file is not a readable PNG or JPEG; it may be damaged or incomplete; save it again and send the new file"
    )]
    Invalid,
    /// It has too many pixels.
    #[error(
        "the image has more than 100 megapixels or a side longer than 20,000 pixels; scale it down and send it again"
    )]
    TooLarge,
}

/// An open image: upright, opaque, gray or with one byte per color.
pub struct ImageFile {
    image: DynamicImage,
}

impl ImageFile {
    /// Opens a PNG or JPEG and rotates it as its EXIF orientation says.
    pub fn open(file: &[u8]) -> Result<Self, ImageFileError> {
        let format = image::guess_format(file).map_err(|_| ImageFileError::Invalid)?;
        if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
            return Err(ImageFileError::Invalid);
        }
        let mut reader = ImageReader::with_format(Cursor::new(file), format);
        reader.limits(limits());
        let mut decoder = reader.into_decoder().map_err(|error| image_error(&error))?;
        let (width, height) = decoder.dimensions();
        if u64::from(width) * u64::from(height) > MAX_PIXELS || decoder.total_bytes() > MAX_BYTES {
            return Err(ImageFileError::TooLarge);
        }
        // Without a valid orientation the image stays as it is.
        let orientation = decoder.orientation().ok();
        let mut image = flatten(DynamicImage::from_decoder(decoder).map_err(|error| image_error(&error))?);
        if let Some(orientation) = orientation {
            image.apply_orientation(orientation);
        }
        Ok(Self { image })
    }

    /// The page: no words, and an image that covers all of it.
    pub fn page(&self) -> ParsedPage {
        let (width, height) = self.size_in_points();
        let page = Page { width, height, ..Page::default() };
        ParsedPage { page, graphics: PageGraphics { image_coverage: 1.0, shape_count: 0 } }
    }

    /// Renders the page as PNG. `scale` is pixels per point.
    pub fn render(&self, scale: f32) -> Result<Vec<u8>, PageImageError> {
        let (width, height) = self.size_in_points();
        let (width, height) = page_image::pixel_size(width, height, scale)?;
        match self.resized(width.into(), height.into()) {
            DynamicImage::ImageLuma8(gray) => {
                page_image::gray_png(gray.width(), gray.height(), gray.as_raw())
            }
            other => {
                let colors = other.into_rgb8();
                page_image::rgb_png(colors.width(), colors.height(), colors.as_raw())
            }
        }
    }

    /// Renders the image in gray for OCR, and returns its pixels per point. The image shrinks if a side is longer than
    /// `longest_side` pixels. It never grows.
    pub fn render_gray(&self, longest_side: u32) -> Result<(Gray, f32), PageImageError> {
        let (width, height) = (self.image.width(), self.image.height());
        let longer = width.max(height);
        let target = longer.min(longest_side.max(1));
        let side = |side: u32| u64::from(side) * u64::from(target) / u64::from(longer.max(1));
        let side = |length: u32| u32::try_from(side(length)).unwrap_or(target).max(1);
        let gray = self.resized(side(width), side(height)).into_luma8();
        let (width, height) = (gray.width() as usize, gray.height() as usize);
        let gray = Gray::new(width, height, gray.into_raw()).ok_or(PageImageError::UnusableScale)?;
        #[allow(clippy::cast_precision_loss)] // At most 20,000 pixels.
        Ok((gray, target as f32 / PICTURE_LONG_SIDE))
    }

    #[allow(clippy::cast_precision_loss)] // At most 20,000 pixels.
    fn size_in_points(&self) -> (f32, f32) {
        let (width, height) = (self.image.width() as f32, self.image.height() as f32);
        let points = PICTURE_LONG_SIDE / width.max(height);
        (width * points, height * points)
    }

    fn resized(&self, width: u32, height: u32) -> DynamicImage {
        if (width, height) == (self.image.width(), self.image.height()) {
            self.image.clone()
        } else if width <= self.image.width() && height <= self.image.height() {
            // Averages blocks of pixels, which is much faster and good enough for shrinking.
            self.image.thumbnail_exact(width, height)
        } else {
            self.image.resize_exact(width, height, FilterType::Triangle)
        }
    }
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_BYTES);
    limits
}

fn image_error(error: &image::ImageError) -> ImageFileError {
    match error {
        image::ImageError::Limits(_) => ImageFileError::TooLarge,
        _ => ImageFileError::Invalid,
    }
}

/// Converts an image to one byte per color, and puts transparent images on a white background.
fn flatten(image: DynamicImage) -> DynamicImage {
    let color = image.color();
    if color.has_alpha() {
        let mut pixels = image.into_rgba8();
        for pixel in pixels.pixels_mut() {
            let [red, green, blue, alpha] = pixel.0;
            pixel.0 = [over_white(red, alpha), over_white(green, alpha), over_white(blue, alpha), u8::MAX];
        }
        DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(pixels).into_rgb8())
    } else if color.has_color() {
        DynamicImage::ImageRgb8(image.into_rgb8())
    } else {
        DynamicImage::ImageLuma8(image.into_luma8())
    }
}

#[allow(clippy::cast_possible_truncation)] // A mean of two bytes.
fn over_white(sample: u8, alpha: u8) -> u8 {
    let (sample, alpha) = (u32::from(sample), u32::from(alpha));
    ((sample * alpha + 255 * (255 - alpha)) / 255) as u8
}

#[cfg(test)]
#[path = "image_file_tests.rs"]
mod tests;
