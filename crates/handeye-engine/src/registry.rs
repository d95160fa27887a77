//! Every operation, in the order in which they are listed.

use crate::operation::{AnyOperation, Erased};
use crate::ops;
use std::sync::LazyLock;

static ALL: LazyLock<Vec<Box<dyn AnyOperation>>> = LazyLock::new(|| {
    vec![
        Erased::<ops::check::IsAccessible>::boxed(),
        Erased::<ops::connect::Connect>::boxed(),
        Erased::<ops::apps::ListApps>::boxed(),
        Erased::<ops::windows::ListWindows>::boxed(),
        Erased::<ops::find::Find>::boxed(),
        Erased::<ops::tree::GetTree>::boxed(),
        Erased::<ops::attributes::GetAttributes>::boxed(),
        Erased::<ops::get::GetValue>::boxed(),
        Erased::<ops::click::Click>::boxed(),
        Erased::<ops::click_at::ClickAt>::boxed(),
        Erased::<ops::type_text::Type>::boxed(),
        Erased::<ops::set_value::SetValue>::boxed(),
        Erased::<ops::scroll::Scroll>::boxed(),
        Erased::<ops::drag::Drag>::boxed(),
        Erased::<ops::key::KeyPress>::boxed(),
        Erased::<ops::screenshot::Screenshot>::boxed(),
        Erased::<ops::analyze::Analyze>::boxed(),
        Erased::<ops::screenshot_app_window::ScreenshotAppWindow>::boxed(),
        Erased::<ops::wait::WaitIdle>::boxed(),
        Erased::<ops::image::Image>::boxed(),
        Erased::<ops::list::List>::boxed(),
        Erased::<ops::next_action::NextAction>::boxed(),
        Erased::<ops::find_visual::FindVisual>::boxed(),
    ]
});

/// Every operation. The order is always the same.
pub fn all() -> &'static [Box<dyn AnyOperation>] {
    &ALL
}

/// The operation behind an MCP tool.
pub fn by_tool(name: &str) -> Option<&'static dyn AnyOperation> {
    all().iter().find(|operation| operation.meta().tool == name).map(AsRef::as_ref)
}

/// The operation behind a CLI subcommand.
pub fn by_command(name: &str) -> Option<&'static dyn AnyOperation> {
    all().iter().find(|operation| operation.meta().command == name).map(AsRef::as_ref)
}
