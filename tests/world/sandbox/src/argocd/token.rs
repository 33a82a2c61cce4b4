//! The REST API's bearer token: made once, readable by its owner only.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};

/// The token of the folder, made when there is none.
pub(super) fn load(folder: &Path) -> io::Result<String> {
    fs::create_dir_all(folder)?;
    let file = folder.join("token");
    let held = fs::read_to_string(&file).unwrap_or_default();
    if held.trim().len() >= 32 {
        return Ok(held.trim().to_owned());
    }
    let token = BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
    let aside = folder.join("token.new");
    private(&aside)?.write_all(token.as_bytes())?;
    fs::rename(&aside, &file)?;
    Ok(token)
}

fn private(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
