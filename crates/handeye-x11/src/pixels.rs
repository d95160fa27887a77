//! From the server's pixel formats to 8-bit RGB.

use x11rb::protocol::xproto::{ImageOrder, Visualtype};

/// One colour of a pixel: where its bits are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Channel {
    shift: u32,
    /// All bits of the channel, moved to the right end.
    max: u32,
}

impl Channel {
    fn from_mask(mask: u32) -> Self {
        match mask {
            0 => Self { shift: 0, max: 0 },
            mask => Self { shift: mask.trailing_zeros(), max: mask >> mask.trailing_zeros() },
        }
    }

    /// The channel of `pixel`, spread over 0 to 255.
    fn read(self, pixel: u32) -> u8 {
        if self.max == 0 {
            return 0;
        }
        let value = u64::from((pixel >> self.shift) & self.max);
        let max = u64::from(self.max);
        ((value * 255 + max / 2) / max) as u8
    }
}

/// How the server lays out the pixels of a picture in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PixelLayout {
    bytes_per_pixel: usize,
    scanline_pad: usize,
    big_endian: bool,
    red: Channel,
    green: Channel,
    blue: Channel,
}

impl PixelLayout {
    /// The layout of pictures of a visual; `None` for one that is not made of red, green and blue in
    /// two, three or four whole bytes (palettes, greys).
    pub(super) fn new(
        visual: &Visualtype,
        bits_per_pixel: u8,
        scanline_pad: u8,
        order: ImageOrder,
    ) -> Option<Self> {
        let bytes_per_pixel = match bits_per_pixel {
            16 => 2,
            24 => 3,
            32 => 4,
            _ => return None,
        };
        if visual.red_mask == 0 || visual.green_mask == 0 || visual.blue_mask == 0 {
            return None;
        }
        Some(Self {
            bytes_per_pixel,
            scanline_pad: usize::from(scanline_pad / 8).max(1),
            big_endian: order == ImageOrder::MSB_FIRST,
            red: Channel::from_mask(visual.red_mask),
            green: Channel::from_mask(visual.green_mask),
            blue: Channel::from_mask(visual.blue_mask),
        })
    }

    /// Bytes from one row to the next in a picture of `width` pixels.
    pub(super) fn stride(&self, width: usize) -> usize {
        (width * self.bytes_per_pixel).next_multiple_of(self.scanline_pad)
    }

    /// Converts whole rows of `width` pixels to RGB, as many as fit into both.
    pub(super) fn convert_rows(&self, width: usize, source: &[u8], rgb: &mut [u8]) {
        if width == 0 {
            return;
        }
        let rows = source.chunks_exact(self.stride(width)).zip(rgb.chunks_exact_mut(width * 3));
        for (row, rgb) in rows {
            let row = &row[..width * self.bytes_per_pixel];
            if self.is_blue_green_red_blank() {
                swap_and_pack(row, rgb);
            } else {
                self.convert_any(row, rgb);
            }
        }
    }

    /// Whether the bytes of a pixel are blue, green, red and one that says nothing: what nearly every server has.
    fn is_blue_green_red_blank(&self) -> bool {
        let byte = |shift| Channel { shift, max: 0xff };
        self.bytes_per_pixel == 4
            && !self.big_endian
            && (self.red, self.green, self.blue) == (byte(16), byte(8), byte(0))
    }

    fn convert_any(&self, row: &[u8], rgb: &mut [u8]) {
        for (bytes, rgb) in row.chunks_exact(self.bytes_per_pixel).zip(rgb.chunks_exact_mut(3)) {
            let join = |pixel: u32, byte: &u8| (pixel << 8) | u32::from(*byte);
            let pixel =
                if self.big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) };
            rgb.copy_from_slice(&[self.red.read(pixel), self.green.read(pixel), self.blue.read(pixel)]);
        }
    }
}

