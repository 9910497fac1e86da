//! What comes back, in nobody's words.

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the model says.
    pub text: String,
    /// The model that said it, as the provider names it.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub finish: Finish,
    /// How often it was asked for.
    pub attempts: u32,
}

/// Tokens, as far as the provider tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// What was read.
    pub input: Option<u64>,
    /// What was written, thoughts included where the provider counts them there.
    pub output: Option<u64>,
    /// What was thought.
    pub reasoning: Option<u64>,
    /// What was read and known already.
    pub cached: Option<u64>,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The model had said everything.
    Stop,
    /// There was no room for more.
    Length,
    /// The provider held something back.
    Filtered,
    /// Another reason, in the provider's word.
    Other(String),
}

impl Finish {
    /// The word for it.
    pub fn as_str(&self) -> &str {
        match self {
            Finish::Stop => "stop",
            Finish::Length => "length",
            Finish::Filtered => "filtered",
            Finish::Other(word) => word,
        }
    }
}

/// An answer that is still coming.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) finish: Option<Finish>,
    /// Characters of thoughts, which nobody is shown.
    pub(crate) thought: usize,
    /// The model's own words for not answering.
    pub(crate) refusal: Option<String>,
    /// The stream said that it is over.
    pub(crate) over: bool,
}

impl Draft {
    /// Characters so far, thoughts included: what progress is counted in.
    pub(crate) fn heard(&self) -> usize {
        self.text.len() + self.thought
    }

    pub(crate) fn think(&mut self, thought: Option<&str>) {
        self.thought += thought.map_or(0, str::len);
    }
}

/// Takes over what is told, and keeps what is known where nothing is.
pub(crate) fn learn<T>(known: &mut Option<T>, told: Option<T>) {
    if told.is_some() {
        *known = told;
    }
}
