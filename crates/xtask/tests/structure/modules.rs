//! The modules of a crate, and which of them imports what another one defines.

use crate::paths::Paths;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of a crate by their paths (`query::parser`); the root is the empty path.
pub(crate) struct Crate {
    modules: BTreeMap<String, Paths>,
}

impl Crate {
    /// Reads the modules of the crate whose root is this file. Modules for tests are left out.
    pub(crate) fn read(root: &Path) -> Self {
        let mut modules = BTreeMap::new();
        read(root, root.parent().expect("a folder"), "", &mut modules);
        Self { modules }
    }

    /// For each module, the others whose items it uses, and those whose `impl` has the methods that it calls. A module that only
    /// passes an item on is not the one that has it.
    pub(crate) fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let implementing = self.implementing();
        for (module, paths) in &self.modules {
            let used = imports.entry(module.clone()).or_default();
            used.extend(paths.used.iter().filter_map(|path| self.definer(module, path, 0)));
            let called = paths.methods.called.iter().filter_map(|method| implementing.get(method));
            used.extend(called.filter_map(|modules| match modules.as_slice() {
                [only] => Some((*only).to_owned()),
                // Types of the same name have it.
                _ => None,
            }));
            used.remove(module);
            // What is in the root is the face of the crate.
            used.remove("");
        }
        imports
    }

    /// The modules that have a method: usually one.
    fn implementing(&self) -> BTreeMap<&(String, String), Vec<&str>> {
        let mut implementing: BTreeMap<&(String, String), Vec<&str>> = BTreeMap::new();
        for (module, paths) in &self.modules {
            for method in &paths.methods.defined {
                implementing.entry(method).or_default().push(module);
            }
        }
        implementing
    }

    /// The module that defines what `path` names, seen from `module`; `None` if that is another crate's.
    fn definer(&self, module: &str, path: &[String], depth: usize) -> Option<String> {
        const LONGEST: usize = 16;
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => String::new(),
            "self" => module.to_owned(),
            "super" => above(module)?.to_owned(),
            child if self.modules.contains_key(&below(module, child)) => below(module, child),
            _ => return None,
        };
        while let Some((next, after)) = rest.split_first() {
            if next == "super" {
                at = above(&at)?.to_owned();
            } else if self.modules.contains_key(&below(&at, next)) {
                at = below(&at, next);
            } else {
                let passed_on = self.modules.get(&at)?.passed_on.iter().find(|(name, _)| name == next);
                if let Some((_, target)) = passed_on.filter(|_| depth < LONGEST) {
                    let target: Vec<String> = target.iter().chain(after).cloned().collect();
                    return self.definer(&at, &target, depth + 1);
                }
                break;
            }
            rest = after;
        }
        Some(at)
    }
}

fn read(file: &Path, folder: &Path, module: &str, modules: &mut BTreeMap<String, Paths>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let paths = Paths::of(&text);
    for (name, is_inline) in &paths.modules {
        if !is_inline {
            let found = place(folder, name).unwrap_or_else(|| panic!("{}: no module {name}", file.display()));
            read(&found, &folder.join(name), &below(module, name), modules);
        }
    }
    modules.insert(module.to_owned(), paths);
}

fn place(folder: &Path, name: &str) -> Option<PathBuf> {
    let candidates = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
    candidates.into_iter().find(|path| path.is_file())
}

fn below(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

fn above(module: &str) -> Option<&str> {
    if module.is_empty() { None } else { Some(module.rsplit_once("::").map_or("", |(above, _)| above)) }
}
