//! Writes the entries of the registry, so that the line which makes a module of an operation's file is all that lists it.
//!
//! A macro that declares module and entry together would need no script, but rustfmt does not follow the modules of a macro
//! (docs/decisions/0072-one-file-and-one-line.md).

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where modules are declared; the order of the operations there is the order in which they are listed.
const MODULES: &str = "src/lib.rs";
/// What the file of an operation has, as rustfmt writes it.
const OPERATION: &str = "impl Operation for ";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let modules = declared(&fs::read_to_string(MODULES)?);
    for file in files()? {
        if !modules.contains(&file) && !operations(&file)?.is_empty() {
            return Err(format!("src/{file}.rs has an operation: add `pub mod {file};` to {MODULES}").into());
        }
    }
    let mut entries = String::new();
    for module in &modules {
        for operation in operations(module)? {
            entries.push_str(&format!("    Erased::<crate::{module}::{operation}>::boxed(),\n"));
        }
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    fs::write(folder.join("operations.rs"), format!("vec![\n{entries}]\n"))?;
    Ok(())
}

/// The public modules of the crate, in their order.
fn declared(source: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned());
    source.lines().filter_map(name).collect()
}

/// The modules for which there is a file or a folder.
fn files() -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir("src")? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a file without a name")?;
        if name != "lib" && source(name).is_file() {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// The file of a module: by itself, or in a folder of its name.
fn source(module: &str) -> PathBuf {
    let file = Path::new("src").join(module).with_extension("rs");
    if file.is_file() { file } else { Path::new("src").join(module).join("mod.rs") }
}

/// The operations that the file of a module has.
fn operations(module: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let name = |line: &str| Some(line.strip_prefix(OPERATION)?.strip_suffix(" {")?.to_owned());
    Ok(fs::read_to_string(source(module))?.lines().filter_map(name).collect())
}
