//! Every operation, in the order in which they are listed.

use handeye_engine::{AnyOperation, Erased};
use std::sync::LazyLock;

static ALL: LazyLock<Vec<Box<dyn AnyOperation>>> = LazyLock::new(|| {
    vec![
        Erased::<crate::check::IsAccessible>::boxed(),
        Erased::<crate::connect::Connect>::boxed(),
        Erased::<crate::apps::ListApps>::boxed(),
        Erased::<crate::windows::ListWindows>::boxed(),
        Erased::<crate::find::Find>::boxed(),
        Erased::<crate::tree::GetTree>::boxed(),
        Erased::<crate::attributes::GetAttributes>::boxed(),
        Erased::<crate::get::GetValue>::boxed(),
        Erased::<crate::click::Click>::boxed(),
        Erased::<crate::click_at::ClickAt>::boxed(),
        Erased::<crate::type_text::Type>::boxed(),
        Erased::<crate::set_value::SetValue>::boxed(),
        Erased::<crate::scroll::Scroll>::boxed(),
        Erased::<crate::drag::Drag>::boxed(),
        Erased::<crate::key::KeyPress>::boxed(),
        Erased::<crate::screenshot::Screenshot>::boxed(),
        Erased::<crate::analyze::Analyze>::boxed(),
        Erased::<crate::screenshot_app_window::ScreenshotAppWindow>::boxed(),
        Erased::<crate::wait::WaitIdle>::boxed(),
        Erased::<crate::image::Image>::boxed(),
        Erased::<crate::list::List>::boxed(),
        Erased::<crate::next_action::NextAction>::boxed(),
        Erased::<crate::find_visual::FindVisual>::boxed(),
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
