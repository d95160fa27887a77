//! Colours and their contrast as WCAG defines it.

/// The contrast of two sRGB colours by WCAG: 1 to 21.
pub fn ratio(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The relative luminance of an sRGB colour, 0 to 1.
pub(super) fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// The largest difference of a channel.
pub(super) fn apart(one: [u8; 3], other: [u8; 3]) -> u8 {
    let differences = [0, 1, 2].map(|channel| one[channel].abs_diff(other[channel]));
    differences[0].max(differences[1]).max(differences[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_standard() {
        assert!((ratio([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        assert!((ratio([0x76; 3], [255; 3]) - 4.54).abs() < 0.01);
        assert!((ratio([0x77; 3], [255; 3]) - 4.48).abs() < 0.01);
        assert!((ratio([255, 0, 0], [255; 3]) - 3.998).abs() < 0.01);
        assert!((ratio([9, 8, 7], [9, 8, 7]) - 1.0).abs() < 1e-9);
    }
}
