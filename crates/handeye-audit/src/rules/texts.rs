//! Contrast: which elements draw text, where, and whether it differs enough from its background.

use super::{STEP, Stage};
use crate::contrast::{Glyphs, Ink, Unclear, measure};
use crate::findings::Findings;
use crate::rule::{CONTRAST, CONTRAST_ENHANCED};
use crate::view::{Element, View, is_control};
use handeye_core::{InPicture, Rect, Role, States};

/// Most texts that are measured in one window.
const MAX_TEXTS: usize = 2_000;
/// The least width of a character, in logical pixels: where a name would need more than the element has, it is not what is drawn.
const NARROWEST: f64 = 3.5;
/// The frame of a control, in logical pixels.
const BORDER: f64 = 4.0;
/// Which part of an element another text must cover so that what is measured may be the other's.
const COVERED: f64 = 0.25;

/// An element that draws text.
struct Drawn<'v, 'a> {
    element: &'v Element<'a>,
    text: String,
    area: Rect,
}

pub(super) fn check(view: &View<'_>, findings: &mut Findings, progress: &mut dyn FnMut(Stage)) {
    if !findings.wants(&CONTRAST) && !findings.wants(&CONTRAST_ENHANCED) {
        return;
    }
    let drawn = drawn(view, findings);
    for (at, text) in drawn.iter().enumerate() {
        if at % STEP == 0 {
            progress(Stage::Contrast(at, drawn.len()));
        }
        if drawn.iter().any(|other| covers(view, other, text)) {
            findings.unmeasured().out_of_sight += 1;
            continue;
        }
        match measured(view, text) {
            Ok(ink) => judge(view, text, &ink, findings),
            Err(Unclear::Hidden) => findings.unmeasured().out_of_sight += 1,
            Err(Unclear::Patterned) => findings.unmeasured().patterned += 1,
            Err(Unclear::NoText) => findings.unmeasured().unclear += 1,
        }
    }
}

fn drawn<'v, 'a>(view: &'v View<'a>, findings: &mut Findings) -> Vec<Drawn<'v, 'a>> {
    let mut drawn = Vec::new();
    for element in &view.elements {
        let Some(text) = own_text(view, element) else { continue };
        if is_disabled(view, element) {
            findings.unmeasured().disabled += 1;
            continue;
        }
        if view.subject.frame.is_none() {
            findings.unmeasured().no_picture += 1;
            continue;
        }
        match element.seen {
            Some(area) if drawn.len() < MAX_TEXTS && is_mostly(area, element.area) => {
                drawn.push(Drawn { element, text, area });
            }
            _ => findings.unmeasured().out_of_sight += 1,
        }
    }
    drawn
}

/// Whether at least half of an element is seen.
fn is_mostly(seen: Rect, whole: Option<Rect>) -> bool {
    whole.is_some_and(|whole| 2 * u64::from(seen.height) >= u64::from(whole.height) || seen.height > 40)
}

/// The text that an element draws by itself; `None` if it draws none, or elements in it do.
fn own_text(view: &View<'_>, element: &Element<'_>) -> Option<String> {
    let node = element.node;
    let holds_text = matches!(
        node.role,
        Role::Text
            | Role::Heading
            | Role::Paragraph
            | Role::ListItem
            | Role::TreeItem
            | Role::Cell
            | Role::ColumnHeader
            | Role::Menu
    ) || (is_control(node.role) && node.role != Role::Slider);
    if !holds_text || node.states.contains(States::PROTECTED) {
        return None;
    }
    let is_field = matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton);
    let text = if is_field { node.value_text()? } else { node.name.to_string() };
    let text = if text.trim().is_empty() && !is_field { node.value_text()? } else { text };
    let text = text.trim();
    let drawn_below = view.below(node.id).any(|below| !below.node.label().trim().is_empty());
    if text.is_empty() || drawn_below {
        return None;
    }
    let area = element.area?;
    let (width, height) = (view.logical(area.width), view.logical(area.height));
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let is_button =
        matches!(node.role, Role::Button | Role::ToggleButton | Role::Tab | Role::Link | Role::ColumnHeader);
    // A square with a long name shows an icon.
    let is_icon = is_button
        && longest > 2
        && (width < 1.6 * height || width < NARROWEST * longest.min(12) as f64 + 2.0 * BORDER);
    (!is_icon && height >= 6.0 && width >= 4.0).then(|| text.to_owned())
}

