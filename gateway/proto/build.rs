//! Compiles the protocol definitions into one descriptor set, which the crate embeds.

use std::path::PathBuf;
use std::{env, error, fs};

const FILES: [&str; 3] = [
    "lf/a2a/v1/a2a.proto",
    "a2a/v1/a2a.proto",
    "google/rpc/status.proto",
];

fn main() -> Result<(), Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_imports(true).open_files(FILES)?;
    let target = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?)
        .join("descriptors.bin");
    fs::write(target, compiler.encode_file_descriptor_set())?;
    Ok(())
}
