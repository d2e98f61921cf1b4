//! Tests of rendering pages.

use quire_testkit::documents::{PageOptions, Pdf};

use super::*;

/// A PDF with one page of 300 by 200 points.
fn pdf(content: &str) -> Vec<u8> {
    Pdf::with_options(&[content], &PageOptions { size: (300.0, 200.0), ..PageOptions::default() }).file()
}

fn rendered(content: &str) -> image::DynamicImage {
    let file = PdfFile::open(pdf(content)).unwrap();
    image::load_from_memory(&file.render(0, 2.0).unwrap()).unwrap()
}

#[test]
fn a_point_is_rendered_at_the_scaled_pixel() {
    // A black square with its lower left corner at (100, 50), on a page of 300 by 200 points.
    let image = rendered("0 g 100 50 20 20 re f");
    assert!(matches!(image, image::DynamicImage::ImageLuma8(_)), "a page without colors is gray");
    let image = image.into_luma8();
    assert_eq!((image.width(), image.height()), (600, 400));
    let at = |x: f32, y: f32| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let (x, y) = ((x * 2.0) as u32, (y * 2.0) as u32);
        image[(x, y)].0[0]
    };
    assert_eq!((at(101.0, 131.0), at(119.0, 149.0)), (0, 0));
    assert_eq!((at(98.0, 140.0), at(122.0, 140.0), at(110.0, 128.0), at(110.0, 152.0)), (255, 255, 255, 255));
}

#[test]
fn text_is_rendered_and_colors_are_kept() {
    let image = rendered("BT /F 20 Tf 20 100 Td (Luna) Tj ET 1 0 0 rg 200 50 20 20 re f");
    let image = image.into_rgb8();
    assert_eq!(image[(420, 280)].0, [255, 0, 0]);
    assert!((40..90).any(|x| (170..200).any(|y| image[(x, y)].0 == [0, 0, 0])));
}

#[test]
fn ocr_gets_a_gray_image() {
    let file = PdfFile::open(pdf("1 0 0 rg 0 0 300 200 re f")).unwrap();
    let image = file.render_gray(0, 1.0).unwrap();
    assert_eq!((image.width(), image.height(), image.pixels()[300 * 9 + 9]), (300, 200, 76));
}

#[test]
fn missing_and_too_large_pages_are_refused() {
    let file = PdfFile::open(pdf("")).unwrap();
    assert_eq!(file.render(1, 1.0), Err(PageImageError::NoSuchPage));
    assert_eq!(file.render(0, 100.0), Err(PageImageError::TooLarge));
    assert_eq!(file.render_gray(0, f32::NAN), Err(PageImageError::UnusableScale));
    let huge = String::from_utf8(pdf("")).unwrap().replace("[0 0 300 200]", "[0 0 9999999 9999999]");
    assert_eq!(PdfFile::open(huge.into_bytes()).unwrap().render(0, 1.0), Err(PageImageError::TooLarge));
}
