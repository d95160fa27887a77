//! Sizes of screens, as people write them.

use handeye_core::Size;

/// Reads `1920x1080`.
pub(crate) fn parse_size(text: &str) -> std::result::Result<Size, String> {
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some(Size { width: width.parse().ok()?, height: height.parse().ok()? }))
        .ok_or_else(|| format!("'{text}' is not a size such as 1920x1080"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parse_size("800x600"), Ok(Size { width: 800, height: 600 }));
        for bad in ["", "800", "800x", "x600", "-1x5", "800x600x24"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
