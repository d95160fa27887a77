//! The question to the person.

use crate::confirm::{Assessment, Confirm, Deed, Reason, Risk, assess, combo_box_of};

use crate::desk::Desk;
use crate::elevation::Prompt;
use handeye_call::call::Call;
use handeye_call::client::{CONFIRM, FieldKind, Form, PROCEED};
use handeye_core::{
    ConnectedApp, DetailKinds, Error, ErrorCode, Owner, Result, Rule, Scope, SecurityMode, SettingName, Text,
    Tree, text,
};
use handeye_tree::describe::quote;
use std::sync::Arc;

/// Who has to be asked before something is done.
#[derive(Debug, Clone)]
pub(crate) struct Demands {
    /// Whether a person is asked about what is risky, or about what is doubtful too.
    confirm: Confirm,
    /// Whether what a person has to be asked about is left undone where none can be asked.
    needs_a_yes: bool,
    /// The rule by which a person is asked about everything.
    ask_first: Option<Rule>,
    /// The prompt for the rights of an administrator that it is done in.
    elevation: Option<Prompt>,
}

impl Demands {
    /// What a setting, a mode, a rule and a prompt for rights demand together: the most that any of them does.
    pub(crate) fn of(
        confirm: Confirm,
        mode: SecurityMode,
        ask_first: Option<Rule>,
        elevation: Option<Prompt>,
    ) -> Self {
        let confirm = match (mode, confirm) {
            (SecurityMode::Safe | SecurityMode::Sandboxed, Confirm::Never) => Confirm::Auto,
            (_, confirm) => confirm,
        };
        let needs_a_yes = confirm == Confirm::Always || mode >= SecurityMode::Safe || ask_first.is_some();
        // Who wants to be asked about nothing is not asked about this either.
        let elevation = elevation.filter(|_| confirm != Confirm::Never || ask_first.is_some());
        Self { confirm, needs_a_yes, ask_first, elevation }
    }

    /// Whether nobody has to be asked about this, whatever it hits.
    fn pass(&self, deed: &Deed) -> bool {
        self.ask_first.is_none()
            && self.elevation.is_none()
            && (self.confirm == Confirm::Never || matches!(deed, Deed::Hover { .. } | Deed::Harmless))
    }

    /// Where a yes is needed, why, as the end of a sentence.
    fn why(&self, mode: SecurityMode) -> Text {
        match &self.ask_first {
            Some(rule) => text![format!("{rule} requires one.")],
            None if mode >= SecurityMode::Safe => text![format!("the mode {mode} requires one.")],
            None if self.elevation.is_some() && self.confirm != Confirm::Always => {
                text!["a prompt for administrator rights requires one."]
            }
            None => {
                text![SettingName::of("confirm").at("always").with_variable(), " requires one."]
            }
        }
    }
}

/// Asks before something is done, where that is needed. Only the guard calls it.
///
/// # Errors
/// [`ErrorCode::Declined`] if the person declines, or has declined another question of this call; [`ErrorCode::Blocked`] if it has to be asked
/// and cannot be.
pub(crate) async fn before(
    desk: &Desk,
    call: &Call,
    app: Option<&Arc<dyn ConnectedApp>>,
    deed: &Deed,
    demands: &Demands,
) -> Result<()> {
    let refused = call.client.has_refused();
    match asked_about(desk, call, app, deed, demands).await {
        // The no was to what was there when it was asked about. What is there now may be called otherwise, or need no question.
        Err(error) if refused && error.code == ErrorCode::InputRequired => Err(changed()),
        Ok(()) if refused => Err(changed()),
        decided => decided,
    }
}

fn changed() -> Error {
    Error::new(
        ErrorCode::Declined,
        "the person declined, and what was asked about has changed since: nothing was done",
    )
    .with_next("Do not try another way to do the same; ask the person what to do instead.")
}

async fn asked_about(
    desk: &Desk,
    call: &Call,
    app: Option<&Arc<dyn ConnectedApp>>,
    deed: &Deed,
    demands: &Demands,
) -> Result<()> {
    if demands.pass(deed) {
        return Ok(());
    }
    let Some((tree, risk)) = found(app, deed, demands).await? else { return Ok(()) };
    let node = risk.hit.and_then(|hit| tree.get(hit));
    let owner = node.and_then(|node| node.owner.clone());
    let reference = match (app, node, deed) {
        // One question for each thing that is done in a prompt, whatever has the focus there by then.
        _ if risk.reason == Reason::Elevation => format!("administrator: {}", risk.deed),
        (_, _, Deed::Blind { place, .. }) => place.clone(),
        (Some(app), Some(node), _) => {
            let application = handeye_core::application_id(app.as_ref());
            desk.own
                .references
                .mint(&application, &tree, node.id)
                .map_or_else(String::new, |id| id.to_string())
        }
        (_, _, Deed::Drag { place, .. }) => place.clone(),
        _ => "keys".to_owned(),
    };
    ask(desk, call, &Hit { app, owner, reference }, &risk, demands).await
}

