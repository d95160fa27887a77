//! What each toolkit does in its own way: which events it really sends, and what its numbers mean.
//!
//! Everything here was measured on real applications; `docs/toolkit-events.md` has the table.

mod names;
mod silence;

use super::events::Announced;
use super::on_screen::PASSED_ON;
use bitflags::bitflags;
use handeye_core::{Abilities, Application, Node, NodeAction, NodeId, Role, States, Tree};
use std::path::Path;
use std::time::Duration;

/// The toolkit behind an application, as it names itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Toolkit {
    /// GTK 3 and earlier, through the ATK bridge.
    Gtk3,
    /// GTK 4, which speaks AT-SPI itself.
    Gtk4,
    /// Qt 5 and 6.
    Qt,
    /// LibreOffice, which shows its own widgets through the ATK bridge.
    LibreOffice,
    /// Firefox and Thunderbird.
    Gecko,
    /// Chromium, Chrome, Electron.
    Chromium,
    /// Pages of `WebKitGTK`, which another application's window shows.
    WebKit,
    /// Something else: nothing is taken for granted.
    Other,
}

/// Where an element is, as far as its states depend on that.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementContext<'a> {
    pub(super) role: Role,
    /// Whether its parent belongs to another process than the application.
    pub(super) embedded: bool,
    pub(super) parent_showing: bool,
    pub(super) parent_focused: bool,
    /// What the toolkit calls the role of its parent.
    pub(super) parent_role: Option<&'a str>,
}

bitflags! {
    /// What an application's events can be trusted with, but for what `silence` has. The rest is read again when it is asked for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct Trust: u8 {
        /// Children that come, go or change places are always announced.
        const STRUCTURE = 1 << 0;
        /// Names and states that change are always announced, but for SHOWING.
        const PROPERTIES = 1 << 1;
        /// What begins or ceases to show is always announced, also when it is scrolled.
        const SHOWING = 1 << 2;
        /// Texts and numbers that change are always announced.
        const VALUES = 1 << 3;
    }
}

impl Toolkit {
    /// The toolkit that calls itself `name`; LibreOffice calls itself "gtk" and is known by the names of its `application` and its
    /// `executable`. While it starts, its application has no name yet.
    pub(super) fn identify(name: &str, version: &str, application: &str, executable: Option<&str>) -> Self {
        if executable == Some("soffice.bin")
            || application.eq_ignore_ascii_case("soffice")
            || application.to_lowercase().starts_with("libreoffice")
        {
            return Self::LibreOffice;
        }
        match name.to_lowercase().as_str() {
            "gtk" if version.starts_with("4.") => Self::Gtk4,
            "gtk" => Self::Gtk3,
            "qt" => Self::Qt,
            "gecko" => Self::Gecko,
            "chromium" => Self::Chromium,
            "webkitgtk" => Self::WebKit,
            _ => Self::Other,
        }
    }

    /// The toolkit of an application that has introduced itself.
    pub(super) fn of(application: &Application) -> Self {
        let (name, version) =
            application.toolkit.as_deref().and_then(|toolkit| toolkit.split_once(' ')).unwrap_or_default();
        let executable = application.process.as_ref().and_then(|process| process.executable.as_deref());
        let executable = executable.and_then(|path| Path::new(path).file_name()?.to_str());
        Self::identify(name, version, &application.name, executable)
    }

    /// What this application may announce: Qt 5 ignores what changes in the model of a table, and has no pages.
    pub(super) fn announced_by(application: &Application) -> Announced {
        let is_qt5 =
            application.toolkit.as_deref().is_some_and(|toolkit| toolkit.to_lowercase().starts_with("qt 5."));
        if is_qt5 { Announced::Widgets } else { Announced::TablesAndPages }
    }

