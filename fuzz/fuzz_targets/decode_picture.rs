//! Files of `analyze`: whatever is in them, they give a picture within the limits or an error.
//! Seeds: `mkdir -p fuzz/corpus/decode_picture` and put some small PNG, JPEG and WebP files there.

#![no_main]

use handeye_picture as picture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    if let Ok(frame) = picture::decode(file) {
        let pixels = u64::from(frame.size().width) * u64::from(frame.size().height);
        assert!(pixels > 0 && pixels <= picture::MAX_PIXELS);
        assert_eq!(frame.rgb.len() as u64, pixels * 3);
    }
});
