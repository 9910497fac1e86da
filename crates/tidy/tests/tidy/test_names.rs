//! Finds a test by its full name, in the sources.

use crate::repository::{File, folder_of};

/// `package::binary::module::…::function`; the binary is `lib` for tests beside the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TestName<'a> {
    package: &'a str,
    binary: &'a str,
    modules: Vec<&'a str>,
    function: &'a str,
}

impl<'a> TestName<'a> {
    pub(crate) fn parse(name: &'a str) -> Result<Self, String> {
        let parts: Vec<&str> = name.split("::").collect();
        match parts.as_slice() {
            [package, binary, modules @ .., function] if parts.iter().all(|part| !part.is_empty()) => {
                Ok(Self { package, binary, modules: modules.to_vec(), function })
            }
            _ => Err("a test is named `package::test_binary::module::test_name`".to_owned()),
        }
    }

    /// Says why the test is not there.
    pub(crate) fn find(&self, files: &[File]) -> Result<(), String> {
        let Some(folder) = folder_of(self.package, files) else {
            return Err(format!("there is no package `{}`", self.package));
        };
        let inside =
            files.iter().filter_map(|file| Some((file, file.path.strip_prefix(folder)?.strip_prefix('/')?)));
        let sources: Vec<(&File, Vec<&str>)> =
            inside.filter_map(|(file, path)| Some((file, self.modules_of(path)?))).collect();
        if sources.is_empty() {
            return Err(format!("package `{}` has no test binary `{}`", self.package, self.binary));
        }
        if sources.iter().any(|(file, modules)| self.is_in(file.text().unwrap_or_default(), modules)) {
            return Ok(());
        }
        let modules = if self.modules.is_empty() { "its root".to_owned() } else { self.modules.join("::") };
        Err(format!("no test `{}` in {modules} of `{}::{}`", self.function, self.package, self.binary))
    }

    /// Whether its test binary is built only with some feature.
    pub(crate) fn is_conditional(&self, files: &[File]) -> bool {
        let manifest = folder_of(self.package, files).map(|folder| format!("{folder}/Cargo.toml"));
        let text = files.iter().find(|file| Some(&file.path) == manifest.as_ref()).and_then(File::text);
        let manifest = text.and_then(|text| toml::from_str::<toml::Table>(text).ok());
        let binaries = manifest.as_ref().and_then(|manifest| manifest.get("test")?.as_array());
        binaries.into_iter().flatten().any(|binary| {
            binary.get("name").and_then(toml::Value::as_str) == Some(self.binary)
                && binary.get("required-features").is_some()
        })
    }

    /// The module a file of this binary holds, by its path inside the crate; nothing for other files.
    fn modules_of<'p>(&self, path: &'p str) -> Option<Vec<&'p str>> {
        let path = path.strip_suffix(".rs")?;
        let rest = if self.binary == "lib" {
            path.strip_prefix("src/")?
        } else {
            let rest = path.strip_prefix("tests/")?.strip_prefix(self.binary)?;
            if rest.is_empty() { "main" } else { rest.strip_prefix('/')? }
        };
        Some(if matches!(rest, "main" | "lib") { Vec::new() } else { rest.split('/').collect() })
    }

    /// Whether the text of the module `outer` has the test, in itself or in modules written out in it. The code is
    /// formatted, so the indentation of a line tells how many of those it is in.
    fn is_in(&self, text: &str, outer: &[&str]) -> bool {
        let Some(wanted) = self.modules.strip_prefix(outer) else { return false };
        let lines: Vec<&str> = text.lines().collect();
        let mut open: Vec<&str> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let depth = (line.len() - line.trim_start().len()) / INDENTATION;
            if let Some(name) = line.strip_suffix('{').and_then(|line| name_after(line, "mod")) {
                open.truncate(depth);
                open.push(name);
            }
            let function = line.split('(').next().and_then(|line| name_after(line, "fn"));
            if function == Some(self.function)
                && open.get(..depth) == Some(wanted)
                && has_test_attribute(&lines[..at])
            {
                return true;
            }
        }
        false
    }
}

const INDENTATION: usize = 4;

/// The name in a text that ends in `keyword name`.
pub(crate) fn name_after<'a>(text: &'a str, keyword: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace().rev();
    let name = words.next()?;
    (words.next() == Some(keyword)).then_some(name)
}

/// Looks at the attributes and comments right above a function.
fn has_test_attribute(above: &[&str]) -> bool {
    above
        .iter()
        .rev()
        .map(|line| line.trim())
        .take_while(|line| line.starts_with('#') || line.starts_with("//"))
        .any(|line| matches!(line.split(['(', ']']).next(), Some("#[test" | "#[tokio::test")))
}

mod tests {
    use super::*;

    fn files() -> Vec<File> {
        vec![
            File::example("crates/mcp/Cargo.toml", "[package]\nname = \"mcp\"\n"),
            File::example("programs/authy/Cargo.toml", "[package]\nname = \"authy-cli\"\n"),
            File::example("programs/authy/tests/authy/tools.rs", "#[test]\nfn keeps() {}\n"),
            File::example("crates/mcp/src/lib.rs", "#[test]\nfn at_the_root() {}\n"),
            File::example("crates/mcp/src/wire.rs", "mod tests {\n    #[test]\n    fn beside() {}\n}\n"),
            File::example(
                "crates/mcp/tests/legacy.rs",
                "fn not_a_test() {}\n\n#[tokio::test]\nasync fn ping() {}\n",
            ),
            File::example("crates/mcp/tests/http/main.rs", "mod sessions;\n"),
            File::example("crates/mcp/tests/http/sessions.rs", "/// Why.\n#[test]\n// Note.\nfn ends() {}\n"),
        ]
    }

    #[track_caller]
    fn check(name: &str, expected: Result<(), &str>) {
        let found = TestName::parse(name).and_then(|name| name.find(&files()));
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|reason| *reason));
    }

    #[test]
    fn tests_that_are_there() {
        check("mcp::lib::at_the_root", Ok(()));
        check("mcp::lib::wire::tests::beside", Ok(()));
        check("mcp::legacy::ping", Ok(()));
        check("mcp::http::sessions::ends", Ok(()));
        check("authy-cli::authy::tools::keeps", Ok(()));
    }

    #[test]
    fn tests_that_are_not() {
        check("mcp::lib", Err("a test is named `package::test_binary::module::test_name`"));
        check("authy::authy::tools::keeps", Err("there is no package `authy`"));
        check("mcp::modern::ping", Err("package `mcp` has no test binary `modern`"));
        check("mcp::legacy::not_a_test", Err("no test `not_a_test` in its root of `mcp::legacy`"));
        check("mcp::http::ends", Err("no test `ends` in its root of `mcp::http`"));
        check("mcp::lib::wire::beside", Err("no test `beside` in wire of `mcp::lib`"));
    }
}
