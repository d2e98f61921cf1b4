//! Pictures of pages, made small enough to be kept beside a text.

use std::io::Cursor;

use png::{ColorType, Compression, Decoder, Encoder, Filter};

/// The same picture in fewer bytes. Pages are plain areas and repeated letters, which are packed best as they are; browsers
/// prepare every line as if it were of a photograph.
pub(super) fn packed(picture: &[u8]) -> Vec<u8> {
    let mut reader = Decoder::new(Cursor::new(picture)).read_info().unwrap();
    let mut dots = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut dots).unwrap();
    assert_eq!(frame.color_type, ColorType::Rgb, "nothing of a page is transparent");
    let mut packed = Vec::new();
    let mut encoder = Encoder::new(&mut packed, frame.width, frame.height);
    encoder.set_color(frame.color_type);
    encoder.set_depth(frame.bit_depth);
    encoder.set_compression(Compression::High);
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&dots[..frame.buffer_size()]).unwrap();
    writer.finish().unwrap();
    packed
}
