//! Writes the sample record that is built into the program anew.

fn main() -> std::io::Result<()> {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../api/assets/samples/historia-luna.pdf");
    std::fs::write(place, quire_testkit::documents::sample_record())
}