    /// Which of its events are complete.
    pub(super) fn trust(self) -> Trust {
        match self {
            // No toolkit announces all that scrolling shows, and none all children: GTK 3 is silent about `gtk_box_pack_start`,
            // Chromium about children that change places, Firefox about a page that takes the place of another.
            Self::Gtk3 | Self::Gecko | Self::Chromium => Trust::PROPERTIES | Trust::VALUES,
            // LibreOffice does not report the scroll bar's new number when the view follows the cursor.
            Self::LibreOffice => Trust::PROPERTIES,
            Self::Gtk4 | Self::Qt | Self::WebKit | Self::Other => Trust::empty(),
        }
    }

    /// Whether what changes unannounced is drawn: what a browser shows of a page that was scrolled, or replaced by another one, and all that LibreOffice
    /// shows. Both run now and then where nothing changes.
    pub(super) fn draws_what_it_does_not_announce(self) -> bool {
        matches!(self, Self::Gecko | Self::Chromium | Self::LibreOffice)
    }

    /// How long after it has drawn something all of that is in its tree. A browser draws a page before it has passed on what is in it; what LibreOffice
    /// draws is in its tree before that.
    pub(super) fn passes_on_within(self) -> Duration {
        if self == Self::LibreOffice { Duration::ZERO } else { PASSED_ON }
    }

    /// Whether it changes its tree first and draws that in steps, between which it sleeps.
    pub(super) fn draws_in_steps(self) -> bool {
        self == Self::LibreOffice
    }

    /// Whether some of its threads rest hardly ever: the main thread of Firefox runs ten times a second where nothing happens.
    pub(super) fn hardly_rests(self) -> bool {
        self == Self::Gecko
    }

    /// Whether one call can bring the whole tree. Qt answers with nothing.
    pub(super) fn has_bulk_load(self) -> bool {
        !matches!(self, Self::Qt)
    }

    /// Whether an element is made, and in a bulk load, only after its parent was asked for its children.
    pub(super) fn makes_when_asked(self) -> bool {
        self == Self::Gtk4
    }

    /// Whether the cells of a sheet, of which only those in view are loaded, are all alike, and what is inside of one only repeats it: those of
    /// LibreOffice have the text of the paragraph in them.
    pub(super) fn has_plain_cells(self, role: Role, abilities: Abilities) -> bool {
        self == Self::LibreOffice && role == Role::Cell && abilities.contains(Abilities::TEXT)
    }

    /// Whether the object of a cell of a sheet is gone some time after it was named, although the cell is there still (measured on LibreOffice 7.4).
    pub(super) fn lets_go_of_cells(self) -> bool {
        self == Self::LibreOffice
    }

    /// Whether all cells of a table report that they show, wherever the table is scrolled to.
    pub(super) fn shows_all_cells(self) -> bool {
        self == Self::Gtk3
    }

    /// How many elements of a bulk load cost the application as much as one call: below that many for each call that it
    /// saves, a bulk load is the faster way to read elements again. LibreOffice has everything in it that was ever opened, a browser all
    /// of a page that does not show.
    pub(super) fn bulk_items_per_call(self) -> usize {
        match self {
            Self::Gtk3 | Self::Gtk4 => 6,
            Self::LibreOffice => 2,
            Self::Chromium => 3,
            Self::Gecko => 1,
            Self::Qt | Self::WebKit | Self::Other => 0,
        }
    }

    /// Whether the bulk load becomes available only a while after a client has asked for events: so does the ATK bridge.
    pub(super) fn delays_bulk_load(self) -> bool {
        matches!(self, Self::Gtk3 | Self::LibreOffice | Self::Gecko | Self::Chromium)
    }

    /// Whether the corrections of a window's extents hold for as long as the window lives, where they are but a scale.
    pub(super) fn has_lasting_corrections(self) -> bool {
        match self {
            Self::Gtk4 | Self::LibreOffice => false,
            // Then its scale is that of the monitor on which it happens to be.
            Self::Qt => std::env::var_os("QT_SCREEN_SCALE_FACTORS").is_none(),
            _ => true,
        }
    }

