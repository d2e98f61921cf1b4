//! Tells the benchmarks with which profile they are built. Cargo itself only knows `debug` and `release`.

use std::path::Path;

fn main() {
    // OUT_DIR is <target>/<profile>/build/<package>/out.
    let out_dir = std::env::var("OUT_DIR").unwrap_or_default();
    let profile = Path::new(&out_dir).ancestors().nth(3).and_then(Path::file_name);
    let profile = profile.map_or_else(|| "unknown".into(), |name| name.to_string_lossy());
    println!("cargo::rustc-env=BENCH_BUILD_PROFILE={profile}");
    println!("cargo::rerun-if-changed=build.rs");
}
