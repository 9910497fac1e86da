//! What a tool is: a name and words for the client, typed input, typed output, and a call.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::content::Output;
use crate::cx::Cx;
use crate::fail::Stop;
use crate::schema;

/// A tool of a server whose state is `S`. One tool, one file.
pub trait Tool<S>: Send + Sync + 'static {
    /// Its arguments.
    type In: DeserializeOwned + JsonSchema + Send;
    /// Its answer: `String`, [`Json<T>`](crate::Json) or [`Reply`](crate::Reply).
    type Out: Output;
    /// What the client is told about it.
    const ABOUT: About;
    /// Where it runs.
    const RUN: Run = Run::Async;
    /// How its arguments are read.
    const READING: Reading = Reading::Lenient;

    /// Does the work.
    fn call(
        &self,
        state: &S,
        cx: &Cx,
        input: Self::In,
    ) -> impl Future<Output = Result<Self::Out, Stop>> + Send;

    /// The schema of its arguments; override only where a contract fixes its letters.
    fn input_schema() -> Value {
        schema::of_arguments::<Self::In>()
    }
}

/// Where a handler runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// On the reading thread: for what takes microseconds and does not wait. What waits now and then says so with
    /// [`as_a_task`](crate::as_a_task) before it does.
    Inline,
    /// As a task: for what waits.
    Async,
    /// On a bounded pool of threads: for files, databases, pictures.
    Blocking,
}

/// How the arguments of a call become typed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// As models write them: `null` is an argument that is not given, and where the schema has room for no string, exact
    /// numerals and `"true"` or `"false"` in strings are what they say. Names that nothing looks at are refused.
    Lenient,
    /// To the letter: for a schema that is somebody's contract.
    Literal,
}

/// What the client is told about a tool.
#[doc(alias = "Tool")]
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Unique among all tools.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model: what it does and when to use it.
    pub description: &'static str,
    /// What it may do to the world.
    pub hints: Hints,
    /// Whether it may run as a task.
    pub tasks: Tasks,
    /// Whether it is offered where many servers share one list.
    pub core: bool,
    /// JSON text passed through as `_meta`.
    pub meta: Option<&'static str>,
    /// Whether its list entry describes the result; models read all of it with every request.
    pub describes_output: bool,
}

/// What a tool may do to the world; hosts bother the person less about harmless ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // the four hints of the wire
#[doc(alias = "ToolAnnotations")]
pub struct Hints {
    /// Changes nothing.
    pub read_only: bool,
    /// May take something away that was there.
    pub destructive: bool,
    /// Doing it twice is doing it once.
    pub idempotent: bool,
    /// Reaches beyond this machine.
    pub open_world: bool,
}

/// Whether a tool may answer with a task handle.
#[doc(alias("taskSupport", "CreateTaskResult"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tasks {
    /// Always answers itself.
    Never,
    /// Runs as a task for clients that can poll one, and answers itself otherwise.
    Optional,
    /// Runs only as a task.
    Required,
    /// As `Required`, but input is requested first and only the work that follows is a task.
    RequiredAfterInput,
}

impl About {
    /// A tool that may do anything; narrow it with the methods below.
    pub const fn new(name: &'static str, title: &'static str, description: &'static str) -> About {
        About {
            name,
            title,
            description,
            hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
            tasks: Tasks::Never,
            core: false,
            meta: None,
            describes_output: false,
        }
    }

    /// Changes nothing.
    pub const fn read_only(mut self) -> About {
        self.hints.read_only = true;
        self.hints.destructive = false;
        self.hints.idempotent = true;
        self
    }

    /// Only adds, never takes away.
    pub const fn additive(mut self) -> About {
        self.hints.destructive = false;
        self
    }

    /// Doing it twice is doing it once.
    pub const fn idempotent(mut self) -> About {
        self.hints.idempotent = true;
        self
    }

    /// Stays on this machine.
    pub const fn local(mut self) -> About {
        self.hints.open_world = false;
        self
    }

    /// Offered where many servers share one list.
    pub const fn core(mut self) -> About {
        self.core = true;
        self
    }

    /// Describes its result, for a contract that wants an `outputSchema`.
    pub const fn describes_output(mut self) -> About {
        self.describes_output = true;
        self
    }

    /// May run as a task.
    pub const fn tasks(mut self, tasks: Tasks) -> About {
        self.tasks = tasks;
        self
    }

    /// JSON text of an object passed through as `_meta`.
    pub const fn meta(mut self, json: &'static str) -> About {
        self.meta = Some(json);
        self
    }
}
