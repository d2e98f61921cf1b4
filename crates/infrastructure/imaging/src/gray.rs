//! A gray image.

/// A gray image, one byte per pixel, from 0 (black) to 255 (white), row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gray {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Gray {
    /// An image of these pixels. `None` if it has none, or not as many as its sides say.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        let count = width.checked_mul(height)?;
        (count > 0 && pixels.len() == count).then_some(Self { width, height, pixels })
    }

    /// An image of one brightness. Sides without length get one pixel.
    pub fn plain(width: usize, height: usize, brightness: u8) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { width, height, pixels: vec![brightness; width * height] }
    }

    /// Its width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Its height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Its pixels, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    pub(crate) fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks_exact(self.width)
    }

    #[cfg(test)]
    pub(crate) fn at(&self, x: usize, y: usize) -> u8 {
        self.pixels[y * self.width + x]
    }

    pub(crate) fn long_side(&self) -> usize {
        self.width.max(self.height)
    }

    /// The image with one pixel for each block of `factor` times `factor`: their mean. Pixels beyond the last whole block
    /// are left out.
    pub(crate) fn shrunk(&self, factor: usize) -> Self {
        let factor = factor.clamp(1, self.width.min(self.height));
        match factor {
            1 => self.clone(),
            2 => self.block_means(factor, row_sums::<2>),
            3 => self.block_means(factor, row_sums::<3>),
            4 => self.block_means(factor, row_sums::<4>),
            _ => self.block_means(factor, |row, sums| {
                for (sum, block) in sums.iter_mut().zip(row.chunks_exact(factor)) {
                    *sum += block.iter().map(|pixel| u32::from(*pixel)).sum::<u32>();
                }
            }),
        }
    }

    fn block_means(&self, factor: usize, add: impl Fn(&[u8], &mut [u32])) -> Self {
        let (width, height) = (self.width / factor, self.height / factor);
        let area = (factor * factor) as u32;
        let mut pixels = Vec::with_capacity(width * height);
        let mut sums = vec![0u32; width];
        for rows in self.pixels.chunks_exact(self.width * factor) {
            sums.fill(0);
            rows.chunks_exact(self.width).for_each(|row| add(row, &mut sums));
            pixels.extend(sums.iter().map(|sum| (sum / area) as u8));
        }
        Self { width, height, pixels }
    }
}

/// Adds the pixels of each block of a row. With a length that is known, the compiler needs no inner loop.
fn row_sums<const FACTOR: usize>(row: &[u8], sums: &mut [u32]) {
    for (sum, block) in sums.iter_mut().zip(row.as_chunks::<FACTOR>().0) {
        *sum += block.iter().map(|pixel| u32::from(*pixel)).sum::<u32>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_as_many_pixels_as_its_sides_say() {
        assert!(Gray::new(2, 3, vec![0; 6]).is_some());
        assert!(Gray::new(2, 3, vec![0; 5]).is_none() && Gray::new(0, 3, Vec::new()).is_none());
        assert!(Gray::new(usize::MAX, 2, vec![0; 4]).is_none());
    }

    #[test]
    fn a_smaller_image_has_the_mean_of_each_block() {
        let image = Gray::new(5, 2, vec![0, 10, 100, 100, 9, 20, 30, 100, 100, 9]).unwrap();
        assert_eq!(image.shrunk(2), Gray::new(2, 1, vec![15, 100]).unwrap());
        assert_eq!(Gray::plain(70, 35, 7).shrunk(7), Gray::plain(10, 5, 7));
        assert_eq!(image.shrunk(9), image.shrunk(2), "a block fits into the image");
    }
}
