//! The Fotos application without its window: the example `host` of the crate `fotos`, which a test steers as the person would.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use crate::running::Person;

pub(crate) struct Application {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Application {
    #[track_caller]
    pub(crate) fn start(person: &Person) -> Application {
        Application::try_start(person).unwrap_or_else(|said| panic!("the application does not start: {said}"))
    }

    /// What it says when it does not start.
    pub(crate) fn try_start(person: &Person) -> Result<Application, String> {
        let mut child = person
            .command("examples/host", &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let orders = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        answers.read_line(&mut line).expect("stdout");
        if line.trim() == "ready" {
            return Ok(Application { child, orders, answers });
        }
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("stderr");
        child.wait().expect("it ended");
        Err(said)
    }

    /// What becomes of something the person does.
    #[track_caller]
    pub(crate) fn order(&mut self, order: &Value) -> Value {
        let orders = self.orders.as_mut().expect("open");
        writeln!(orders, "{order}").expect("it reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        let answer: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{order}: {error}: {line}"));
        assert!(answer.get("error").is_none(), "{order}: {answer}");
        answer
    }

    /// Ends it as the person does.
    pub(crate) fn close(mut self) {
        drop(self.orders.take());
        assert!(self.child.wait().expect("it ends").success());
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ended");
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
