//! Sharpens blurred letters.

use crate::Gray;

/// How far a pixel is compared with its surroundings, in pixels.
const REACH: usize = 2;
/// How much of the difference is added.
const AMOUNT: i32 = 2;

/// Makes each pixel differ more from the mean of its surroundings.
pub(crate) fn sharpen(image: &mut Gray) {
    let (width, height) = (image.width(), image.height());
    if width <= 2 * REACH || height <= 2 * REACH {
        return;
    }
    let side = 2 * REACH + 1;
    let source = image.pixels().to_vec();
    // The sums of each column of the rows around.
    let mut sums = vec![0i32; width];
    for row in source.chunks_exact(width).take(side - 1) {
        add(&mut sums, row, 1);
    }
    let area = (side * side) as i32;
    for y in REACH..height - REACH {
        add(&mut sums, &source[(y + REACH) * width..][..width], 1);
        let mut window: i32 = sums[..side - 1].iter().sum();
        let row = &mut image.pixels_mut()[y * width..][..width];
        for x in REACH..width - REACH {
            window += sums[x + REACH];
            let pixel = i32::from(source[y * width + x]);
            row[x] = (pixel + AMOUNT * (pixel - window / area)).clamp(0, 255) as u8;
            window -= sums[x - REACH];
        }
        add(&mut sums, &source[(y - REACH) * width..][..width], -1);
    }
}

fn add(sums: &mut [i32], row: &[u8], sign: i32) {
    for (sum, pixel) in sums.iter_mut().zip(row) {
        *sum += sign * i32::from(*pixel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soft_edge_becomes_steeper_and_a_plain_image_stays() {
        let mut plain = Gray::plain(12, 9, 130);
        sharpen(&mut plain);
        assert_eq!(plain, Gray::plain(12, 9, 130));
        let soft: Vec<u8> =
            (0..9).flat_map(|_| [200, 200, 200, 200, 180, 140, 100, 80, 80, 80, 80, 80]).collect();
        let mut image = Gray::new(12, 9, soft).unwrap();
        sharpen(&mut image);
        assert!(image.at(4, 4) > 190 && image.at(7, 4) < 70, "{:?}", &image.pixels()[48..60]);
        let mut tiny = Gray::plain(3, 3, 9);
        sharpen(&mut tiny);
        assert_eq!(tiny, Gray::plain(3, 3, 9));
    }
}
