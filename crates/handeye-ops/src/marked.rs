//! Which elements are marked: what can be acted on and is in sight.

mod sight;

use futures_util::future::join_all;
use handeye_core::application_id;
use handeye_core::{
    Abilities, ConnectedApp, DetailKinds, Error, ErrorCode, Extents, Frame, InWindow, Invocation, Node,
    NodeId, Rect, Result, Role, Scope, States, Support, Text, Tree, Units, Window, WindowId, text,
};
use handeye_engine::Engine;
use handeye_shots::Subject;
use handeye_shots::marks::Mark;
use handeye_tree::outline;
pub(crate) use sight::inside_containers;
use sight::{uncovered, worth};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Most marks on one picture: more of them cover it, and their list fills a model's context.
const MAX_MARKS: usize = 150;
/// Most applications that are asked.
const MAX_APPS: usize = 24;
/// How long one application may take to report where its elements are. A hung one costs its own marks only.
const PATIENCE: Duration = Duration::from_secs(4);
/// From which share of a common area on two elements, one in the other, are one thing to a person.
const SAME: f64 = 0.8;

/// The marks of a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marked {
    /// The applications that the picture shows, from the topmost down, as a call names them, with their marks in document order.
    pub groups: Vec<(String, Vec<Mark>)>,
    /// How many elements could not be marked because there are too many.
    pub left_out: usize,
    /// One sentence for each application that did not answer.
    pub silent: Vec<String>,
}

impl Marked {
    /// All marks, to be drawn.
    pub fn marks(&self) -> Vec<Mark> {
        self.groups.iter().flat_map(|(_, marks)| marks).cloned().collect()
    }

    /// Leaves out what this picture does not show, where only its pixels say how much of its window it shows.
    pub fn keep_shown_by(&mut self, frame: &Frame) {
        if frame.place().is_some() {
            return;
        }
        for (_, marks) in &mut self.groups {
            marks.retain(|mark| frame.pixels_of(mark.area).is_some());
        }
        self.groups.retain(|(_, marks)| !marks.is_empty());
    }

    /// The list beside the picture: one line a mark, by application.
    pub fn list(&self) -> Text {
        let count: usize = self.groups.iter().map(|(_, marks)| marks.len()).sum();
        let mut text = match count {
            0 => Text::from("Nothing in it can be marked."),
            _ => Text::from(format!("Marks: {count}. Use one as query, with its app:")),
        };
        for (app, marks) in &self.groups {
            text.push_str(&format!("\n{app}:"));
            for mark in marks {
                text.push_str(&format!("\n{} {}", mark.reference, mark.line));
            }
        }
        if self.left_out > 0 {
            text.push(text![
                format!("\n{} more are not marked ({MAX_MARKS} at most): ", self.left_out),
                Invocation::of("ax_get_tree"),
                " lists them, a smaller region marks fewer."
            ]);
        }
        for silent in &self.silent {
            text.push_str(&format!("\n{silent}"));
        }
        text
    }
}

/// Finds what to mark on a picture of `subject` that shows `area` of the screen. Where that is not known, the marks of a window are in
/// its own space, whether the picture shows all of it or not, and the screen has none.
pub async fn collect(engine: &Engine, subject: Subject, area: Option<Rect>) -> Result<Marked> {
    let area = match (area, subject) {
        (Some(area), _) => area,
        (None, Subject::Window(window)) => return in_window(engine, window).await,
        (None, Subject::Screen) => return unplaced(engine).await,
    };
    let shown = engine.desk.platform.screen.shown().await?;
    let managed: HashSet<WindowId> =
        engine.desk.platform.screen.windows().await?.iter().map(|window| window.id).collect();
    let in_picture = |window: &&Window| match subject {
        Subject::Window(id) => window.id == id,
        Subject::Screen => window.frame().is_some_and(|frame| frame.intersection(&area).is_some()),
    };
    let mut processes: Vec<u32> = Vec::new();
    for process in shown.iter().filter(in_picture).filter_map(|window| window.pid) {
        if !processes.contains(&process) && processes.len() < MAX_APPS {
            processes.push(process);
        }
    }
    let (readable, silent) = readings(engine, processes).await;
    let scene = Scene { shown: &shown, managed: &managed, subject, area };
    let found = readable.iter().enumerate().flat_map(|(app, reading)| {
        candidates(app, reading, |node| scene.in_sight(reading, node).map(Extents::OnScreen))
    });
    Ok(chosen(engine, &readable, found.collect(), silent))
}

