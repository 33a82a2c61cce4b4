//! What the pods run: the built `causeway` with what it needs beside it, and a shell for the demo.

use std::path::{Path, PathBuf};

use causeway_cluster::{Image, ImageError};
use causeway_testkit::{binary, run, which};

pub(crate) const REPOSITORY: &str = "registry.local/causeway";
pub(crate) const TAG: &str = "test";
pub(crate) const SHELL: &str = "registry.local/shell:1";
/// The same under another tag, as an update.
pub(crate) const SHELL_AGAIN: &str = "registry.local/shell:2";

const AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Git, and what a person reads a file in a pod by.
const BESIDE: [&str; 3] = [
    "/usr/bin/git",
    "/usr/lib/git-core/git-remote-http",
    "/bin/cat",
];

/// One image for all parts. The folder is for the binary without its symbols, which are most of it.
pub(crate) fn causeway(folder: &Path) -> Result<Image, ImageError> {
    let name = format!("{REPOSITORY}:{TAG}");
    let image = Image::new(name)
        .program("/usr/local/bin/causeway", &stripped(folder))?
        .entrypoint(&["/usr/local/bin/causeway"])
        .folder("/tmp", 0o1777)
        .file(AUTHORITIES, AUTHORITIES, 0o644)
        .user("65532:65532");
    BESIDE
        .into_iter()
        .try_fold(image, |image, path| image.program(path, Path::new(path)))
}

/// What the demo's pods run.
pub(crate) fn shell(name: &str) -> Result<Image, ImageError> {
    let programs = ["/bin/bash", "/bin/sleep"];
    let named = Image::new(name);
    programs
        .into_iter()
        .try_fold(named, |image, path| image.program(path, Path::new(path)))
}

fn stripped(folder: &Path) -> PathBuf {
    let Some(strip) = which("strip") else {
        return binary();
    };
    let path = folder.join("causeway");
    let mut command = std::process::Command::new(strip);
    command.arg("-o").arg(&path).arg(binary());
    run(&mut command).expect_success();
    path
}
