use std::{collections::BTreeMap, fs::File, io::Read};

use serde_json::Value;

use super::*;

fn image() -> Image {
    Image::new("registry.local/greeting:1")
        .entrypoint(&["/bin/greet", "--loud"])
        .variable("NAME", "world")
        .user("1000:1000")
        .folder("/tmp", 0o1777)
        .text("/etc/deep/down/greeting", "hello", 0o640)
        .link("/bin/greet", "../etc/deep/down/greeting")
}

/// All files of an archive, by path.
fn content(archive: impl Read) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (path, bytes)
    });
    entries.collect()
}

fn blob(archive: &BTreeMap<String, Vec<u8>>, descriptor: &Value) -> Vec<u8> {
    let digest = descriptor["digest"].as_str().unwrap();
    let blob = &archive[&format!("blobs/{}", digest.replace(':', "/"))];
    assert_eq!(descriptor["size"], blob.len());
    blob.clone()
}

#[test]
fn an_archive_leads_from_its_index_to_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("greeting.tar");
    let digest = image().write_to(&path).unwrap();
    let archive = content(File::open(&path).unwrap());
    let index: Value = serde_json::from_slice(&archive["index.json"]).unwrap();
    let named = &index["manifests"][0];
    assert_eq!(named["digest"], digest.to_string());
    assert_eq!(
        named["annotations"]["io.containerd.image.name"],
        "registry.local/greeting:1"
    );
    let manifest: Value = serde_json::from_slice(&blob(&archive, named)).unwrap();
    let config: Value = serde_json::from_slice(&blob(&archive, &manifest["config"])).unwrap();
    assert_eq!(config["config"]["User"], "1000:1000");
    assert_eq!(config["config"]["Entrypoint"][1], "--loud");
    assert_eq!(config["config"]["Env"][1], "NAME=world");
    let layer = blob(&archive, &manifest["layers"][0]);
    assert_eq!(
        config["rootfs"]["diff_ids"][0],
        manifest["layers"][0]["digest"]
    );
    let files = content(&layer[..]);
    assert_eq!(files["etc/deep/down/greeting"], b"hello");
    let names: Vec<_> = files
        .keys()
        .map(|name| name.trim_end_matches('/'))
        .collect();
    assert_eq!(
        names,
        [
            "bin",
            "bin/greet",
            "etc",
            "etc/deep",
            "etc/deep/down",
            "etc/deep/down/greeting",
            "tmp"
        ]
    );
}

#[test]
fn modes_and_links_are_kept_and_nothing_of_this_machine_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("greeting.tar");
    image().write_to(&path).unwrap();
    let archive = content(File::open(&path).unwrap());
    let layer = archive
        .values()
        .find(|blob| blob.starts_with(b"bin/"))
        .or_else(|| archive.values().max_by_key(|blob| blob.len()));
    let mut layer = tar::Archive::new(&layer.unwrap()[..]);
    for entry in layer.entries().unwrap() {
        let entry = entry.unwrap();
        let header = entry.header();
        assert_eq!(
            (
                header.uid().unwrap(),
                header.gid().unwrap(),
                header.mtime().unwrap()
            ),
            (0, 0, 0)
        );
        match entry
            .path()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches('/')
        {
            "tmp" => assert_eq!(header.mode().unwrap(), 0o1777),
            "etc/deep/down/greeting" => assert_eq!(header.mode().unwrap(), 0o640),
            "bin/greet" => assert_eq!(
                entry.link_name().unwrap().unwrap().to_str(),
                Some("../etc/deep/down/greeting")
            ),
            _ => assert_eq!(header.mode().unwrap(), 0o755),
        }
    }
}

#[test]
fn the_same_files_give_the_same_digest_and_others_another() {
    let folder = tempfile::tempdir().unwrap();
    let digest = |name: &str, image: &Image| image.write_to(&folder.path().join(name)).unwrap();
    let first = digest("first.tar", &image());
    assert_eq!(first, digest("second.tar", &image()));
    assert_ne!(
        first,
        digest("third.tar", &image().text("/etc/more", "", 0o644))
    );
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("first.tar"), read("second.tar"));
}

#[test]
fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::new("registry.local/none:1").file("/bin/none", "/no/such/file", 0o755);
    let error = image.write_to(&folder.path().join("none.tar")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read /no/such/file for the image registry.local/none:1: No such file or directory (os error 2)"
    );
}

#[test]
fn a_program_brings_its_libraries_and_loader() {
    let image = Image::new("registry.local/shell:1")
        .program("/bin/sh", Path::new("/bin/sh"))
        .unwrap();
    let paths: Vec<_> = image
        .entries
        .keys()
        .map(|path| path.display().to_string())
        .collect();
    assert!(
        paths.iter().any(|path| path.contains("libc.so")),
        "{paths:?}"
    );
    assert!(
        paths.iter().any(|path| path.contains("ld-linux")),
        "{paths:?}"
    );
}

#[test]
fn lines_of_ldd_are_read() {
    let check = |line, path| assert_eq!(library_path(line), path, "{line}");
    check(
        "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f0)",
        Some("/lib/x86_64-linux-gnu/libc.so.6"),
    );
    check(
        "\t/lib64/ld-linux-x86-64.so.2 (0x00007f1)",
        Some("/lib64/ld-linux-x86-64.so.2"),
    );
    check("\tlinux-vdso.so.1 (0x00007fff)", None);
    check("", None);
}
