//! Making the mirror true: what a look needs loaded, read again or put in order, in this order.

use super::call_error::CallError;
use super::connected::{ConnectedApplication, Finished};
use super::object::ObjectKey;
use super::true_read::Begun;
use handeye_core::{DetailKinds, NodeId, Result, Scope, Tree};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one refresh may take altogether. Single calls have shorter deadlines of their own.
const REFRESH_DEADLINE: Duration = Duration::from_secs(10);
/// How often a refresh starts over because events came while it read. After that the rest waits for the next one.
const MAX_ROUNDS: usize = 4;
/// For how long after a load nothing is doubted but what events have named: the look for which one connected comes right after it.
const FRESHNESS: Duration = Duration::from_millis(100);

impl ConnectedApplication {
    /// Makes the mirror true for `scope` once.
    pub(super) async fn look(&self, scope: Scope) -> Result<Arc<Tree>> {
        let asked = Instant::now();
        let work = async {
            let mut last = self.loading.lock().await;
            // Another caller's refresh that began after we asked has done our work too.
            if last.is_some_and(|last| last.started >= asked && last.scope == scope) {
                return Ok(());
            }
            let started = Instant::now();
            if self.is_still(scope).await {
                tracing::trace!("the application has slept since it was read");
            } else if self.shows_the_same(scope).await? {
                tracing::trace!("the application has drawn and announced nothing since it was read");
                // Rereads may have left details unknown that all elements had.
                self.read_unknown_details(scope).await?;
            } else {
                let begun = self.read(scope).await?;
                self.end_read(scope, begun).await;
            }
            *last = Some(Finished { started, scope });
            Ok(())
        };
        match tokio::time::timeout(REFRESH_DEADLINE, work).await {
            Ok(Ok(())) => Ok(self.mirror.snapshot()),
            Ok(Err(error)) => Err(self.error(error)),
            Err(_) => Err(self.error(CallError::NotResponding)),
        }
    }

    /// Makes the mirror true for the first time, for what is showing. The look for which one connects goes on with this read: whether the
    /// application has slept since is found out at the end of that.
    pub(super) async fn read_first(&self) -> Result<()> {
        let _turn = self.loading.lock().await;
        match tokio::time::timeout(REFRESH_DEADLINE, self.read(Scope::SHOWING)).await {
            Ok(read) => read.map(drop).map_err(|error| self.error(error)),
            Err(_) => Err(self.error(CallError::NotResponding)),
        }
    }

    async fn read(&self, scope: Scope) -> Result<Begun, CallError> {
        let begun = match self.fresh_load(FRESHNESS) {
            Some(begun) => begun,
            None => self.begin_read().await,
        };
        let begun = self.load_what_changed(scope, begun).await?;
        // None of these needs what another one reads.
        tokio::try_join!(self.arrange(scope, begun), self.title_windows(), self.read_scope_details(scope))?;
        self.note_filled_in(scope);
        if begun.is_thorough {
            self.stillness.note_thorough();
        }
        Ok(begun)
    }

