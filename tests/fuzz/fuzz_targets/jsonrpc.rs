//! Runs [`fuzz::jsonrpc`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzz::jsonrpc(input));
