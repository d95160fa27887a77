//! Dialogs that have to be answered before their window takes any input.
//!
//! A press into such a window does nothing, and Qt makes the dialog the active window for it, in which the user's next key would land.

use handeye_core::{Error, ErrorCode, Invocation, Result, Window, WindowId, text};
use handeye_tree::describe::quote;

/// Most windows that own each other.
const MOST_OWNERS: usize = 16;

/// Makes sure that no modal dialog of the same process is in front of a window.
///
/// # Errors
/// [`ErrorCode::Refused`] with the dialog.
pub(super) fn check_open(window: WindowId, windows: &[Window]) -> Result<()> {
    let Some(window) = windows.iter().find(|known| known.id == window) else { return Ok(()) };
    let Some(dialog) = windows.iter().find(|dialog| blocks(dialog, window, windows)) else { return Ok(()) };
    let why = format!(
        "window \"{}\" takes no input until its dialog \"{}\" is answered",
        quote(&window.title),
        quote(&dialog.title)
    );
    let app = dialog.pid.map(|pid| pid.to_string());
    let look = Invocation::of("ax_get_tree").with_some("app", app.as_deref());
    Err(Error::new(ErrorCode::Refused, why)
        .with_next(text![look, " shows the dialog, with what answers it."]))
}

/// Whether a window is a modal dialog for `blocked`, directly or for a dialog of it. One that nothing owns is one for all windows of its
/// process, but for its own dialogs.
fn blocks(dialog: &Window, blocked: &Window, windows: &[Window]) -> bool {
    let is_own = dialog.id != blocked.id && dialog.pid.is_some() && dialog.pid == blocked.pid;
    if !is_own || !dialog.modal || dialog.minimized {
        return false;
    }
    if owners(dialog, windows).next().is_none() {
        return owners(blocked, windows).all(|owner| owner.id != dialog.id);
    }
    owners(dialog, windows).any(|owner| owner.id == blocked.id)
}

/// The windows that own a window, from the nearest on.
fn owners<'a>(window: &'a Window, windows: &'a [Window]) -> impl Iterator<Item = &'a Window> {
    let owner_of = move |window: &Window| windows.iter().find(|owner| Some(owner.id) == window.transient_for);
    std::iter::successors(owner_of(window), move |window| owner_of(window)).take(MOST_OWNERS)
}

#[cfg(test)]
mod tests {
    use super::blocks;
    use handeye_core::{Window, WindowId};

    fn window(number: u64, modal: bool, owner: Option<u64>) -> Window {
        Window {
            id: WindowId::issued(number),
            title: String::new(),
            class: None,
            pid: Some(7),
            place: None,
            stacking: None,
            minimized: false,
            active: false,
            modal,
            transient_for: owner.map(WindowId::issued),
        }
    }

    #[test]
    fn a_modal_dialog_blocks_those_that_own_it() {
        let (main, settings, question) =
            (window(1, false, None), window(2, false, Some(1)), window(3, true, Some(2)));
        let other = window(4, false, None);
        let all = [main.clone(), settings.clone(), question.clone(), other.clone()];
        assert!(blocks(&question, &main, &all) && blocks(&question, &settings, &all));
        assert!(!blocks(&question, &question, &all) && !blocks(&question, &other, &all));
        assert!(!blocks(&settings, &main, &all));
        let of_another = Window { pid: Some(8), ..question };
        assert!(!blocks(&of_another, &main, &all));
    }

    #[test]
    fn a_modal_dialog_without_an_owner_blocks_all_but_its_own() {
        let (main, question, help) =
            (window(1, false, None), window(2, true, Some(99)), window(3, false, Some(2)));
        let all = [main.clone(), question.clone(), help.clone()];
        assert!(blocks(&question, &main, &all) && !blocks(&question, &help, &all));
    }

    #[test]
    fn owners_in_a_circle_end() {
        let (one, two) = (window(1, true, Some(2)), window(2, false, Some(1)));
        let all = [one.clone(), two.clone()];
        assert!(blocks(&one, &two, &all) && !blocks(&one, &window(3, false, None), &all));
    }
}
