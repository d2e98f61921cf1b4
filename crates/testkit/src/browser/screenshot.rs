//! Screenshots, made small enough for the documentation.

use std::io::Cursor;

use png::{ColorType, Compression, Decoder, Encoder, Filter};

/// Encodes a PNG again in fewer bytes. Pages are plain areas and text, which compress best without a filter; browsers filter
/// every line as if it belonged to a photograph.
pub(super) fn compress(picture: &[u8]) -> Vec<u8> {
    let mut reader = Decoder::new(Cursor::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(frame.color_type, ColorType::Rgb, "a page has no transparency");
    let mut packed = Vec::new();
    let mut encoder = Encoder::new(&mut packed, frame.width, frame.height);
    encoder.set_color(frame.color_type);
    encoder.set_depth(frame.bit_depth);
    encoder.set_compression(Compression::High);
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels[..frame.buffer_size()]).unwrap();
    writer.finish().unwrap();
    packed
}
