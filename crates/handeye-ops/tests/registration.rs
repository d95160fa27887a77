//! What the build script makes of the modules of a crate: the entries of the registry.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// The build script, and a crate that it runs in.
struct Bench(TempDir);

impl Bench {
    /// A crate of these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let bench = Self(TempDir::new().expect("a folder"));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
        let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let built = Command::new(compiler)
            .args(["--edition", "2024", "-o"])
            .arg(bench.0.path().join("script"))
            .arg(script)
            .output()
            .expect("rustc runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        for (name, text) in files {
            let file = bench.0.path().join("src").join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        }
        bench
    }

    fn run(&self) -> Output {
        let mut script = Command::new(self.0.path().join("script"));
        script.current_dir(self.0.path()).env("OUT_DIR", self.0.path());
        script.output().expect("the script runs")
    }
}

#[test]
fn the_entries_stand_in_the_order_of_the_modules() {
    let bench = Bench::with(&[
        ("lib.rs", "mod target;\npub mod shared;\n\npub mod zoom;\n\npub mod menu;\n"),
        ("target.rs", "pub struct Target;\n"),
        ("shared.rs", "/// Not an operation.\npub struct Shared;\n"),
        ("zoom.rs", "#[async_trait]\nimpl Operation for Zoom {\n}\n"),
        ("menu/mod.rs", "#[async_trait]\nimpl Operation for OpenMenu {\n}\n"),
        ("menu/part.rs", "struct Part;\n"),
    ]);
    let run = bench.run();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let entries = fs::read_to_string(bench.0.path().join("operations.rs")).expect("the entries");
    assert_eq!(
        entries,
        "vec![\n    Erased::<crate::zoom::Zoom>::boxed(),\n    Erased::<crate::menu::OpenMenu>::boxed(),\n]\n"
    );
}

#[test]
fn an_operation_that_is_no_module_does_not_build() {
    for modules in ["", "mod zoom;\n"] {
        let bench = Bench::with(&[("lib.rs", modules), ("zoom.rs", "impl Operation for Zoom {\n}\n")]);
        let run = bench.run();
        assert!(!run.status.success());
        let why = String::from_utf8_lossy(&run.stderr);
        assert!(why.contains("src/zoom.rs has an operation: add `pub mod zoom;` to src/lib.rs"), "{why}");
    }
}
