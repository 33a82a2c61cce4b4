//! The language of the simulated shell: commands between `;` and line ends, words between spaces, quotes, and `>&2`. Pure.

/// One command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// At least one.
    pub(super) words: Vec<String>,
    /// redirects the output to standard error
    pub(super) to_errors: bool,
}

/// The commands of a script.
pub(super) fn read(script: &str) -> Vec<Command> {
    let mut commands = vec![Command::default()];
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in script.chars().chain(['\n']) {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), other) => word.get_or_insert_default().push(other),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ';' | '\n') => {
                end(&mut commands, word.take());
                commands.push(Command::default());
            }
            (None, other) if other.is_whitespace() => end(&mut commands, word.take()),
            (None, other) => word.get_or_insert_default().push(other),
        }
    }
    end(&mut commands, word);
    commands.retain(|command| !command.words.is_empty());
    commands
}

fn end(commands: &mut [Command], word: Option<String>) {
    let (Some(command), Some(word)) = (commands.last_mut(), word) else {
        return;
    };
    match word.as_str() {
        ">&2" | "1>&2" => command.to_errors = true,
        _ => command.words.push(word),
    }
}

#[cfg(test)]
mod tests;
