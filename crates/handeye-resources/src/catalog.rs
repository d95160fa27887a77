//! Which resources there are.

use super::address::{self, Address, View};
use crate::Resources;
use handeye_core::{Application, Result, TreeAccess};
use handeye_engine::{Meta, Operation};
use handeye_ops::apps::ListApps;
use handeye_ops::check::IsAccessible;
use handeye_ops::get::GetValue;
use handeye_ops::screenshot::Screenshot;
use handeye_ops::tree::GetTree;
use handeye_ops::workflow::Workflow;
use std::collections::HashMap;

/// The audience of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The model.
    Assistant,
    /// The person and the model.
    Both,
}

/// The description that a client gets of a resource, or of a template of resources, before it reads one.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Its URI, or the template of its URIs.
    pub uri: &'static str,
    /// Its name for programs.
    pub name: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// What it is.
    pub description: &'static str,
    /// What its content is.
    pub mime_type: &'static str,
    /// Its audience.
    pub audience: Audience,
    /// How much it helps, from 0 to 1.
    pub priority: f32,
    /// The operation that reports the same, or that it is most like: who may not call that reads this neither. State and events report what the
    /// tree shows, and the clipboard holds text of applications, as values do.
    pub equals: &'static Meta,
}

const JSON: &str = "application/json";

/// The resources that are always there.
pub const STATIC: &[Definition] = &[STATUS, APPS, CLIPBOARD, RECORDING_START, RECORDING_STOP];

/// The resources of each application.
pub const TEMPLATES: &[Definition] = &[TREE, SCREENSHOT, STATE, WINDOW_TREE, EVENTS];

const STATUS: Definition = Definition {
    uri: address::STATUS,
    name: "system-status",
    title: "System Accessibility Status",
    description: "Whether applications can be read, which are connected, the AI provider, and this server's version and uptime.",
    mime_type: JSON,
    audience: Audience::Both,
    priority: 0.9,
    equals: &IsAccessible::META,
};

const APPS: Definition = Definition {
    uri: address::APPS,
    name: "running-apps",
    title: "Running Applications",
    description: "Every application that runs: name, pid, bundle id, whether it can be read. Subscribe for updates.",
    mime_type: JSON,
    audience: Audience::Assistant,
    priority: 0.7,
    equals: &ListApps::META,
};

const CLIPBOARD: Definition = Definition {
    uri: address::CLIPBOARD,
    name: "clipboard",
    title: "System Clipboard",
    description: "The text that was copied last, and its formats. Passwords are left out. Subscribe for updates.",
    mime_type: JSON,
    audience: Audience::Assistant,
    priority: 0.3,
    equals: &GetValue::META,
};

const RECORDING_START: Definition = Definition {
    uri: address::RECORDING_START,
    name: "recording-start",
    title: "Start Recording",
    description: "Reading it asks the person, and records from then on what that person does in applications.",
    mime_type: JSON,
    audience: Audience::Both,
    priority: 0.2,
    equals: &Workflow::META,
};

const RECORDING_STOP: Definition = Definition {
    uri: address::RECORDING_STOP,
    name: "recording-stop",
    title: "Stop Recording",
    description: "Reading it ends the recording. Its content are the steps, for ax_workflow.",
    mime_type: JSON,
    audience: Audience::Both,
    priority: 0.2,
    equals: &Workflow::META,
};

const TREE: Definition = Definition {
    uri: address::TREE,
    name: "app-element-tree",
    title: "Application Element Tree",
    description: "What an application shows, as the outline of ax_get_tree with references. Subscribe for updates.",
    mime_type: JSON,
    audience: Audience::Assistant,
    priority: 0.8,
    equals: &GetTree::META,
};

const SCREENSHOT: Definition = Definition {
    uri: address::SCREENSHOT,
    name: "app-screenshot",
    title: "Application Screenshot",
    description: "A picture of an application's topmost window, covered or not.",
    mime_type: "image/png",
    audience: Audience::Both,
    priority: 0.4,
    equals: &Screenshot::META,
};

