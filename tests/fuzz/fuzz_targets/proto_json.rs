//! Runs [`fuzz::proto_json`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::proto_json(input));