fn is_disabled(view: &View<'_>, element: &Element<'_>) -> bool {
    let is_off = |node: &handeye_core::Node| !node.states.contains(States::ENABLED);
    is_off(element.node)
        || view.tree().ancestors(element.node.id).take(4).any(|above| is_control(above.role) && is_off(above))
}

/// Whether another text lies over a part of an element that it is not in.
fn covers(view: &View<'_>, other: &Drawn<'_, '_>, own: &Drawn<'_, '_>) -> bool {
    if other.element.node.id == own.element.node.id {
        return false;
    }
    let Some(shared) = other.area.intersection(&own.area) else { return false };
    let size = |area: &Rect| f64::from(area.width) * f64::from(area.height);
    size(&shared) > COVERED * size(&own.area)
        && !view.tree().ancestors(other.element.node.id).any(|above| above.id == own.element.node.id)
}

fn measured(view: &View<'_>, drawn: &Drawn<'_, '_>) -> Result<Ink, Unclear> {
    let (frame, pixels) = view.pixels(drawn.area).ok_or(Unclear::Hidden)?;
    measure(frame, within(view, drawn.element.node.role, pixels))
}

/// The part of an element in which its text is: without frame and indicator.
fn within(view: &View<'_>, role: Role, area: Rect<InPicture>) -> Rect<InPicture> {
    let border = (BORDER * view.pixel_scale()).round() as u32;
    let cut = |area: Rect<InPicture>, left: u32, all: u32| {
        let (width, height) =
            (area.width.saturating_sub(left + 2 * all), area.height.saturating_sub(2 * all));
        Rect::new(area.x + (left + all) as i32, area.y + all as i32, width, height)
    };
    match role {
        Role::Button
        | Role::ToggleButton
        | Role::Tab
        | Role::ComboBox
        | Role::TextBox
        | Role::SearchBox
        | Role::SpinButton
            if area.height > 4 * border && area.width > 4 * border =>
        {
            cut(area, 0, border)
        }
        Role::CheckBox | Role::RadioButton | Role::MenuItemCheckBox | Role::MenuItemRadio
            if area.width > 2 * area.height =>
        {
            cut(area, area.height.min((28.0 * view.pixel_scale()) as u32), 0)
        }
        _ => area,
    }
}

fn judge(view: &View<'_>, drawn: &Drawn<'_, '_>, ink: &Ink, findings: &mut Findings) {
    let is_large = Glyphs::of(&drawn.text).is_large(ink, view.pixel_scale());
    let (minimum, enhanced) = if is_large { (3.0, 4.5) } else { (4.5, 7.0) };
    let (failed, required) = match () {
        () if findings.wants(&CONTRAST) && ink.is_below(minimum) => (&CONTRAST, minimum),
        () if findings.wants(&CONTRAST_ENHANCED) && ink.is_below(enhanced) => (&CONTRAST_ENHANCED, enhanced),
        () => {
            // Too thin to say: the colour that was meant may be a stronger one than any pixel has.
            let strictest = if findings.wants(&CONTRAST_ENHANCED) { enhanced } else { minimum };
            if ink.ratio < strictest {
                findings.unmeasured().unclear += 1;
            } else {
                findings.checked(&CONTRAST);
                findings.checked(&CONTRAST_ENHANCED);
            }
            return;
        }
    };
    findings.checked(&CONTRAST);
    findings.checked(&CONTRAST_ENHANCED);
    let size = if is_large { "large text" } else { "text" };
    findings.fail(
        failed,
        drawn.element,
        format!(
            "measured {:.2}:1 ({} on {}); {size} needs {required}:1",
            ink.ratio,
            hex(ink.text),
            hex(ink.background)
        ),
        "Make the text darker or lighter, or change what is behind it.",
    );
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