/// What a person has to be asked about, and the application as it was judged; `None` if nobody has to be.
async fn found(
    app: Option<&Arc<dyn ConnectedApp>>,
    deed: &Deed,
    demands: &Demands,
) -> Result<Option<(Arc<Tree>, Risk)>> {
    let tree = match app {
        Some(app) => tree_of(app, deed).await?,
        None => Arc::default(),
    };
    if let Some(prompt) = &demands.elevation {
        let risk = Risk::elevation(deed.in_words(&tree), prompt.text.clone(), deed.hit());
        return Ok(Some((tree, risk)));
    }
    Ok(match (assess(&tree, deed), demands.confirm) {
        (Assessment::Risky(risk), _) | (Assessment::Doubtful(risk), Confirm::Always) => Some((tree, risk)),
        (Assessment::Doubtful(risk), _) if demands.ask_first.is_some() => Some((tree, risk)),
        (Assessment::Harmless, _) if demands.ask_first.is_some() => {
            let risk = Risk::ask_first(deed.in_words(&tree));
            Some((tree, risk))
        }
        (Assessment::Doubtful(_) | Assessment::Harmless, _) => None,
    })
}

/// The application as it is now, as far as the judgement depends on that.
async fn tree_of(app: &Arc<dyn ConnectedApp>, deed: &Deed) -> Result<Arc<Tree>> {
    let tree = app.mirror().snapshot();
    let hit = deed.hit().filter(|_| !matches!(deed, Deed::Drag { .. }));
    // The element was read again when it was found; the text of its dialog was not.
    let in_dialog = hit.is_some_and(|hit| tree.ancestors(hit).any(|above| above.role.is_window()));
    let tree = if in_dialog { app.refresh(Scope::SHOWING).await? } else { tree };
    match combo_box_of(&tree, deed) {
        Some(closed) => {
            app.refresh(Scope { root: Some(closed), hidden: true, details: DetailKinds::empty() }).await
        }
        None => Ok(tree),
    }
}

/// What will be hit.
struct Hit<'a> {
    app: Option<&'a Arc<dyn ConnectedApp>>,
    /// The process that shows it there, where that is not the application's own.
    owner: Option<Arc<Owner>>,
    /// Its reference, or where it is: a yes is for this one.
    reference: String,
}

async fn ask(desk: &Desk, call: &Call, hit: &Hit<'_>, risk: &Risk, demands: &Demands) -> Result<()> {
    call.trail.flag(risk.reason.flag());
    let name = hit.app.map(|app| app.application().name.clone());
    let mut place = name.as_ref().map(|name| format!(" in {}", quote(name))).unwrap_or_default();
    if let Some(owner) = &hit.owner {
        // What is hit is its owner's, whatever the window around it is called.
        place = format!(" of {owner}, shown{place}");
    }
    let capabilities = call.client.capabilities();
    let is_needed = demands.needs_a_yes || demands.elevation.is_some();
    if is_needed && (!capabilities.form || capabilities.unproven) {
        let why = demands.why(desk.guard.trust().mode());
        return Err(blocked(risk, &place, call.client.without_yes(), why));
    }
    if !capabilities.form {
        call.trail
            .note(format!("Nobody could be asked before this: it may be irreversible ({}).", risk.deed));
        return Ok(());
    }
    let mut message = format!("This will {}{place}. ", risk.deed);
    match (&risk.dialog, risk.reason) {
        (prompt, Reason::Elevation) => {
            message.push_str("It asks for administrator rights.");
            if let Some(text) = prompt {
                message.push_str(&format!(" It says: “{}”", quote_long(text)));
            }
        }
        (Some(dialog_text), _) => {
            message.push_str(&format!("The dialog says: “{}” ", quote_long(dialog_text)));
            message.push_str("This action may be irreversible.");
        }
        (None, Reason::Unseen) => message.push_str("What is there is unknown."),
        (None, Reason::AskFirst) => message.push_str("You want to be asked before anything is done there."),
        (None, _) => message.push_str("This action may be irreversible."),
    }
    let (field, title) = match risk.reason {
        Reason::Elevation => (PROCEED, "Proceed with admin prompt?"),
        _ => (CONFIRM, "Confirm destructive action"),
    };
    let form = Form::new(message).required(field, title, FieldKind::YesNo { default: false });
    let process = match &hit.owner {
        Some(owner) => owner.pid().unwrap_or_default(),
        None => hit.app.and_then(|app| app.application().pid()).unwrap_or_default(),
    };
    let about = format!("{process} {} {}", hit.reference, risk.dialog.as_deref().unwrap_or_default());
    let answered = call.fill_in(&format!("confirm_{}", hit.reference), &about, form).await;
    let agreed = match &answered {
        Ok(fields) => Some(fields.is_yes(field)),
        Err(error) if error.code == ErrorCode::Declined => Some(false),
        Err(_) => None,
    };
    if let Some(agreed) = agreed {
        call.trail.confirmed(agreed);
    }
    match answered {
        Ok(_) if agreed == Some(true) => Ok(()),
        Ok(_) => Err(Error::new(
            ErrorCode::Declined,
            format!("it was not confirmed that this will {}{place}: nothing was done", risk.deed),
        )
        .with_next("Do not try another way to do the same; ask the person what to do instead.")),
        Err(error) => Err(error),
    }
}

fn blocked(risk: &Risk, place: &str, why: &str, demanded: Text) -> Error {
    Error::new(
        ErrorCode::Blocked,
        format!("this would {}{place}, which needs a person's yes: nothing was done", risk.deed),
    )
    .with_next(text![format!("{why}, and "), demanded, " Only the operator of handeye can change that."])
}

/// What a dialog says, on one line and not too long.
fn quote_long(text: &str) -> String {
    const LONGEST: usize = 300;
    handeye_core::screen_text::line(text, LONGEST)
}
