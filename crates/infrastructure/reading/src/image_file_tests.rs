//! Tests with generated image files, valid and broken.

use image::{GrayImage, Luma, Rgb, RgbImage, Rgba, RgbaImage};
use proptest::prelude::*;

use super::*;

fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Left half black, right half white.
fn halves(width: u32, height: u32) -> DynamicImage {
    let pixel = |x: u32| Luma([if x < width / 2 { 0 } else { 255 }]);
    GrayImage::from_fn(width, height, |x, _| pixel(x)).into()
}

fn decoded(png: &[u8]) -> DynamicImage {
    image::load_from_memory(png).unwrap()
}

/// A JPEG with this EXIF orientation.
fn with_orientation(image: &DynamicImage, orientation: u8) -> Vec<u8> {
    let plain = file(image, ImageFormat::Jpeg);
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&plain[..2], &[0xff, 0xe1], &length, &exif, &plain[2..]].concat()
}

#[test]
fn an_image_is_a_page_without_words_as_long_as_a4() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let image_file = ImageFile::open(&file(&halves(100, 50), format)).unwrap();
        let read = image_file.page();
        assert_eq!(
            (read.page.width.to_bits(), read.page.height.to_bits()),
            (842f32.to_bits(), 421f32.to_bits())
        );
        assert!(read.page.lines.is_empty());
        assert_eq!(read.graphics, PageGraphics { image_coverage: 1.0, shape_count: 0 });
    }
}

#[test]
fn a_rendered_image_has_the_requested_scale_and_keeps_its_colors() {
    let red: DynamicImage = RgbImage::from_pixel(40, 20, Rgb([200, 10, 10])).into();
    let image_file = ImageFile::open(&file(&red, ImageFormat::Png)).unwrap();
    for scale in [0.01f32, 0.5, 2.0] {
        let rendered = decoded(&image_file.render(scale).unwrap());
        let width = page_image::pixel_size(842.0, 421.0, scale).unwrap().0;
        assert_eq!(rendered.width(), u32::from(width));
        assert_eq!(rendered.into_rgb8()[(3, 2)], Rgb([200, 10, 10]));
    }
    assert_eq!(image_file.render(50.0), Err(PageImageError::TooLarge));
    assert_eq!(image_file.render(f32::NAN), Err(PageImageError::UnusableScale));
}

#[test]
fn ocr_gets_a_gray_image_that_shrinks_only_if_it_is_too_large() {
    let image_file = ImageFile::open(&file(&halves(842, 400), ImageFormat::Png)).unwrap();
    let (gray, scale) = image_file.render_gray(4000).unwrap();
    assert_eq!((gray.width(), gray.height(), scale.to_bits()), (842, 400, 1f32.to_bits()));
    let (gray, scale) = image_file.render_gray(421).unwrap();
    assert_eq!((gray.width(), gray.height(), scale.to_bits()), (421, 200, 0.5f32.to_bits()));
    assert!(image_file.render_gray(0).is_ok());
}

#[test]
fn a_photograph_is_rotated_by_its_orientation() {
    let image = halves(64, 32);
    let rotated = ImageFile::open(&with_orientation(&image, 6)).unwrap();
    let rendered = rotated.image.to_luma8();
    assert_eq!((rendered.width(), rendered.height()), (32, 64));
    assert!(rendered[(16, 5)].0[0] < 50 && rendered[(16, 60)].0[0] > 200, "the left edge is now the top");
    let invalid = ImageFile::open(&with_orientation(&image, 99)).unwrap();
    assert_eq!(invalid.image.width(), 64);
}

#[test]
fn transparent_pixels_become_white() {
    let transparent: DynamicImage = RgbaImage::from_pixel(4, 4, Rgba([0, 0, 0, 0])).into();
    let image_file = ImageFile::open(&file(&transparent, ImageFormat::Png)).unwrap();
    assert_eq!(image_file.image.to_luma8()[(1, 1)], Luma([255]));
}

/// A PNG whose header claims this size, without the pixels.
fn with_claimed_size(width: u32, height: u32) -> Vec<u8> {
    let mut png = file(&halves(2, 2), ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = checksum(&png[12..29]).to_be_bytes();
    png[29..33].copy_from_slice(&checksum);
    png
}

/// The CRC-32 of a PNG chunk.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()))
    })
}

#[test]
fn huge_sizes_are_refused_before_memory_is_allocated() {
    for (width, height) in [(2_000_000_000, 2_000_000_000), (20_001, 1), (1, 20_001), (20_000, 20_000)] {
        assert_eq!(
            ImageFile::open(&with_claimed_size(width, height)).err(),
            Some(ImageFileError::TooLarge),
            "{width} {height}"
        );
    }
    assert_eq!(ImageFile::open(&with_claimed_size(0, 5)).err(), Some(ImageFileError::Invalid));
}

#[test]
fn broken_files_are_invalid() {
    let jpeg = file(&halves(64, 64), ImageFormat::Jpeg);
    let png = file(&halves(64, 64), ImageFormat::Png);
    for broken in [&b""[..], b"hello", b"GIF89a", &jpeg[..20], &jpeg[..jpeg.len() / 4], &png[..30]] {
        assert_eq!(ImageFile::open(broken).err(), Some(ImageFileError::Invalid), "{} bytes", broken.len());
    }
    assert_eq!(ImageFile::open(&png[..png.len() / 2]).err(), Some(ImageFileError::Invalid));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damaged_images_never_panic(
        jpeg in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let format = if jpeg { ImageFormat::Jpeg } else { ImageFormat::Png };
        let mut bytes = file(&halves(16, 16), format);
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        // Half of the cut positions are beyond the end and cut nothing.
        bytes.truncate(bytes.len().min(cut.index(bytes.len() * 2)));
        if let Ok(image_file) = ImageFile::open(&bytes)
            && image_file.image.width() * image_file.image.height() < 1_000_000
        {
            prop_assert!(image_file.render_gray(64).is_ok());
        }
    }
}
