#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz_targets::ros_wire::run(data));