/// Finds what to mark on a picture of a window whose place is not known, by the places of elements in it.
async fn in_window(engine: &Engine, window: WindowId) -> Result<Marked> {
    let shown = engine.desk.platform.screen.shown().await?;
    let process = shown.iter().find(|shown| shown.id == window).and_then(|window| window.pid);
    let (readable, silent) = readings(engine, process.into_iter().collect()).await;
    let place = |node: &Node| InWindow::of(*node.details.extents.known()?, None);
    let in_sight = |reading: &Reading, node: &Node| {
        let top = reading.tree.window_of(node.id)?;
        let is_home = reading.windows.get(&top.id).is_some_and(|home| home.id == window);
        // What an open menu shows is in a window of its own, which is not in the picture.
        let in_menu = reading.tree.ancestors(node.id).any(|above| above.role == Role::Menu);
        if !is_home || in_menu {
            return None;
        }
        inside_containers(&reading.tree, node.id, place).and_then(worth).map(Extents::InWindow)
    };
    let is_placed = readable.iter().any(|reading| reading.tree.nodes().any(|node| place(node).is_some()));
    if !is_placed && silent.is_empty() {
        return unplaced(engine).await;
    }
    let found = readable
        .iter()
        .enumerate()
        .flat_map(|(app, reading)| candidates(app, reading, |node| in_sight(reading, node)));
    Ok(chosen(engine, &readable, found.collect(), silent))
}

/// These processes as they are now, and a sentence for each that does not answer.
async fn readings(engine: &Engine, processes: Vec<u32>) -> (Vec<Reading>, Vec<String>) {
    let readings = join_all(processes.into_iter().map(|process| async move {
        timeout(PATIENCE, Reading::take(engine, process)).await.unwrap_or_else(|_| {
            Err(Error::new(ErrorCode::AppNotResponding, format!("process {process} does not answer")))
        })
    }))
    .await;
    let (mut readable, mut silent) = (Vec::new(), Vec::new());
    for reading in readings {
        match reading {
            Ok(reading) => readable.push(reading),
            // Panels and the window manager's own windows are not applications.
            Err(error) if error.code == ErrorCode::AppNotFound => {}
            Err(error) => silent.push(format!("No marks: {}.", error.message)),
        }
    }
    (readable, silent)
}

/// The marks of as many of the elements that were found as fit on a picture.
fn chosen(engine: &Engine, readable: &[Reading], mut found: Vec<Candidate>, silent: Vec<String>) -> Marked {
    let mut marked = Marked { silent, ..Marked::default() };
    found.sort_by_key(|candidate| (candidate.rank, candidate.app, candidate.place));
    marked.left_out = limit(&mut found);
    found.sort_by_key(|candidate| (candidate.app, candidate.place));
    for (app, reading) in readable.iter().enumerate() {
        let own = found.iter().filter(|candidate| candidate.app == app);
        let marks = reading.minted(engine, own);
        if !marks.is_empty() {
            marked.groups.push((reading.name(), marks));
        }
    }
    marked
}

/// No marks, and why.
async fn unplaced(engine: &Engine) -> Result<Marked> {
    let known = engine.desk.platform.screen.capabilities().await?;
    let why = match known.places {
        Support::No(missing) => missing.reason,
        Support::Yes => "the place of the window is not known".into(),
    };
    Ok(Marked { silent: vec![format!("No marks: {why}.")], ..Marked::default() })
}

/// Cuts the candidates, which are sorted by rank, to [`MAX_MARKS`]; returns how many went. Cells stay or go together: the
/// first rows of a spreadsheet do not help, and all of its cells have names.
fn limit(found: &mut Vec<Candidate>) -> usize {
    let all = found.len();
    if all > MAX_MARKS {
        found.retain(|candidate| candidate.rank < CELL_RANK);
        found.truncate(MAX_MARKS);
    }
    all - found.len()
}

/// One application as it is now.
struct Reading {
    app: Arc<dyn ConnectedApp>,
    tree: Arc<Tree>,
    /// The display server's windows of the windows of the tree.
    windows: HashMap<NodeId, Window>,
}

impl Reading {
    async fn take(engine: &Engine, process: u32) -> Result<Self> {
        let app = engine.desk.connect(&process.to_string()).await?;
        let tree = app.refresh(Scope { details: DetailKinds::EXTENTS, ..Scope::SHOWING }).await?;
        let mut windows = HashMap::new();
        for node in tree.windows() {
            if let Some(window) = app.window_of(node.id).await? {
                windows.insert(node.id, window);
            }
        }
        Ok(Self { app, tree, windows })
    }

    /// Where an element is on the screen, as far as that is known.
    fn on_screen(&self, node: &Node) -> Option<Rect> {
        let window = self.tree.window_of(node.id).and_then(|window| self.windows.get(&window.id));
        node.details.extents.known()?.on_screen(window.and_then(|window| window.place))
    }

    fn name(&self) -> String {
        let application = self.app.application();
        match application.pid() {
            Some(pid) => format!("{} (pid {pid})", application.name),
            None => application.name.clone(),
        }
    }

    fn minted<'a>(&self, engine: &Engine, candidates: impl Iterator<Item = &'a Candidate>) -> Vec<Mark> {
        let id = application_id(self.app.as_ref());
        let minter = engine.desk.own.references.minter(&id, &self.tree);
        candidates
            .filter_map(|candidate| {
                Some(Mark {
                    reference: minter.mint(candidate.node.id)?.to_string(),
                    line: outline::line(&candidate.node, None).into(),
                    area: candidate.area,
                })
            })
            .collect()
    }
}

