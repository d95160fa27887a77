//! States: what an element is like at the moment.

use bitflags::bitflags;

bitflags! {
    /// The states of an element, normalised over toolkits by the platform that reads them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
    pub struct States: u64 {
        /// The window that receives the keyboard, or the current item of a container.
        const ACTIVE = 1 << 0;
        /// Has the keyboard focus.
        const FOCUSED = 1 << 1;
        /// Can take the keyboard focus.
        const FOCUSABLE = 1 << 2;
        /// Reacts to the user (not greyed out).
        const ENABLED = 1 << 3;
        /// Meant to be seen, though a parent may hide it.
        const VISIBLE = 1 << 4;
        /// Drawn: it and all its ancestors are visible (it may still be scrolled out or covered).
        const SHOWING = 1 << 5;
        /// Can be checked.
        const CHECKABLE = 1 << 6;
        /// Checked.
        const CHECKED = 1 << 7;
        /// Neither checked nor unchecked.
        const MIXED = 1 << 8;
        /// A toggle button that is pressed in.
        const PRESSED = 1 << 9;
        /// Can be selected.
        const SELECTABLE = 1 << 10;
        /// Selected.
        const SELECTED = 1 << 11;
        /// Can be expanded.
        const EXPANDABLE = 1 << 12;
        /// Expanded.
        const EXPANDED = 1 << 13;
        /// Its text can be edited.
        const EDITABLE = 1 << 14;
        /// Says that its text cannot be edited.
        const READ_ONLY = 1 << 15;
        /// Text of several lines.
        const MULTI_LINE = 1 << 16;
        /// Hides what is typed (a password).
        const PROTECTED = 1 << 17;
        /// Blocks the rest of its application while it is open.
        const MODAL = 1 << 18;
        /// Busy, its content is incomplete.
        const BUSY = 1 << 19;
        /// Must be filled in.
        const REQUIRED = 1 << 20;
        /// Holds an invalid value.
        const INVALID = 1 << 21;
        /// Opens a menu or another popup.
        const HAS_POPUP = 1 << 22;
        /// Several children can be selected.
        const MULTI_SELECTABLE = 1 << 23;
        /// The button that Return presses.
        const DEFAULT = 1 << 24;
        /// Creates its children on demand; they are not listed and come and go.
        const MANAGES_DESCENDANTS = 1 << 25;
        /// A window that is minimized.
        const ICONIFIED = 1 << 26;
        /// The element is gone although something still refers to it.
        const DEFUNCT = 1 << 27;
        /// Runs from top to bottom.
        const VERTICAL = 1 << 28;
        /// A link that was visited.
        const VISITED = 1 << 29;
        /// Takes no room on the screen, with all that is in it, although it counts as visible.
        const COLLAPSED = 1 << 30;
    }
}
