#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| pi_context_engine::fuzz::quote(data));
