//! What each server is good for, in a person's words, and what to ask an app to see it.

/// One server, for people.
#[derive(Debug, Clone, Copy)]
pub struct Ability {
    /// The server's name.
    pub server: &'static str,
    /// What a person would call it.
    pub title: &'static str,
    /// What it is good for.
    pub good_for: &'static str,
    /// What to ask an app.
    pub ask: &'static [&'static str],
}

/// In the order people see them.
pub const ABILITIES: &[Ability] = &[
    Ability {
        server: fotos::NAME,
        title: "Your screen",
        good_for: "Shows your agent what you see: captures a monitor or a window, reads the text in it, draws on it, and blurs \
                   what is private before anybody else looks.",
        ask: &[
            "Take a screenshot and tell me what the error on my screen means.",
            "Capture the terminal window, blur the e-mail addresses, and circle the line that failed.",
        ],
    },
    Ability {
        server: "MetaTagGenie",
        title: "Your photos",
        good_for: "Writes tags, descriptions, people and places into the photos themselves, where every photo program finds \
                   them. Every change can be undone.",
        ask: &[
            "Look at the photos in my Pictures folder and tag each one with what it shows.",
            "Write into beach.jpg that it shows Ada and Ben at Brighton Beach.",
        ],
    },
    Ability {
        server: "authy",
        title: "Your secrets",
        good_for: "Lets your agent use API keys and passwords without ever seeing them: it runs a command or sends a request, \
                   and the secret is filled in on the way.",
        ask: &["Which secrets may you use?", "Use my GitHub token to list my open pull requests."],
    },
    Ability {
        server: vision::NAME,
        title: "Pictures and videos",
        good_for: "Looks at pictures, diagrams, screenshots of errors and videos, with a vision model of your choice, or \
                   without any: then it reads text, colours and layout on this machine.",
        ask: &[
            "What is in the picture diagram.png? Explain it to me step by step.",
            "Read the receipt in receipt.jpg and give me the total.",
        ],
    },
    Ability {
        server: "recipe-vault",
        title: "The family cookbook",
        good_for: "Keeps your recipes, plans the week and writes the shopping list. The same cookbook is a web page for the \
                   kitchen.",
        ask: &[
            "Save this recipe in our cookbook: …",
            "Plan dinners for the week from our cookbook and write the shopping list.",
        ],
    },
];

/// What a server is for people, if it has something for them.
pub fn about(server: &str) -> Option<&'static Ability> {
    ABILITIES.iter().find(|ability| ability.server == server)
}

#[cfg(test)]
mod tests {
    use crate::servers;

    #[test]
    fn every_server_but_info_has_something_to_ask() {
        let silent: Vec<&str> = servers::ALL
            .iter()
            .map(|entry| entry.name)
            .filter(|name| super::about(name).is_none_or(|ability| ability.ask.is_empty()))
            .collect();
        assert_eq!(silent, ["info"]);
    }
}
