//! Secrets that a command is given: from a file or from stdin, never as an argument, which others on the machine can see.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context as _, bail};

/// The one line in a file, or on stdin for "-", at most `longest` bytes. `flag` is how errors call it.
pub(crate) fn read(flag: &str, file: &Path, longest: usize) -> anyhow::Result<String> {
    let text = bounded(file, longest + 2);
    let text = text.with_context(|| format!("{flag} {}: cannot be read", file.display()))?;
    match text.trim() {
        "" => bail!("{flag} {}: it is empty", file.display()),
        text if text.len() > longest => {
            bail!("{flag} {}: more than {longest} bytes", file.display())
        }
        text => Ok(text.to_owned()),
    }
}

fn bounded(file: &Path, longest: usize) -> io::Result<String> {
    let source: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file)?)
    };
    let mut text = String::new();
    source.take(longest as u64).read_to_string(&mut text)?;
    Ok(text)
}