    /// Whether the application may offer a connection of its own. GTK 4 and Qt do not, and asking costs a round trip.
    pub(super) fn may_have_direct_connection(self) -> bool {
        !matches!(self, Self::Gtk4 | Self::Qt)
    }

    /// Whether new elements come first and their names and texts a moment later, without an event: Firefox gets them from
    /// the process that holds the page.
    pub(super) fn fills_in_later(self) -> bool {
        self == Self::Gecko
    }

    /// Whether SHOWING has to be derived from VISIBLE and the ancestors, because the toolkit sets it on windows only.
    pub(super) fn derives_showing(self) -> bool {
        matches!(self, Self::Gtk4)
    }

    /// Whether an element with these states, as sent, can be showing: only then its children matter. `embedded` says that another
    /// process than the application's shows it.
    pub(super) fn may_show(self, role: Role, states: States, embedded: bool) -> bool {
        states.contains(States::SHOWING)
            || self.says_nothing_of_showing(role, states, embedded)
            || (self.derives_showing() && states.contains(States::VISIBLE))
            || self.is_shown_page(role, states)
    }

    /// Whether an element does not report whether it shows, so that it does where its parent does. The socket of the ATK bridge and the
    /// plug of `WebKitGTK` in it have no states at all, and the scrolled view around `WebKitGTK`'s pages says neither that it is visible nor
    /// that it shows.
    fn says_nothing_of_showing(self, role: Role, states: States, embedded: bool) -> bool {
        let stateless = self == Self::Gtk3 && states.is_empty();
        role.is_structural()
            && (stateless || (embedded && !states.intersects(States::VISIBLE | States::SHOWING)))
    }

    /// Whether an element represents the page that a notebook shows, whatever it reports. A page of GTK 3 is its tab too, and has the
    /// states of the tab's label: that is not showing where tabs are scrolled away or were never shown.
    fn is_shown_page(self, role: Role, states: States) -> bool {
        matches!(self, Self::Gtk3 | Self::LibreOffice)
            && role == Role::Tab
            && states.contains(States::SELECTED)
    }

    /// Whether the pages of a container are not children of it, except in a bulk load: its children are what is in the pages, and name
    /// those as their parents. So GTK 4 reports its stacks, and the notebooks and drop-down lists that are made of them.
    pub(super) fn has_unlisted_pages(self) -> bool {
        self == Self::Gtk4
    }

    /// Whether children are listed as they were made, and not as they are on the screen: so are those of header bars and grids of GTK 3,
    /// and all of Qt. GTK 4 lists grids and side bars so too, but takes so long for a place that asking for all would make a load half as long
    /// again.
    pub(super) fn lists_as_made(self) -> bool {
        matches!(self, Self::Gtk3 | Self::Qt)
    }

    /// Whether what was drawn was laid out before, and all that had changed by then.
    pub(super) fn lays_out_before_drawing(self) -> bool {
        self == Self::Gtk3
    }

    /// Whether windows are there before anything of the page that they show.
    pub(super) fn has_windows_before_pages(self) -> bool {
        self == Self::Chromium
    }

    /// Whether an element has the same object each time that its container is asked for it, so that another object is another element.
    pub(super) fn keeps_objects(self) -> bool {
        matches!(self, Self::Gecko | Self::Chromium | Self::WebKit)
    }

    /// Whether a container of this role makes a new object for each child whenever it is asked for them, and keeps the old ones: so do trees
    /// of Qt (measured on 5.15). An old one goes on answering for its row, wherever that is.
    pub(super) fn makes_new_children(self, role: Role) -> bool {
        self == Self::Qt && role == Role::Tree
    }

