//! The engine: a desktop, what handeye remembers about it, and the settings, all as one caller has them.

use crate::capture::CaptureSettings;
use crate::inner_calls::InnerCalls;
use crate::memory::Memory;
use handeye_act::desk::Desk;
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::client;
use handeye_core::ocr::{NoOcr, Ocr};
use handeye_core::vision::{NoVision, Vision};
use handeye_core::{Platform, Result};
use handeye_shots::Seen;
use handeye_shots::delivery::{self, Capture, Delivered, Delivery, Destination, Housekeeping, Order, Room};
use handeye_sight::visual::{Eyes, Fallback};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A desktop, what is remembered about it, and the settings, all as one caller has them. Cheap to clone: the desktop and the memory
/// are shared, so a process can serve calls of different settings with one engine each.
#[derive(Clone)]
pub struct Engine {
    /// Whose it is.
    pub caller: Caller,
    /// The desktop session that it works on.
    pub desk: Desk,
    /// What is remembered between calls.
    pub memory: Arc<Memory>,
    /// What tidies behind the pictures of all callers.
    pub housekeeping: Arc<Housekeeping>,
    /// Where pictures are kept and how they reach a client.
    pub delivery: Delivery,
    /// How many bytes the files of all pictures of one caller may have. No call brings another limit with it.
    pub picture_room: u64,
    /// Who answers questions about pictures.
    pub vision: Arc<dyn Vision>,
    /// Who reads text in pictures on this machine.
    pub ocr: Arc<dyn Ocr>,
    /// Whether `ax_find` looks at the picture for what the tree does not have.
    pub find_fallback: Fallback,
    /// How `image` and `list` are configured.
    pub captures: CaptureSettings,
    /// How long a person may take for one question.
    pub patience: Duration,
    /// How an operation that [composes](crate::Meta::composes) others calls them; only such a one has it.
    pub inner: Option<Arc<dyn InnerCalls>>,
    /// When this process began to work on its desktop.
    pub started: Instant,
}

impl Engine {
    /// The engine of a caller for whom nothing is remembered yet, with the settings that hold by default.
    pub fn new(platform: Platform, caller: Caller) -> Self {
        Self {
            caller,
            desk: Desk::new(platform),
            memory: Arc::default(),
            housekeeping: Arc::default(),
            delivery: Delivery::default(),
            picture_room: Room::USUAL,
            vision: Arc::new(NoVision),
            ocr: Arc::new(NoOcr),
            find_fallback: Fallback::default(),
            captures: CaptureSettings::default(),
            patience: client::PATIENCE_WITH_PEOPLE,
            inner: None,
            started: Instant::now(),
        }
    }

    /// The same desktop and settings for another caller, for whom nothing is remembered yet.
    #[must_use]
    pub fn for_another_caller(&self, caller: Caller) -> Self {
        Self {
            caller,
            desk: self.desk.for_another_caller(),
            memory: Arc::new(self.memory.of_another_caller()),
            ..self.clone()
        }
    }

    /// What a search in pictures looks with.
    pub fn eyes(&self) -> Eyes<'_> {
        Eyes {
            screen: self.desk.platform.screen.as_ref(),
            vision: self.vision.as_ref(),
            ocr: self.ocr.as_ref(),
            searches: &self.memory.searches,
        }
    }

    /// Delivers a picture that was taken just now.
    ///
    /// # Errors
    /// As [`delivery::deliver`].
    pub async fn deliver(&self, call: &Call, capture: Capture, order: Order) -> Result<Delivered> {
        let windows = Seen::all(&self.desk.platform.screen.shown().await?);
        self.deliver_seen(call, capture, windows, order).await
    }

    /// The same for a picture that was taken a while ago, with what was drawn then.
    ///
    /// # Errors
    /// As [`delivery::deliver`].
    pub async fn deliver_seen(
        &self,
        call: &Call,
        capture: Capture,
        windows: Arc<[Seen]>,
        order: Order,
    ) -> Result<Delivered> {
        let room = Room { holdings: Arc::clone(&self.memory.holdings), bytes: self.picture_room };
        let kept = (&self.memory.shots, self.housekeeping.as_ref(), room);
        let settings = self.delivery.clone();
        if order.destination == Destination::Nowhere {
            return delivery::deliver(None, settings, kept, capture, windows, order).await;
        }
        let grant = self.desk.may_write_pictures(call).await?;
        let delivered = delivery::deliver(Some(&grant), settings, kept, capture, windows, order).await;
        match &delivered {
            // A file that could not be written is no error of the picture.
            Ok(Delivered { saved: Some(Err(error)), .. }) => grant.ended::<()>(&Err(error.clone())).await,
            other => grant.ended(other).await,
        }
        delivered
    }
}