/// An element that may be marked.
struct Candidate {
    app: usize,
    /// Its place in document order.
    place: usize,
    /// What is left out first if there are too many: the higher.
    rank: u8,
    node: Arc<Node>,
    area: Extents,
}

/// What the picture shows.
struct Scene<'a> {
    shown: &'a [Window],
    managed: &'a HashSet<WindowId>,
    subject: Subject,
    area: Rect,
}

/// The elements of one application that can be acted on and are `in_sight`, in document order.
fn candidates(app: usize, reading: &Reading, in_sight: impl Fn(&Node) -> Option<Extents>) -> Vec<Candidate> {
    let tree = &reading.tree;
    let Some(root) = tree.root() else { return Vec::new() };
    let mut found: Vec<Candidate> = Vec::new();
    let mut places: HashMap<NodeId, usize> = HashMap::new();
    for (place, node) in tree.descendants(root).enumerate() {
        if !node.is_showing() || !can_be_acted_on(tree, node) {
            continue;
        }
        let Some(area) = in_sight(node) else { continue };
        let above = tree.ancestors(node.id).find_map(|above| places.get(&above.id).copied());
        if let Some(above) = above.filter(|above| is_same(&found[*above].area, &area)) {
            // A button that fills its list item: the one that does something when it is clicked.
            if has_means(node) && !has_means(&found[above].node) {
                found[above].node = Arc::clone(node);
            }
            places.insert(node.id, above);
            continue;
        }
        places.insert(node.id, found.len());
        found.push(Candidate { app, place, rank: rank(node.role), node: Arc::clone(node), area });
    }
    found
}

impl Scene<'_> {
    /// The part of an element that the picture shows.
    fn in_sight(&self, reading: &Reading, node: &Node) -> Option<Rect> {
        let place = |node: &Node| reading.on_screen(node);
        let part = inside_containers(&reading.tree, node.id, place)?.intersection(&self.area)?;
        let home = self.home(reading, node, &part)?;
        let part = part.intersection(&home.frame()?)?;
        match self.subject {
            // A window is pictured as if nothing covered it.
            Subject::Window(id) => (home.id == id).then_some(part),
            Subject::Screen => {
                let above = self.shown.iter().take_while(|window| window.id != home.id);
                uncovered(part, above.filter_map(Window::frame))
            }
        }
    }

    /// The window on the screen that shows an element.
    fn home(&self, reading: &Reading, node: &Node, part: &Rect) -> Option<&Window> {
        let window = reading.tree.window_of(node.id)?;
        let mut popups = self.shown.iter().filter(|shown| {
            !self.managed.contains(&shown.id) && shown.pid == reading.app.application().pid()
        });
        let in_menu = reading.tree.ancestors(node.id).any(|above| above.role == Role::Menu);
        let extents = reading.on_screen(window);
        let popup = popups.find(|popup| {
            popup.content().is_some_and(|content| {
                content.intersection(part) == Some(*part) && (in_menu || extents == Some(content))
            })
        });
        let known = reading.windows.get(&window.id).map(|window| window.id);
        popup.or_else(|| self.shown.iter().find(|shown| Some(shown.id) == known))
    }
}

/// Whether a person would act on it. Scroll bars are left out: `ax_scroll` takes what they scroll.
fn can_be_acted_on(tree: &Tree, node: &Node) -> bool {
    match node.role {
        Role::ScrollBar => false,
        // Pages have items and cells that only hold text, which offer actions nevertheless.
        Role::ListItem | Role::TreeItem | Role::Cell | Role::ColumnHeader => {
            node.states.intersects(States::SELECTABLE | States::FOCUSABLE)
        }
        // A menu that is an entry of another one, or of the menu bar.
        Role::Menu => {
            let parent = node.parent.and_then(|parent| tree.get(parent));
            parent.is_some_and(|parent| matches!(parent.role, Role::MenuBar | Role::Menu))
        }
        Role::Slider => node.states.contains(States::ENABLED),
        role => role.is_interactive() && !node.is_greyed_out(),
    }
}

/// Whether it does something of its own.
fn has_means(node: &Node) -> bool {
    node.abilities.contains(Abilities::ACTION) || node.states.contains(States::SELECTABLE)
}

/// The rank of cells.
const CELL_RANK: u8 = 2;

/// What is left out first if there are too many: cells, then items and links, then all else.
const fn rank(role: Role) -> u8 {
    match role {
        Role::Cell | Role::ColumnHeader => CELL_RANK,
        Role::ListItem | Role::TreeItem | Role::Link => 1,
        _ => 0,
    }
}

/// Whether an element in another one is the same thing to a person.
fn is_same(outer: &Extents, inner: &Extents) -> bool {
    let shared = outer.intersection(inner).map_or(0, |shared| shared.area());
    shared as f64 >= SAME * outer.area().max(inner.area()) as f64
}
