//! Names: of controls, links, pictures and windows.

use super::labels;
use crate::findings::Findings;
use crate::naming::{has_name, is_picture_file, says_nothing, without_mark};
use crate::rule::{
    CONTROL_NAME, IMAGE_NAME, LINK_NAME, NAME_MEANING, NAME_MNEMONIC, NAME_UNIQUE, Rule, WINDOW_TITLE,
};
use crate::view::{Element, View, is_control};
use handeye_core::{Abilities, Role, States};
use std::collections::HashMap;

/// Up to which size, in logical pixels, a picture beside a text is taken for decoration.
const DECORATION: f64 = 64.0;

pub(super) fn check(view: &View<'_>, element: &Element<'_>, findings: &mut Findings) {
    let role = element.node.role;
    if role.is_window() {
        window(view, element, findings);
    } else if role == Role::Image {
        image(view, element, findings);
    } else if is_control(role) {
        control(view, element, findings);
    }
    if matches!(role, Role::Text | Role::Heading) || is_control(role) {
        meaning(element, findings);
    }
}

fn window(view: &View<'_>, element: &Element<'_>, findings: &mut Findings) {
    let node = element.node;
    // Menus and tooltips are windows to some toolkits, and have no title bar.
    let is_popup = view
        .children(node.id)
        .all(|child| matches!(child.node.role, Role::Menu | Role::ToolTip | Role::List | Role::ListBox));
    let is_top = node.parent.is_some() && node.parent == view.tree().root();
    if is_popup || !is_top {
        return;
    }
    findings.checked(&WINDOW_TITLE);
    if node.name.trim().is_empty() && view.subject.title.trim().is_empty() {
        findings.fail(
            &WINDOW_TITLE,
            element,
            "the window has no title",
            "Set a title that names the document or the task.",
        );
    }
}

fn control(view: &View<'_>, element: &Element<'_>, findings: &mut Findings) {
    let node = element.node;
    if view.composite(node).is_some() || is_furniture(view, element) {
        return;
    }
    // GTK 3 has tabs in the tree of a notebook that draws none.
    if node.role == Role::Tab && element.area.is_none() {
        return;
    }
    let Some(named) = has_name(view, node) else { return };
    let rule: &'static Rule = if node.role == Role::Link { &LINK_NAME } else { &CONTROL_NAME };
    findings.checked(rule);
    // A label beside it is another rule: there is a name, which is only not connected.
    if !named && labels::beside(view, element).is_none() {
        findings.fail(
            rule,
            element,
            format!("the {} has no accessible name", node.role.aria()),
            "Give it a name that says what it does, or connect the label that does.",
        );
    }
}

/// The arrows of a scroll bar or a tab list, and items that only separate.
fn is_furniture(view: &View<'_>, element: &Element<'_>) -> bool {
    let node = element.node;
    let parent = node.parent.and_then(|parent| view.tree().get(parent));
    parent.is_some_and(|parent| {
        matches!(parent.role, Role::TabList | Role::ScrollBar) && node.role == Role::Button
    }) || (matches!(node.role, Role::MenuItem) && !node.states.contains(States::ENABLED))
}

fn image(view: &View<'_>, element: &Element<'_>, findings: &mut Findings) {
    let node = element.node;
    if !node.name.trim().is_empty() {
        findings.checked(&IMAGE_NAME);
        if is_picture_file(node.name.trim()) {
            findings.fail(
                &IMAGE_NAME,
                element,
                "the text alternative of the picture is the name of its file",
                "Describe what the picture shows.",
            );
        }
        return;
    }
    if !node.description.trim().is_empty() || view.composite(node).is_some() {
        return;
    }
    let in_control = view.tree().ancestors(node.id).take(4).any(|above| {
        is_control(above.role)
            || matches!(above.role, Role::ListItem | Role::TreeItem | Role::Cell | Role::Row | Role::Menu)
    });
    let acts = node.states.contains(States::FOCUSABLE) && node.abilities.contains(Abilities::ACTION);
    let is_small =
        element.area.is_none_or(|area| view.logical(area.width).max(view.logical(area.height)) <= DECORATION);
    let beside_text = node.parent.is_some_and(|parent| {
        view.below(parent).any(|other| other.node.id != node.id && !other.node.label().trim().is_empty())
    });
    if in_control || (!acts && is_small && beside_text) || element.area.is_none() {
        return;
    }
    let labelled =
        view.links(node.id).is_some_and(|links| links.labelled_elsewhere || !links.labelled_by.is_empty());
    findings.checked(&IMAGE_NAME);
    if !labelled {
        findings.fail(
            &IMAGE_NAME,
            element,
            "the picture has no text alternative",
            "Describe what it shows, or mark it as decoration.",
        );
    }
}

fn meaning(element: &Element<'_>, findings: &mut Findings) {
    let node = element.node;
    if is_control(node.role) && !node.name.trim().is_empty() {
        findings.checked(&NAME_MEANING);
        if let Some(why) = says_nothing(&node.name)
            && says_nothing(&node.description).is_some() | node.description.trim().is_empty()
        {
            findings.fail(
                &NAME_MEANING,
                element,
                format!("the name of the {} {why}, which does not say what it does", node.role.aria()),
                "Name it in words; what is drawn can stay as it is.",
            );
        }
    }
    // What a user wrote is not a label.
    if matches!(node.role, Role::TextBox | Role::SearchBox | Role::ComboBox | Role::Link)
        || node.name.is_empty()
    {
        return;
    }
    findings.checked(&NAME_MNEMONIC);
    if let Some(meant) = without_mark(&node.name) {
        findings.fail(
            &NAME_MNEMONIC,
            element,
            "the label shows the mark of a mnemonic instead of using it",
            format!(
                "Have the toolkit use the mnemonic, or write {:?}.",
                handeye_core::screen_text::line(&meant, 60)
            ),
        );
    }
}

/// Buttons of one name in one container.
pub(super) fn check_unique(view: &View<'_>, findings: &mut Findings) {
    let mut seen = HashMap::new();
    for element in &view.elements {
        let node = element.node;
        let counts = matches!(node.role, Role::Button | Role::ToggleButton) && element.is_operable();
        let name = node.name.trim();
        if !counts || name.is_empty() || view.composite(node).is_some() || element.seen.is_none() {
            continue;
        }
        findings.checked(&NAME_UNIQUE);
        let key = (node.parent, node.role, name.to_lowercase(), node.description.trim().to_lowercase());
        if seen.insert(key, node.id).is_some() {
            findings.fail(
                &NAME_UNIQUE,
                element,
                "another button beside it has the same name",
                "Name each by what it acts on.",
            );
        }
    }
}
