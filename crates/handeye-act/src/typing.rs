//! Text, typed on a keyboard.

use super::actor::{Action, Actor, named};
use super::confirm::{Deed, Manner, Stroke};
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::key;
use super::observation::Observation;
use super::receiver;
use super::route::{Route, SeatOf};
use super::seat::{Aimed, HeldSeat};
use super::settle::Baseline;
use super::text::{Content, MAX_TYPED, Wanted, check_length, proof, read};
use super::written::Written;
use crate::effect::Effect;
use crate::locate::{self, Located};
use crate::own_seat::Opens;
use async_trait::async_trait;
use handeye_core::{
    Button, Chord, DetailKinds, Error, ErrorCode, Invocation, Means, Modifier, NodeAction, NodeId, Permit,
    Result, SecretText, States, text,
};

/// Text to type.
pub struct Typing<'a> {
    /// The element that gets the focus first; `None` for whatever has it.
    pub target: Option<Located>,
    /// The text. Secrets that it names are put in right before the keys are pressed.
    pub text: &'a Written,
    /// Whether what is there is deleted first.
    pub clear: bool,
    /// Whose keyboard.
    pub seat: SeatOf,
}

/// The keyboard while the text is typed, and what may get it.
#[derive(Debug)]
pub struct TypingAim {
    seat: HeldSeat,
    /// The elements that may get the text, with what they held before: the likeliest first.
    candidates: Vec<(Located, Content)>,
    /// The element that got it.
    pub receiver: Option<Located>,
    /// The text with its secrets.
    filled: Option<SecretText>,
}

impl TypingAim {
    /// Where the text went, in a sentence.
    pub fn place(&self) -> String {
        self.receiver.as_ref().map_or_else(|| format!("window \"{}\"", self.seat.window.title), named)
    }
}

impl Typing<'_> {
    /// The keys that it presses.
    fn strokes(&self) -> Vec<Stroke> {
        let mut strokes = if self.clear { Stroke::clearing() } else { Vec::new() };
        strokes.extend(Stroke::typing(self.text.text()));
        strokes
    }

    /// The text as it is typed.
    fn typed<'t>(&'t self, aim: &'t TypingAim) -> &'t str {
        aim.filled.as_ref().map_or(self.text.text(), SecretText::expose)
    }

    fn wanted(&self, aim: &TypingAim) -> Wanted {
        let text = self.typed(aim).to_owned();
        if self.clear { Wanted::Whole(text) } else { Wanted::Inserted(text) }
    }
}

