use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_new_data_folder_is_its_owners_alone_with_those_above_it() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("a/b");
    open_private_folder(&folder).unwrap();
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&root.path().join("a")), 0o700);
    write_private(&folder.join("c/key.pem"), b"key").unwrap();
    assert_eq!(mode(&folder.join("c")), 0o700);
}

#[test]
fn a_data_folder_that_others_can_read_is_closed_with_its_files() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path();
    for (file, before) in [("platform.db", 0o644), ("run", 0o755), ("key", 0o600)] {
        fs::write(folder.join(file), "").unwrap();
        set_mode(&folder.join(file), before);
    }
    set_mode(folder, 0o755);
    open_private_folder(folder).unwrap();
    assert_eq!(mode(folder), 0o700);
    assert_eq!(mode(&folder.join("platform.db")), 0o600);
    assert_eq!(mode(&folder.join("run")), 0o700);
    assert_eq!(close_folder(folder).unwrap(), 0);
}

#[test]
fn a_folder_that_is_shared_by_design_stays_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    set_mode(root.path(), 0o1777);
    open_private_folder(root.path()).unwrap();
    assert_eq!(mode(root.path()), 0o1777);
}