    /// Reads elements again; see [`ConnectedApp::reread`](handeye_core::ConnectedApp::reread).
    pub(super) async fn reread_nodes(&self, nodes: &[NodeId], details: DetailKinds) -> Result<Arc<Tree>> {
        let work = async {
            let before = self.mirror.snapshot();
            self.renew_old(nodes.iter().copied()).await?;
            let elements: Vec<(ObjectKey, NodeId)> = {
                let book = self.book();
                nodes.iter().filter_map(|id| Some((book.key(*id)?.clone(), *id))).collect()
            };
            self.doubt_empty_actions(nodes);
            // What is filled in later may include what an element can do.
            let is_filling_in = self.is_filling_in();
            let (whole, known): (Vec<_>, Vec<_>) = {
                let book = self.book();
                elements.into_iter().partition(|(_, id)| is_filling_in || book.is_sketched(*id))
            };
            // What an element can do says which details it has.
            self.reread_selves(whole).await?;
            tokio::try_join!(self.glance_at(known), self.read_details_of(nodes, details, false))?;
            if is_filling_in && details.contains(DetailKinds::EXTENTS) {
                self.wait_for_places_of(nodes).await?;
            }
            if !nodes.iter().all(|id| self.is_as_in(&before, *id)) {
                self.stillness.note_doubt();
            }
            if !self.book().is_clean() {
                // A load that is on its way would put older answers over newer ones.
                let _turn = self.loading.lock().await;
                // Whether all of it will have been read is not known until the next look.
                self.stillness.note_doubt();
                let (dirty, everything) = self.book().take_dirty(&self.mirror.snapshot());
                if everything {
                    self.book().mark_everything();
                }
                if !dirty.is_empty() {
                    self.reload(dirty, false).await?;
                }
            }
            Ok(())
        };
        match tokio::time::timeout(REFRESH_DEADLINE, work).await {
            Ok(Ok(())) => Ok(self.mirror.snapshot()),
            Ok(Err(error)) => Err(self.error(error)),
            Err(_) => Err(self.error(CallError::NotResponding)),
        }
    }

    /// Has the actions of elements read again that had none: Firefox answers the first question for them with nothing.
    fn doubt_empty_actions(&self, nodes: &[NodeId]) {
        let tree = self.mirror.snapshot();
        let has_none = |id: &&NodeId| {
            tree.get(**id)
                .is_some_and(|node| node.details.actions.known().is_some_and(|actions| actions.is_empty()))
        };
        let doubtful: Vec<NodeId> = nodes.iter().filter(has_none).copied().collect();
        if doubtful.is_empty() {
            return;
        }
        drop(tree);
        self.mirror.update(|tree| {
            for id in doubtful {
                tree.update(id, |node| node.details.forget(DetailKinds::ACTIONS));
            }
        });
    }

    /// Makes structure, names and states true for `scope`, in a read that has `begun`. Returns since when they were read: an earlier read may
    /// just have loaded them.
    async fn load_what_changed(&self, scope: Scope, begun: Begun) -> Result<Begun, CallError> {
        let is_first = self.mirror.snapshot().is_empty();
        let mut just_loaded = None;
        if is_first {
            self.load_all(scope.hidden).await?;
        } else if self.is_filling_in() {
            just_loaded = self.take_load(FRESHNESS);
            let is_filled_in = self.find_filled_in().await?;
            just_loaded = just_loaded.filter(|_| is_filled_in);
            if just_loaded.is_none() {
                self.read_what_was_filled_in().await?;
            }
        } else {
            just_loaded = self.take_load(FRESHNESS);
            if just_loaded.is_none() {
                let is_hidden_part = scope.hidden && scope.root.is_some();
                if begun.is_thorough {
                    self.forget_content();
                    let hidden = scope.hidden && !is_hidden_part;
                    self.revalidate(Scope { root: None, hidden, ..scope }, true).await?;
                }
                if !begun.is_thorough || is_hidden_part {
                    self.revalidate(scope, begun.is_thorough).await?;
                }
            }
        }
        self.reload_what_is_dirty(scope).await?;
        // What unfolds may hold something else that has collapsed.
        for _ in 0..MAX_ROUNDS {
            if just_loaded.is_some() || !self.note_collapsed(scope).await? {
                break;
            }
            self.reload_what_is_dirty(scope).await?;
        }
        if scope.hidden {
            self.load_hidden(scope).await?;
        }
        self.load_visible_parts(scope).await?;
        if is_first {
            self.note_loaded(begun);
        }
        Ok(just_loaded.unwrap_or(begun))
    }

    async fn reload_what_is_dirty(&self, scope: Scope) -> Result<(), CallError> {
        for _ in 0..MAX_ROUNDS {
            let (dirty, everything) = self.book().take_dirty(&self.mirror.snapshot());
            if everything {
                self.revalidate(Scope { root: None, ..scope }, true).await?;
            }
            if dirty.is_empty() {
                break;
            }
            self.reload(dirty, scope.hidden).await?;
        }
        Ok(())
    }
}
