//! Pages drawn, and pages that are not.

use super::*;
use crate::typeset::assemble;

/// A PDF of one page of 300 by 200 points in the standard font, with more objects, numbered from 6.
pub(in crate::pdf) fn pdf(content: &str, page_extra: &str, more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 5 0 R \
             /Resources << /Font << /F 4 0 R >> >> {page_extra} >>"
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    assemble(&objects)
}

fn drawn(content: &str) -> image::DynamicImage {
    let file = PdfFile::open(pdf(content, "", &[])).unwrap();
    image::load_from_memory(&file.render(0, 2.0).unwrap()).unwrap()
}

#[test]
fn the_point_x_y_is_shown_at_the_scaled_pixel() {
    // A black square whose lower left corner is at (100, 50) on a page of 300 by 200 points.
    let shown = drawn("0 g 100 50 20 20 re f");
    assert!(matches!(shown, image::DynamicImage::ImageLuma8(_)), "a page without colors is gray");
    let shown = shown.into_luma8();
    assert_eq!((shown.width(), shown.height()), (600, 400));
    let at = |x: f32, y: f32| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let (x, y) = ((x * 2.0) as u32, (y * 2.0) as u32);
        shown[(x, y)].0[0]
    };
    assert_eq!((at(101.0, 131.0), at(119.0, 149.0)), (0, 0));
    assert_eq!((at(98.0, 140.0), at(122.0, 140.0), at(110.0, 128.0), at(110.0, 152.0)), (255, 255, 255, 255));
}

#[test]
fn text_is_drawn_and_colors_are_kept() {
    let shown = drawn("BT /F 20 Tf 20 100 Td (Luna) Tj ET 1 0 0 rg 200 50 20 20 re f");
    let shown = shown.into_rgb8();
    assert_eq!(shown[(420, 280)].0, [255, 0, 0]);
    assert!((40..90).any(|x| (170..200).any(|y| shown[(x, y)].0 == [0, 0, 0])));
}

#[test]
fn recognition_gets_gray() {
    let file = PdfFile::open(pdf("1 0 0 rg 0 0 300 200 re f", "", &[])).unwrap();
    let shown = image::load_from_memory(&file.render_gray(0, 1.0).unwrap()).unwrap();
    assert!(matches!(&shown, image::DynamicImage::ImageLuma8(gray) if gray[(9, 9)].0 == [76]));
}

#[test]
fn pages_that_are_not_there_or_too_large_are_refused() {
    let file = PdfFile::open(pdf("", "", &[])).unwrap();
    assert_eq!(file.render(1, 1.0), Err(PageImageError::NoSuchPage));
    assert_eq!(file.render(0, 100.0), Err(PageImageError::TooLarge));
    assert_eq!(file.render_gray(0, f32::NAN), Err(PageImageError::UnusableScale));
    let huge = String::from_utf8(pdf("", "", &[])).unwrap().replace("[0 0 300 200]", "[0 0 9999999 9999999]");
    assert_eq!(PdfFile::open(huge.into_bytes()).unwrap().render(0, 1.0), Err(PageImageError::TooLarge));
}
