//! Forms that ask for a name and a password.

use crate::facts::{Facts, ids};
use crate::pattern::{Detection, Pattern};
use handeye_core::{Node, NodeId, Role, States, Tree};
use handeye_words::consequences::is_mute;
use handeye_words::interface;
use std::sync::Arc;

/// Most elements around a password that are looked at.
const AROUND: usize = 300;
/// How many levels up the form around a password may begin.
const LEVELS: usize = 12;

/// A form with exactly one password: a second one is there to repeat a new one.
pub(crate) fn login_form(facts: &Facts<'_>) -> Option<Detection> {
    let [password] = facts.passwords.as_slice() else { return None };
    if interface::is_title_of_settings(&facts.window.name) {
        return None;
    }
    let form = Form::around(facts.tree, password, facts.window.id)?;
    let signs_in = form.buttons.iter().find(|button| interface::signs_in(button.label()));
    let is_sign_in = signs_in.is_some() || interface::is_title_of_sign_in(&facts.window.name);
    let others = form.toggles + form.choices;
    let is_small = form.fields.len() <= 1 && others <= 2;
    // In a window of many settings, one of them may be a password.
    let rest = facts.controls().saturating_sub(form.fields.len() + form.toggles + form.choices);
    let stands_alone = facts.page.is_some() || rest <= 2;
    let is_login = (is_sign_in && form.fields.len() <= 3 && others <= 4) || (is_small && stands_alone);
    is_login.then(|| {
        let button = signs_in.or_else(|| form.accepting()).map(|button| button.id);
        let basis = std::iter::once(password.id).chain(ids(&form.fields)).chain(button);
        Detection::new(Pattern::LoginForm, basis)
    })
}

/// The smallest part of a window around a password that has a button with words too.
struct Form<'a> {
    buttons: Vec<&'a Arc<Node>>,
    fields: Vec<&'a Arc<Node>>,
    toggles: usize,
    choices: usize,
}

impl<'a> Form<'a> {
    fn around(tree: &'a Tree, password: &Node, window: NodeId) -> Option<Self> {
        let mut ancestors = tree.ancestors(password.id).take(LEVELS);
        let mut found = None;
        for around in &mut ancestors {
            let form = Self::of(tree, around.id);
            let is_enough = !form.buttons.is_empty();
            found = Some(form);
            if is_enough || around.id == window || around.native_role.starts_with("document") {
                break;
            }
        }
        found.filter(|form| !form.buttons.is_empty() || !form.fields.is_empty())
    }

    fn of(tree: &'a Tree, root: NodeId) -> Self {
        let mut form = Self { buttons: Vec::new(), fields: Vec::new(), toggles: 0, choices: 0 };
        for node in tree.descendants(root).take(AROUND).filter(|node| node.is_showing()) {
            match node.role {
                Role::Button if !is_mute(node.label()) => form.buttons.push(node),
                Role::TextBox if node.states.contains(States::PROTECTED) => {}
                Role::TextBox if &*node.native_role != "password text" => form.fields.push(node),
                Role::CheckBox | Role::Switch | Role::RadioButton => form.toggles += 1,
                Role::ComboBox | Role::Slider | Role::SpinButton => form.choices += 1,
                _ => {}
            }
        }
        form
    }

    /// The button that Return presses, or the last one.
    fn accepting(&self) -> Option<&&'a Arc<Node>> {
        let is_default = |button: &&&Arc<Node>| button.states.contains(States::DEFAULT);
        self.buttons.iter().find(is_default).or_else(|| self.buttons.last())
    }
}