const STATE: Definition = Definition {
    uri: address::STATE,
    name: "app-ui-state",
    title: "Application UI State",
    description: "In short: windows, focused element, menu bar, whether it is idle, loading or in a dialog, and the kind of page it shows. Subscribe for updates.",
    mime_type: JSON,
    audience: Audience::Assistant,
    priority: 0.8,
    equals: &GetTree::META,
};

const WINDOW_TREE: Definition = Definition {
    uri: address::WINDOW_TREE,
    name: "window-element-tree",
    title: "Window Element Tree",
    description: "The outline of one window; 0 is the topmost, as ax_list_windows counts.",
    mime_type: JSON,
    audience: Audience::Assistant,
    priority: 0.6,
    equals: &GetTree::META,
};

const EVENTS: Definition = Definition {
    uri: address::EVENTS,
    name: "app-events",
    title: "Application Event Stream",
    description: "What happened last: windows and dialogs that came or went, focus, values. Subscribe for updates.",
    mime_type: JSON,
    audience: Audience::Assistant,
    priority: 0.7,
    equals: &GetTree::META,
};

impl Address {
    /// What clients read about this resource, or about those of its template.
    pub const fn definition(&self) -> &'static Definition {
        match self {
            Self::Status => &STATUS,
            Self::Apps => &APPS,
            Self::Clipboard => &CLIPBOARD,
            Self::RecordingStart => &RECORDING_START,
            Self::RecordingStop => &RECORDING_STOP,
            Self::App { view: View::Tree, .. } => &TREE,
            Self::App { view: View::Screenshot, .. } => &SCREENSHOT,
            Self::App { view: View::State, .. } => &STATE,
            Self::App { view: View::Events, .. } => &EVENTS,
            Self::App { view: View::WindowTree(_), .. } => &WINDOW_TREE,
        }
    }
}

/// A resource of an application that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Which one.
    pub address: Address,
    /// Its name for programs.
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// What it is.
    pub description: &'static str,
    /// What its content is.
    pub mime_type: &'static str,
    /// How much it helps, from 0 to 1.
    pub priority: f32,
}

/// Most applications whose resources are listed one by one; templates reach the others.
const LISTED_APPLICATIONS: usize = 32;

impl Resources {
    /// The resources of the applications that run and can be read: for each its state and its tree, so that a client that knows
    /// no templates sees them.
    pub async fn listed(&self) -> Result<Vec<Listed>> {
        let applications = self.engine.desk.platform.accessibility.applications().await?;
        let readable: Vec<&Application> =
            applications.iter().filter(|application| application.tree == TreeAccess::Available).collect();
        let mut namesakes: HashMap<String, usize> = HashMap::new();
        for application in &readable {
            *namesakes.entry(application.name.to_lowercase()).or_default() += 1;
        }
        let listed = readable.iter().take(LISTED_APPLICATIONS).flat_map(|application| {
            let is_alone = namesakes.get(&application.name.to_lowercase()) == Some(&1);
            let name = call_name(application, is_alone);
            [entry(application, &name, View::State, "state"), entry(application, &name, View::Tree, "tree")]
        });
        Ok(listed.collect())
    }
}

/// How a URI names an application so that no other one is meant.
fn call_name(application: &Application, is_alone: bool) -> String {
    match application.pid() {
        Some(pid) if !is_alone || application.name.trim().is_empty() => pid.to_string(),
        _ => application.name.clone(),
    }
}

fn entry(application: &Application, name: &str, view: View, what: &str) -> Listed {
    let template = TEMPLATES.iter().find(|known| known.uri.ends_with(&format!("}}/{what}")));
    Listed {
        address: Address::of(name, view),
        name: format!("{name}-{what}"),
        title: match application.pid() {
            Some(pid) => format!("{} (pid {pid}): {what}", application.name),
            None => format!("{}: {what}", application.name),
        },
        description: template.map_or("", |template| template.description),
        mime_type: JSON,
        priority: template.map_or(0.5, |template| template.priority),
    }
}
