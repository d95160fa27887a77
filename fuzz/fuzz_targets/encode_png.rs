//! Any pixels, of any sides that they suffice for, are encoded as a file from which another decoder reads the same pixels.
#![no_main]

use handeye_png::{Earlier, OneThread, Picture};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

/// Most pixels: several strips of rows.
const MOST: u64 = 800_000;

fuzz_target!(|input: (u16, u16, u8, &[u8])| {
    let (width, height, shift, seed) = input;
    // One row, one column and all between them; the bytes are repeated until they suffice.
    let (width, height) = (u32::from(width) + 1, u32::from(height) + 1);
    let height = height.min((MOST / u64::from(width)).max(1) as u32);
    let count = width as usize * height as usize * 3;
    let mut rgb = Vec::with_capacity(count + seed.len());
    while rgb.len() < count {
        let changed = (rgb.len() / (seed.len() + 1)) as u8 & shift;
        rgb.extend(seed.iter().map(|byte| byte.wrapping_add(changed)));
        rgb.push(changed);
    }
    rgb.truncate(count);
    let Ok(picture) = Picture::new(width, height, &rgb) else { panic!("{width}x{height} with {count} bytes") };
    let file = picture.to_png();
    let Ok(mut reader) = png::Decoder::new(Cursor::new(&file)).read_info() else { panic!("no PNG") };
    let mut pixels = vec![0; count];
    assert!(reader.next_frame(&mut pixels).is_ok(), "{width}x{height}");
    assert!(pixels == rgb, "{width}x{height}: other pixels");
    assert!(picture.to_png_within(file.len(), &OneThread).is_some());
    assert!(picture.to_png_within(file.len() - 1, &OneThread).is_none());
    // After a picture that differs in one row.
    let row = u32::from(shift) % height;
    let mut earlier = rgb.clone();
    earlier[row as usize * width as usize * 3] ^= 0xff;
    let Ok(earlier) = Picture::new(width, height, &earlier) else { panic!("{width}x{height}") };
    let after = |picture: Picture<'_>, earlier| picture.to_png_after(earlier, usize::MAX, &OneThread);
    let Some((before, strips)) = after(earlier, None) else { panic!("without a limit") };
    let redrawn = [row..row + 1];
    let earlier = Earlier { file: &before, strips: &strips, redrawn: &redrawn };
    assert!(after(picture, Some(earlier)).is_some_and(|(next, _)| next == file), "{width}x{height}, row {row}");
});