    /// Whether an element that takes no room can say that it is visible, and all that is in it: GTK 4 says that of
    /// the content of a banner that is not revealed.
    pub(super) fn may_collapse(self, node: &Node) -> bool {
        self == Self::Gtk4
            && node.role.is_structural()
            && node.child_count == 1
            && node.abilities.contains(Abilities::COMPONENT)
    }

    /// What an element is at its place in the tree; `embedded` says that another process than the application's shows it. `WebKitGTK` says of the mark before
    /// a list item that it is a text, as a field is. Qt reports main windows and widgets with a border (`QFrame`) as frames, and other top-level widgets as
    /// fillers: one without a name may be a hint or a splash screen.
    pub(super) fn normalise_role(
        self,
        states: States,
        embedded: bool,
        is_named: bool,
        place: ElementContext<'_>,
    ) -> Role {
        let takes_input = states.intersects(States::FOCUSABLE | States::EDITABLE);
        match (place.role, place.parent_role) {
            (Role::TextBox, _) if embedded && !takes_input => Role::Text,
            (role, Some("application")) if self == Self::Qt && is_named && role.is_structural() => {
                Role::Window
            }
            (Role::Window, Some(parent)) if self == Self::Qt && parent != "application" => Role::Group,
            (role, _) => role,
        }
    }

