//! The application without its window: the example `host` of the crate `fotos`, which a test steers as the person would.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct Application {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Application {
    #[track_caller]
    pub(crate) fn start(command: &mut Command) -> Application {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let orders = child.stdin.take().expect("piped");
        let mut answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        answers.read_line(&mut line).expect("stdout");
        assert_eq!(line.trim(), "ready", "the application does not start");
        Application { child, orders, answers }
    }

    /// What becomes of something the person does.
    #[track_caller]
    pub(crate) fn order(&mut self, order: &Value) -> Value {
        writeln!(self.orders, "{order}").expect("it reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {error}: {line}"))
    }

    /// How many screenshots it has.
    #[track_caller]
    pub(crate) fn count(&mut self) -> usize {
        self.order(&json!("shots")).as_array().expect("a list").len()
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
