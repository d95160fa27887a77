//! Which tool each resource and each completion equals: who may not call the one gets the same from nowhere else.

use crate::toolbox::Toolbox;
use handeye_core::{Error, ErrorCode, Result};
use handeye_resources::Address;
use handeye_resources::address::{APPS, CLIPBOARD, EVENTS, SCREENSHOT, STATE, STATUS, TREE, WINDOW_TREE};
use handeye_resources::catalog::{Definition, STATIC, TEMPLATES};
use handeye_resources::suggestions::Subject;

/// Every resource with the tool that reports the same, or that it is most like: the clipboard holds text of applications as
/// `ax_get_value` reads it, state and events report what the tree shows.
const TABLE: &[(&str, &str)] = &[
    (STATUS, "ax_is_accessible"),
    (APPS, LISTING),
    (CLIPBOARD, "ax_get_value"),
    (TREE, "ax_get_tree"),
    (WINDOW_TREE, "ax_get_tree"),
    (STATE, "ax_get_tree"),
    (EVENTS, "ax_get_tree"),
    (SCREENSHOT, "ax_screenshot"),
];

/// The tool that reports which applications run, as the list of resources, its changes and the names in completions do.
const LISTING: &str = "ax_list_apps";

/// The tool that reports what completions of this subject do.
const fn tool_of(subject: Subject<'_>) -> &'static str {
    match subject {
        Subject::Application => LISTING,
        Subject::Window { .. } => "ax_list_windows",
        Subject::Region { .. } | Subject::Element { .. } | Subject::Way { .. } => "ax_get_tree",
    }
}

/// The tool that a resource of this template equals.
fn tool(template: &str) -> Option<&'static str> {
    TABLE.iter().find(|(known, _)| *known == template).map(|(_, tool)| *tool)
}

impl Toolbox {
    /// The resources that are always there and not switched off with their tools.
    pub fn resources(&self) -> impl Iterator<Item = &'static Definition> {
        STATIC.iter().filter(|definition| self.has_resource(definition.uri))
    }

    /// The templates of resources that are not switched off with their tools.
    pub fn templates(&self) -> impl Iterator<Item = &'static Definition> {
        TEMPLATES.iter().filter(|definition| self.has_resource(definition.uri))
    }

    /// Whether resources of this template are not switched off with their tool.
    pub fn has_resource(&self, template: &str) -> bool {
        tool(template).is_some_and(|tool| self.has(tool))
    }

    /// Whether it may reveal which applications run.
    pub fn reports_applications(&self) -> bool {
        self.has(LISTING)
    }

    /// Whether a completion may be returned.
    pub fn suggests(&self, subject: Subject<'_>) -> bool {
        self.has(tool_of(subject))
    }

    /// The resource of a URI.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if there is none, or it is switched off with its tool.
    pub fn resource(&self, uri: &str) -> Result<Address> {
        let address = Address::parse(uri)?;
        let template = address.template();
        if self.has_resource(template) {
            return Ok(address);
        }
        let why = tool(template).unwrap_or_default();
        let there = self.resources().chain(self.templates()).map(|definition| definition.uri);
        let message = format!("the resource {template} is switched off, as the tool {why} is");
        Err(Error::new(ErrorCode::InvalidParameter, message).with_found(there))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolbox::Selection;
    use handeye_ops::registry;

    #[test]
    fn every_resource_equals_a_tool_that_there_is() {
        for definition in STATIC.iter().chain(TEMPLATES) {
            let tool = tool(definition.uri).expect(definition.uri);
            assert!(registry::by_tool(tool).is_some(), "{tool}");
        }
        assert_eq!(TABLE.len(), STATIC.len() + TEMPLATES.len());
        for subject in [Subject::Application, Subject::Window { of: "" }, Subject::Element { of: "" }] {
            assert!(registry::by_tool(tool_of(subject)).is_some());
        }
    }

    #[test]
    fn without_filters_everything_is_there_and_with_them_only_what_is_left() {
        let usual = Toolbox::of(&Selection::default()).expect("sound");
        assert_eq!(usual.resources().count(), STATIC.len());
        assert_eq!(usual.templates().count(), TEMPLATES.len());
        for &(template, tool) in TABLE {
            let uri = template.replace("{name}", "x").replace("{index}", "0");
            assert!(usual.resource(&uri).is_ok(), "{uri}");
            let without = Selection { exclude: vec![tool.to_owned()], ..Selection::default() };
            let without = Toolbox::of(&without).expect("sound");
            let error = without.resource(&uri).expect_err(&uri);
            assert!(
                error.message.contains(tool) && !error.found.iter().any(|uri| uri.as_str() == template),
                "{error}"
            );
            let only = Selection { tools: Some(vec![tool.to_owned()]), ..Selection::default() };
            let only = Toolbox::of(&only).expect("sound");
            assert!(only.resource(&uri).is_ok(), "{uri}");
            let left = only.resources().chain(only.templates());
            assert!(
                left.map(|definition| definition.uri).eq(STATIC
                    .iter()
                    .chain(TEMPLATES)
                    .map(|definition| definition.uri)
                    .filter(|uri| super::tool(uri) == Some(tool)))
            );
        }
    }
}