    /// The actions of an element, where it is not to be asked for them: `WebKitGTK` has one for each, which is what a click does, and
    /// leaves the question for all of them without an answer (measured on 2.50.6).
    pub(super) fn fixed_actions(self) -> Option<&'static [&'static str]> {
        (self == Self::WebKit).then_some(&["press"])
    }

    /// What an action does, by its usual name. The "toggle" of a check box in a tree of GTK 3 leaves the box as it is and opens the
    /// row (measured on 3.24.38).
    pub(super) fn normalise_action(self, abilities: Abilities, name: &str) -> &str {
        let is_cell =
            matches!(self, Self::Gtk3 | Self::LibreOffice) && abilities.contains(Abilities::TABLE_CELL);
        if is_cell && name.eq_ignore_ascii_case("toggle") { "activate" } else { name }
    }

    /// Whether a click on an element of this role is its action "Toggle" where it has one too that is called "Press": that leaves a radio button of Qt Quick as it is
    /// (measured on 5.15).
    pub(super) fn prefers_toggle(self, role: Role) -> bool {
        self == Self::Qt && matches!(role, Role::CheckBox | Role::RadioButton | Role::Switch)
    }

    /// For how long a button that is activated is drawn as pressed before it is clicked. Qt does so too, but reports when it is up again.
    pub(super) fn draws_press_for(self, role: Role) -> Duration {
        let is_button = matches!(role, Role::Button | Role::ToggleButton);
        if self == Self::Gtk4 && is_button { Duration::from_millis(250) } else { Duration::ZERO }
    }

    /// Whether an action changes what an element shows at most, and nothing else. Firefox (measured on 153) accepts a text for a field, of a
    /// page or of its own window, and leaves the field as it was. It gives a page no `input` or `change` event when the number of a field is
    /// set over the bus, or an option is selected; it does when a slider is set, when an option of a list is pressed, and when one is pressed
    /// in the open list of a combo box. Pressing it in a closed one does nothing at all. The scroll bars of a document of LibreOffice (7.4) take a
    /// value and leave the document where it is. The list of a combo box of Qt (5.15 and 6.4) takes a selection, and the combo box keeps its value.
    pub(super) fn only_shows(self, tree: &Tree, id: NodeId, action: &NodeAction) -> bool {
        let Some(role) = tree.get(id).map(|node| node.role) else { return false };
        if self == Self::LibreOffice {
            return role == Role::ScrollBar && matches!(action, NodeAction::SetValue(_));
        }
        if !matches!(self, Self::Gecko | Self::Qt) {
            return false;
        }
        let is_in_combo_box = |may_be_open: bool| {
            let mut above = tree.ancestors(id);
            above
                .find(|node| node.role == Role::ComboBox)
                .is_some_and(|list| may_be_open || !list.states.contains(States::EXPANDED))
        };
        if self == Self::Qt {
            return matches!(role, Role::ListItem | Role::Cell)
                && matches!(action, NodeAction::Invoke(_))
                && is_in_combo_box(true);
        }
        match action {
            NodeAction::SetText(_) => true,
            NodeAction::SetValue(_) => role == Role::SpinButton,
            NodeAction::Select { .. } | NodeAction::Deselect => {
                role == Role::ListItem || (role == Role::MenuItem && is_in_combo_box(true))
            }
            NodeAction::Invoke(_) => role == Role::MenuItem && is_in_combo_box(false),
            _ => false,
        }
    }

    /// Whether an action does a part of what a click on an element of this role does, in Qt (measured on 5.15 and 6.4). "Toggle" of an item in a list or a table
    /// selects it, or takes it out of the selection: it does not become the current one, and the application is not notified of a click. A combo box
    /// that is opened by its action grabs each pointer, so that none but the user's chooses from it.
    pub(super) fn is_part_of_click(self, role: Role, action: &NodeAction) -> bool {
        self == Self::Qt
            && match action {
                NodeAction::Invoke(Some(name)) => {
                    matches!(role, Role::ListItem | Role::Cell) && name.eq_ignore_ascii_case("toggle")
                }
                NodeAction::Invoke(None) => role == Role::ComboBox,
                _ => false,
            }
    }

    /// Whether an element is never seen, whatever it says: LibreOffice keeps a menu bar of its own behind the one that GTK draws.
    pub(super) fn is_stand_in(self, place: ElementContext<'_>) -> bool {
        self == Self::LibreOffice && place.role == Role::MenuBar && place.parent_role == Some("root pane")
    }

    /// The abilities of an element at its place in the tree. The action of a cell in a tree of Qt, "Toggle", selects the row of the tree that
    /// has the number of the cell's row in its branch: another one where a branch above is open (measured on 5.15).
    pub(super) fn normalise_abilities(self, abilities: Abilities, place: ElementContext<'_>) -> Abilities {
        let is_in_tree = place.role == Role::Cell && place.parent_role == Some("tree");
        if self == Self::Qt && is_in_tree { abilities - Abilities::ACTION } else { abilities }
    }

    /// Whether every text can be edited by its abilities, whatever it is (measured on Firefox 153).
    pub(super) fn offers_to_edit_all(self) -> bool {
        self == Self::Gecko
    }

    /// The states of an element as the rest of handeye understands them, at its place in the tree.
    pub(super) fn normalise_states(self, states: States, place: ElementContext<'_>) -> States {
        let mut states = states;
        match self {
            Self::Gtk4 => {
                let showing = place.parent_showing
                    && states.intersects(States::VISIBLE | States::SHOWING)
                    && !states.contains(States::COLLAPSED);
                states.set(States::SHOWING, showing);
            }
            _ if self.says_nothing_of_showing(place.role, states, place.embedded) => {
                states.set(States::SHOWING, place.parent_showing);
            }
            _ if self.is_stand_in(place) => states.remove(States::SHOWING),
            _ if self.is_shown_page(place.role, states) => states.set(States::SHOWING, place.parent_showing),
            // A cell that is not in view, and what is in one.
            Self::Gtk3 if states.contains(States::COLLAPSED) => states.remove(States::SHOWING),
            // The current one of a bar of tabs or of a list counts as focused in Qt wherever the focus is.
            Self::Qt if !place.parent_focused && is_item(place.role) => states.remove(States::FOCUSED),
            _ => {}
        }
        states
    }
}

/// Whether an element of this role is one of the items of its parent, which takes the keyboard for them.
const fn is_item(role: Role) -> bool {
    matches!(role, Role::Tab | Role::ListItem | Role::TreeItem | Role::Row | Role::Cell)
}

#[cfg(test)]
mod tests;
