//! How a reference to an element is written.

/// The digits of a text that has the form of a reference, `e` and digits; `None` for any other text. Whether such a reference was ever issued
/// is another question.
///
/// ```
/// # use handeye_core::reference;
/// assert_eq!(reference::digits("e12"), Some("12"));
/// assert_eq!(reference::digits("e1x"), None);
/// assert_eq!(reference::digits("e"), None);
/// ```
pub fn digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('e')?;
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then_some(digits)
}
