//! Writes the sample record that the program contains.

fn main() -> std::io::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../api/assets/samples/historia-luna.pdf");
    std::fs::write(path, quire_testkit::documents::sample_record())
}
