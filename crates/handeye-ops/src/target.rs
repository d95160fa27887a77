//! The element that an action is about.

use crate::element;
use crate::find_visual::{self, FindVisual};
use handeye_act::Actor;
use handeye_act::healing;
use handeye_act::locate::{self, Located};
use handeye_call::client::{FieldKind, Form};
use handeye_core::{DetailKinds, Error, ErrorCode, Result};
use handeye_engine::{Engine, Operation};
use handeye_sight::visual::{self, Effort, SearchIn};
use handeye_tree::describe::quote;

/// What an action needs to know about its target.
const DETAILS: DetailKinds =
    DetailKinds::EXTENTS.union(DetailKinds::VALUE).union(DetailKinds::TEXT).union(DetailKinds::ACTIONS);
/// Longest description of an element, in characters.
const MAX_DESCRIPTION: u32 = 200;
/// The field of a form that asks whether to look for it in the picture too.
const BY_SIGHT: &str = "use_visual";

/// Finds the element that the action is about and reads it again.
///
/// # Errors
/// As [`locate::one`]; [`ErrorCode::ElementAmbiguous`] if different elements match equally well.
pub(super) async fn target(engine: &Engine, actor: &Actor<'_>, query: &str) -> Result<Located> {
    let mut target = locate_or_ask(engine, actor, query, DETAILS).await?;
    target.check_unambiguous(query)?;
    if !actor.call.reader.remembered {
        // A reference ends with the process; the next command has to find the element by its query again.
        query.clone_into(&mut target.handle);
    }
    Ok(target)
}

/// The element of an action. If nothing comes near what it is called, the person may describe it in other words, once.
///
/// # Errors
/// As [`locate::one`]; [`ErrorCode::Declined`] if the person does not want to.
async fn locate_or_ask(
    engine: &Engine,
    actor: &Actor<'_>,
    query: &str,
    details: DetailKinds,
) -> Result<Located> {
    let missed = match healing::one(actor.handles(), &actor.app, query, details).await {
        // Where something comes near, the caller can help itself.
        Err(error) if error.code == ErrorCode::ElementNotFound && error.found.is_empty() => error,
        other => return other,
    };
    if !actor.call.client.capabilities().form {
        return Err(missed);
    }
    let app = &actor.app.application().name;
    let message =
        format!("Could not find '{}' in {}. Can you describe it differently?", quote(query), quote(app));
    let kind = FieldKind::Text { max_length: MAX_DESCRIPTION };
    let mut form = Form::new(message).required("description", "Alternative description", kind);
    if actor.call.reader.offered_sight && actor.call.offered.has(FindVisual::META.tool) {
        form = form.optional(BY_SIGHT, "Try AI vision search?", FieldKind::YesNo { default: true });
    }
    let fields = actor.call.fill_in("description", "", form).await?;
    let description = fields.text("description").unwrap_or_default();
    let found = match locate::one(actor.handles(), &actor.app, description, details).await {
        Err(error) if error.code == ErrorCode::ElementNotFound && fields.is_yes(BY_SIGHT) => {
            by_sight(engine, actor, description, details, error).await?
        }
        other => other?,
    };
    actor.call.trail.note(format!("Found by the person's description '{}'.", quote(description)));
    Ok(found)
}

/// The element that is seen where the application's topmost window shows what is described; `missed` says that the tree has none.
async fn by_sight(
    engine: &Engine,
    actor: &Actor<'_>,
    description: &str,
    details: DetailKinds,
    missed: Error,
) -> Result<Located> {
    let windows = actor.desk.windows_of(actor.app.application()).await?;
    let Some(window) = windows.into_iter().find(|window| !window.minimized) else { return Err(missed) };
    actor.call.grace.grant(visual::TIME);
    let sought =
        visual::search(engine.eyes(), actor.call, description, SearchIn::Window(window), Effort::WHOLE)
            .await?;
    let Some(hit) = &sought.hit else {
        return Err(missed.with_found(sought.failures()));
    };
    if !hit.others.is_empty() {
        return Err(find_visual::several(&sought.picture, hit));
    }
    let element =
        element::under(engine, actor.handles(), &actor.app, &sought.picture, hit.area, details).await?;
    element.ok_or_else(|| find_visual::without_element(engine, &sought.picture, hit))
}
