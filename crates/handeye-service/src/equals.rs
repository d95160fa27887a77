//! The tool filters on resources and completions: who may not call an operation gets the same from nowhere else. What equals which operation
//! stands in its definition.

use crate::toolbox::Toolbox;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Operation;
use handeye_ops::apps::ListApps;
use handeye_resources::Address;
use handeye_resources::catalog::{Definition, STATIC, TEMPLATES};
use handeye_resources::suggestions::Subject;

impl Toolbox {
    /// The resources that are always there and not switched off with their tools.
    pub fn resources(&self) -> impl Iterator<Item = &'static Definition> {
        STATIC.iter().filter(|definition| self.has_resource(definition))
    }

    /// The templates of resources that are not switched off with their tools.
    pub fn templates(&self) -> impl Iterator<Item = &'static Definition> {
        TEMPLATES.iter().filter(|definition| self.has_resource(definition))
    }

    /// Whether resources of this definition are not switched off with their tool.
    pub fn has_resource(&self, definition: &Definition) -> bool {
        self.has(definition.equals.tool)
    }

    /// Whether it may be reported which applications run, as the list of resources and its changes do.
    pub fn reports_applications(&self) -> bool {
        self.has(ListApps::META.tool)
    }

    /// Whether a completion may be reported.
    pub fn suggests(&self, subject: Subject<'_>) -> bool {
        self.has(subject.equals().tool)
    }

    /// The resource of a URI.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if there is none, or it is switched off with its tool.
    pub fn resource(&self, uri: &str) -> Result<Address> {
        let address = Address::parse(uri).map_err(|mut error| {
            let all = STATIC.iter().chain(TEMPLATES);
            error.found.retain(|uri| all.clone().any(|known| known.uri == uri && self.has_resource(known)));
            error
        })?;
        let definition = address.definition();
        if self.has_resource(definition) {
            return Ok(address);
        }
        let there = self.resources().chain(self.templates()).map(|definition| definition.uri);
        let message = format!(
            "the resource {} is switched off, as the tool {} is",
            definition.uri, definition.equals.tool
        );
        Err(Error::new(ErrorCode::InvalidParameter, message).with_found(there))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolbox::Selection;
    use handeye_ops::registry;

    #[test]
    fn every_resource_equals_an_operation_that_there_is() {
        for definition in STATIC.iter().chain(TEMPLATES) {
            assert!(registry::by_tool(definition.equals.tool).is_some(), "{}", definition.uri);
        }
        for subject in [Subject::Application, Subject::Window { of: "" }, Subject::Element { of: "" }] {
            assert!(registry::by_tool(subject.equals().tool).is_some());
        }
    }

    #[test]
    fn an_unknown_resource_is_answered_with_those_that_are_on() {
        let found = |selection: &Selection| {
            let toolbox = Toolbox::of(selection).expect("sound");
            toolbox.resource("handeye://nonsense").expect_err("unknown").found
        };
        let all = Selection { toolsets: Some(vec!["all".to_owned()]), ..Selection::default() };
        assert_eq!(found(&all).len(), STATIC.len() + TEMPLATES.len());
        let usual = found(&Selection::default());
        assert!(usual.iter().any(|uri| uri == "handeye://apps"), "{usual:?}");
        assert!(!usual.iter().any(|uri| uri.starts_with("handeye://recording/")), "{usual:?}");
    }

    #[test]
    fn without_filters_everything_is_there_and_with_them_only_what_is_left() {
        let everything = Selection { toolsets: Some(vec!["all".to_owned()]), ..Selection::default() };
        let usual = Toolbox::of(&everything).expect("sound");
        assert_eq!(usual.resources().count(), STATIC.len());
        assert_eq!(usual.templates().count(), TEMPLATES.len());
        for definition in STATIC.iter().chain(TEMPLATES) {
            let (template, tool) = (definition.uri, definition.equals.tool);
            let uri = template.replace("{name}", "x").replace("{index}", "0");
            assert!(usual.resource(&uri).is_ok(), "{uri}");
            assert_eq!(usual.resource(&uri).map(|address| address.definition().uri), Ok(template));
            let without = Selection { exclude: vec![tool.to_owned()], ..everything.clone() };
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
                    .filter(|definition| definition.equals.tool == tool)
                    .map(|definition| definition.uri))
            );
        }
    }
}
