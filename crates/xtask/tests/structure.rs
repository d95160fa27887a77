//! How the code is cut: which crate may use which, no import cycle between modules, no file with two subjects.

#[path = "structure/documents.rs"]
mod documents;
#[path = "structure/methods.rs"]
mod methods;
#[path = "structure/modules.rs"]
mod modules;
#[path = "structure/paths.rs"]
mod paths;

use modules::Crate;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates from the top down. A crate uses only what is on a later line, and never a neighbour on its own. The platform in memory is
/// at the top: tests use it, and nothing is built from it.
const LAYERS: &[&[&str]] = &[
    &["xtask", "handeye-conformance", "handeye-fake"],
    &["handeye"],
    &["handeye-mcp", "handeye-cli", "handeye-clients"],
    &["handeye-service"],
    &["handeye-resources"],
    &["handeye-ops"],
    &["handeye-engine"],
    &["handeye-recording"],
    &["handeye-act", "handeye-sight"],
    &["handeye-shots", "handeye-auth"],
    &["handeye-call", "handeye-flow", "handeye-query"],
    &[
        "handeye-insight",
        "handeye-tree",
        "handeye-audit",
        "handeye-ledger",
        "handeye-picture",
        "handeye-linux",
        "handeye-vision",
    ],
    &["handeye-atspi", "handeye-x11"],
    &["handeye-desktop", "handeye-locator", "handeye-policy"],
    &["handeye-redact"],
    &["handeye-core", "handeye-png", "handeye-words"],
];

/// Most lines of a file, tests included.
const LINES: usize = 450;

fn crates() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(folder).expect("the folder of the crates");
    let mut crates: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    crates.retain(|path| path.join("Cargo.toml").is_file());
    crates.sort();
    assert!(crates.len() > 10, "{crates:?}");
    crates
}

fn name(path: &Path) -> String {
    path.file_name().expect("a folder").to_string_lossy().into_owned()
}

/// The crates of this workspace that a crate is built from.
fn dependencies(path: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let of_systems = manifest.get("target").and_then(toml::Value::as_table);
    let of_systems = of_systems.into_iter().flat_map(toml::Table::values).filter_map(toml::Value::as_table);
    let dependencies = std::iter::once(&manifest).chain(of_systems);
    let dependencies =
        dependencies.filter_map(|part| part.get("dependencies").and_then(toml::Value::as_table));
    let names = dependencies.flat_map(toml::Table::keys);
    names.filter(|name| name.starts_with("handeye")).cloned().collect()
}

#[test]
fn a_crate_uses_only_what_is_below_it() {
    let layer = |name: &str| {
        LAYERS
            .iter()
            .position(|layer| layer.contains(&name))
            .unwrap_or_else(|| panic!("{name} has no place in LAYERS"))
    };
    for path in crates() {
        let own = name(&path);
        for used in dependencies(&path) {
            assert!(layer(&own) < layer(&used), "{own} must not use {used}");
        }
    }
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for path in crates() {
        let source = path.join("src");
        for root in ["lib.rs", "main.rs"].map(|root| source.join(root)) {
            if root.is_file() {
                let imports = Crate::read(&root).imports();
                let shown = |circle: Vec<String>| {
                    let inside = |module: &String| {
                        let used = imports[module].iter().filter(|used| circle.contains(used)).cloned();
                        format!("  {module} uses {}", used.collect::<Vec<_>>().join(", "))
                    };
                    let modules: Vec<String> = circle.iter().map(inside).collect();
                    format!("{}:\n{}", name(&path), modules.join("\n"))
                };
                found.extend(circles(&imports).into_iter().map(shown));
            }
        }
    }
    assert!(found.is_empty(), "modules that import each other:\n{}", found.join("\n"));
}

/// The files of Rust in a folder.
fn files(folder: PathBuf) -> Vec<PathBuf> {
    let mut folders = vec![folder];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let entry = entry.expect("an entry").path();
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                found.push(entry);
            }
        }
    }
    found
}

#[test]
fn a_file_has_one_subject() {
    let mut long = Vec::new();
    let folders = |path: &PathBuf| ["src", "tests", "benches"].map(|folder| path.join(folder));
    for file in crates().iter().flat_map(folders).flat_map(files) {
        let lines = fs::read_to_string(&file).expect("a file").lines().count();
        if lines > LINES {
            long.push(format!("{}: {lines}", file.display()));
        }
    }
    assert!(long.is_empty(), "files of more than {LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn one_module_asks_for_the_operating_system() {
    let asks = |file: &PathBuf| fs::read_to_string(file).expect("a file").contains("target_os");
    let asking: Vec<PathBuf> =
        crates().iter().flat_map(|path| files(path.join("src"))).filter(asks).collect();
    assert!(matches!(asking.as_slice(), [one] if one.ends_with("handeye/src/platform/mod.rs")), "{asking:?}");
}

/// The sets of modules that reach one another (Tarjan's strongly connected components of two and more).
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let mut search = Search {
        imports,
        index: BTreeMap::new(),
        low: BTreeMap::new(),
        stack: Vec::new(),
        found: Vec::new(),
    };
    for module in imports.keys() {
        if !search.index.contains_key(module.as_str()) {
            search.visit(module);
        }
    }
    search.found
}

struct Search<'a> {
    imports: &'a BTreeMap<String, BTreeSet<String>>,
    index: BTreeMap<&'a str, usize>,
    low: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, module: &'a str) {
        let number = self.index.len();
        self.index.insert(module, number);
        self.low.insert(module, number);
        self.stack.push(module);
        for used in self.imports.get(module).into_iter().flatten() {
            if !self.index.contains_key(used.as_str()) {
                self.visit(used);
                let low = self.low[module].min(self.low[used.as_str()]);
                self.low.insert(module, low);
            } else if self.stack.contains(&used.as_str()) {
                let low = self.low[module].min(self.index[used.as_str()]);
                self.low.insert(module, low);
            }
        }
        if self.low[module] == self.index[module] {
            let start = self.stack.iter().position(|other| *other == module).expect("it is on the stack");
            let mut circle: Vec<String> = self.stack.drain(start..).map(str::to_owned).collect();
            circle.sort();
            if circle.len() > 1 {
                self.found.push(circle);
            }
        }
    }
}

#[test]
fn circles_are_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in edges {
            imports.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            imports.entry((*to).to_owned()).or_default();
        }
        circles(&imports)
    };
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]), Vec::<Vec<String>>::new());
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]), [["b", "c"]]);
}