/// Four pixels (16 bytes) become twelve bytes by shifts on whole words, about three times as fast as byte by byte.
fn swap_and_pack(row: &[u8], rgb: &mut [u8]) {
    let mut sources = row.chunks_exact(16);
    let mut targets = rgb.chunks_exact_mut(12);
    for (source, target) in sources.by_ref().zip(targets.by_ref()) {
        // Each word becomes 0x00BBGGRR: red, green, blue, nothing in memory.
        let word =
            |at: usize| u32::from_be_bytes([source[at], source[at + 1], source[at + 2], source[at + 3]]) >> 8;
        let (a, b, c, d) = (word(0), word(4), word(8), word(12));
        target[0..4].copy_from_slice(&(a | b << 24).to_le_bytes());
        target[4..8].copy_from_slice(&(b >> 8 | c << 16).to_le_bytes());
        target[8..12].copy_from_slice(&(c >> 16 | d << 8).to_le_bytes());
    }
    for (source, target) in
        sources.remainder().chunks_exact(4).zip(targets.into_remainder().chunks_exact_mut(3))
    {
        target.copy_from_slice(&[source[2], source[1], source[0]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn visual(red_mask: u32, green_mask: u32, blue_mask: u32) -> Visualtype {
        Visualtype { red_mask, green_mask, blue_mask, ..Visualtype::default() }
    }

    fn true_colour() -> PixelLayout {
        PixelLayout::new(&visual(0xff_0000, 0xff00, 0xff), 32, 32, ImageOrder::LSB_FIRST)
            .expect("known layout")
    }

    proptest! {
        #[test]
        fn the_fast_way_gives_what_the_plain_way_gives(width in 1_usize..70, rows in 1_usize..5, seed: Vec<u8>) {
            let layout = true_colour();
            let source: Vec<u8> =
                (0..layout.stride(width) * rows).map(|i| seed.get(i % (seed.len() + 1)).copied().unwrap_or(i as u8)).collect();
            let (mut fast, mut plain) = (vec![0; width * rows * 3], vec![0; width * rows * 3]);
            layout.convert_rows(width, &source, &mut fast);
            for (row, rgb) in source.chunks_exact(width * 4).zip(plain.chunks_exact_mut(width * 3)) {
                layout.convert_any(row, rgb);
            }
            prop_assert_eq!(fast, plain);
        }

        #[test]
        fn a_colour_survives_every_byte_order(red: u8, green: u8, blue: u8) {
            let pixel = u32::from_be_bytes([0, red, green, blue]);
            let masks = visual(0xff_0000, 0xff00, 0xff);
            for (order, bytes) in [(ImageOrder::LSB_FIRST, pixel.to_le_bytes()), (ImageOrder::MSB_FIRST, pixel.to_be_bytes())] {
                let layout = PixelLayout::new(&masks, 32, 32, order).expect("known layout");
                let mut rgb = [0; 3];
                layout.convert_rows(1, &bytes, &mut rgb);
                prop_assert_eq!(rgb, [red, green, blue]);
            }
        }
    }

    #[test]
    fn sixteen_bits_are_spread_over_the_whole_range_and_rows_are_padded() {
        let layout = PixelLayout::new(&visual(0xf800, 0x07e0, 0x001f), 16, 32, ImageOrder::LSB_FIRST)
            .expect("known layout");
        assert_eq!(layout.stride(1), 4);
        let mut rgb = [0; 6];
        layout.convert_rows(1, &[0xff, 0xff, 0, 0, 0x00, 0xf8, 0, 0], &mut rgb);
        assert_eq!(rgb, [255, 255, 255, 255, 0, 0]);
    }

    #[test]
    fn palettes_are_not_guessed_at() {
        assert_eq!(PixelLayout::new(&visual(0, 0, 0), 32, 32, ImageOrder::LSB_FIRST), None);
        assert_eq!(PixelLayout::new(&visual(7, 56, 192), 8, 32, ImageOrder::LSB_FIRST), None);
    }
}