#[async_trait]
impl Action for Typing<'_> {
    type Aim = TypingAim;

    fn target(&self) -> Option<&Located> {
        self.target.as_ref()
    }

    fn route(&self) -> Route {
        Route::Seat(self.seat)
    }

    fn needs(&self) -> &'static [Means] {
        &[Means::Text, Means::Activation]
    }

    /// A text field takes text; a button is pressed by a space in it.
    async fn deed(&self, actor: &Actor<'_>) -> Result<Deed> {
        // What cannot be typed is refused before anything is deleted.
        check_length("text", self.text.text(), MAX_TYPED)?;
        if let Some(target) = &self.target {
            self.text.check(actor, &target.node).await?;
        }
        key::deed(actor, self.strokes(), self.target.as_ref().map(|target| target.node.id)).await
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<TypingAim> {
        let seat =
            HeldSeat::take(actor, self.seat, self.target.as_ref().map(|target| target.node.id)).await?;
        let candidates = match &self.target {
            Some(target) => {
                focus(actor, &seat, target).await?;
                let target =
                    locate::known(actor.handles(), &actor.app, target.node.id, DetailKinds::TEXT).await?;
                let content = read(actor, &target.node).await?;
                vec![(target, content)]
            }
            // Some windows (a terminal, a game) take keys without reporting a focused element.
            None => receiver::on_keyboard(actor).await?,
        };
        Ok(TypingAim { seat, candidates, receiver: None, filled: None })
    }

    /// What has the focus now: the window that came forward, or the element itself, may have given it to something else.
    async fn hit(&self, actor: &Actor<'_>, _aim: &TypingAim) -> Result<Option<Deed>> {
        let deed = match key::deed(actor, self.strokes(), None).await? {
            // Some take keys without reporting the focus (a terminal): then it is the one that was given it.
            Deed::Keys { strokes, holder: None } => {
                Deed::Keys { strokes, holder: self.target.as_ref().map(|target| target.node.id) }
            }
            known => known,
        };
        Ok(Some(deed))
    }

    fn watched(&self, aim: &TypingAim) -> (Option<NodeId>, Expected) {
        (aim.candidates.first().map(|(target, _)| target.node.id), Expected::Proof)
    }

    /// Secrets go to the element that has the focus now, and to no other one.
    async fn look(&self, actor: &Actor<'_>, aim: &mut TypingAim) -> Result<()> {
        if !self.text.names_secrets() {
            return Ok(());
        }
        let Some((likeliest, _)) = aim.candidates.first() else { return Err(unknown_receiver()) };
        let id = likeliest.node.id;
        let tree = actor.app.reread(&[id], DetailKinds::IDENTIFIER).await?;
        let Some(node) = tree.get(id).filter(|node| node.states.contains(States::FOCUSED)) else {
            return Err(unknown_receiver());
        };
        aim.filled = Some(self.text.filled(actor, node).await?);
        Ok(())
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        aim: &TypingAim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let keyboard = aim.seat.seat();
        let window = Some(aim.seat.window.id);
        let typing = async {
            if self.clear {
                let all = Chord { modifiers: vec![Modifier::Ctrl], key: "a".into() };
                keyboard.key(permit, &all, window).await?;
                keyboard.key(permit, &Chord::plain("delete"), window).await?;
            }
            keyboard.type_text(permit, self.typed(aim), window).await
        };
        let typing = async { aim.seat.kept(actor.desk, typing.await).await };
        actor.by_seat((self.seat, Opens::Nothing), permit, baseline, typing).await
    }

    async fn judge(
        &self,
        actor: &Actor<'_>,
        aim: &mut TypingAim,
        observation: &Observation,
    ) -> Result<Effect> {
        let candidates = std::mem::take(&mut aim.candidates);
        let wanted = self.wanted(aim);
        let Some((target, before)) = receiver::who_got(actor, candidates, &wanted).await? else {
            return Ok(Effect::unconfirmed(
                "no element reports that it has the focus, so nothing can be read back",
            ));
        };
        let next = text![Invocation::of("ax_screenshot"), " shows where the text went."].into();
        let effect = proof(actor, target.node.id, &before, &wanted, observation, &next).await?;
        let effect = if self.is_secret() { Written::veil(effect) } else { effect };
        aim.receiver = Some(target);
        Ok(effect)
    }

    fn is_secret(&self) -> bool {
        self.text.names_secrets()
    }

    fn revert(&self, _aim: &Self::Aim, before: Option<&ElementState>) -> Revert {
        if self.is_secret() {
            return Revert::Impossible;
        }
        if self.text.text().contains(['\n', '\r', '\t']) {
            Revert::Impossible
        } else {
            Revert::text_of(before)
        }
    }
}

fn unknown_receiver() -> Error {
    Error::new(
        ErrorCode::Blocked,
        "no element reports that it has the focus, so it is not known where the secret would go. Nothing was typed",
    )
    .with_next("Name the field that the secret is bound to.")
}

/// Gives an element the keyboard focus: by request, or by a click where the toolkit ignores the request. An agent's seat clicks: toolkits
/// activate the window of what is given the focus by request.
async fn focus(actor: &Actor<'_>, seat: &HeldSeat, target: &Located) -> Result<()> {
    let id = target.node.id;
    if seat.of() == SeatOf::Agent {
        return click_into(actor, seat, target).await;
    }
    if let Err(error) = actor.app.perform(&actor.desk.harmless(), id, &NodeAction::Focus).await {
        tracing::debug!(code = error.code.as_str(), "could not be focused by request");
    }
    let tree = actor.app.reread(&[id], DetailKinds::empty()).await?;
    if tree.get(id).is_some_and(|node| node.states.contains(States::FOCUSED)) {
        return Ok(());
    }
    click_into(actor, seat, target).await
}

async fn click_into(actor: &Actor<'_>, seat: &HeldSeat, target: &Located) -> Result<()> {
    let id = target.node.id;
    let Aimed { point, window } = seat.point_of(actor, target).await?;
    // The middle of a container may be a button of its own.
    let hit = actor.beneath(point).await?.element().unwrap_or(id);
    let deed = Deed::Press { named: id, does: hit, manner: Manner::Click };
    let grant = actor.authorize(&deed, Some(target), Route::Seat(seat.of())).await?;
    let clicking = seat.seat().click(&grant, point, Button::Left, 1, Some(window));
    let clicked = match seat.of() {
        SeatOf::User => clicking.await,
        SeatOf::Agent => actor.keeping_focus(&grant, clicking).await,
    };
    let clicked = seat.kept(actor.desk, clicked).await;
    grant.ended(&clicked).await;
    clicked
}
