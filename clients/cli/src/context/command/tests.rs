use super::*;
use crate::context::Session;

const SECRET: &str = "the-secret-token";

fn contexts() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.json");
    for name in ["prod-eu", "prod-us"] {
        let entry = Entry {
            address: format!("http://{name}"),
            api_key_file: None,
            session: Some(Session {
                token: SECRET.to_owned(),
                session_id: "7".to_owned(),
                account: "main".to_owned(),
                user: "ann".to_owned(),
                expires_at: "2999-01-01T00:00:00Z".to_owned(),
            }),
            ca_file: None,
        };
        write_entry(&file, name, entry).unwrap();
    }
    (folder, file)
}

fn names(file: &Path) -> (String, Vec<String>) {
    let contexts = read(file).unwrap();
    (contexts.current, contexts.contexts.into_keys().collect())
}

#[test]
fn a_context_is_chosen_renamed_and_forgotten() {
    let (_folder, file) = contexts();
    choose(read(&file).unwrap(), "prod-eu", &file).unwrap();
    assert_eq!(names(&file).0, "prod-eu");
    rename(read(&file).unwrap(), "prod-eu", "eu", &file).unwrap();
    assert_eq!(
        names(&file),
        ("eu".to_owned(), vec!["eu".to_owned(), "prod-us".to_owned()])
    );
    delete(read(&file).unwrap(), "eu", &file).unwrap();
    assert_eq!(names(&file), (String::new(), vec!["prod-us".to_owned()]));
    let error = show(&read(&file).unwrap(), "", &file, Format::Table).unwrap_err();
    assert!(error.to_string().contains("no current context"), "{error}");
}

#[test]
fn a_name_that_is_taken_is_not_given_twice() {
    let (_folder, file) = contexts();
    let before = names(&file);
    for taken in ["prod-us", ""] {
        rename(read(&file).unwrap(), "prod-eu", taken, &file).unwrap_err();
    }
    assert_eq!(names(&file), before);
}

#[test]
fn a_name_that_is_nearly_right_is_answered_with_the_right_one() {
    let (_folder, file) = contexts();
    let error = choose(read(&file).unwrap(), "prod-uss", &file).unwrap_err();
    assert!(
        error.to_string().contains("did you mean prod-us"),
        "{error}"
    );
}

#[test]
fn what_is_printed_of_a_context_holds_no_secret() {
    let (_folder, file) = contexts();
    let contexts = read(&file).unwrap();
    let (name, entry) = contexts.contexts.iter().next().unwrap();
    let text = document(&contexts, name, entry).to_string();
    assert!(text.contains("ann"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
}

fn added(name: &str, server: &str, key: Option<PathBuf>) -> AddArgs {
    AddArgs {
        name: name.to_owned(),
        server: server.to_owned(),
        api_key_file: key,
        ca_file: None,
    }
}

#[test]
fn an_added_context_is_the_current_one_and_names_its_files_absolutely() {
    let (folder, file) = contexts();
    let key = folder.path().join("admin.key");
    std::fs::write(&key, "the-key").unwrap();
    let args = added("lab", "https://lab.example.com", Some(key.clone()));
    add(&read(&file).unwrap(), args, &file).unwrap();
    assert_eq!(names(&file).0, "lab");
    let kept = &read(&file).unwrap().contexts["lab"];
    assert_eq!(kept.address, "https://lab.example.com");
    assert!(kept.api_key_file.as_ref().unwrap().is_absolute());
    assert!(kept.session.is_none());
}

#[test]
fn a_context_that_could_not_be_used_is_not_added() {
    let (folder, file) = contexts();
    let before = names(&file);
    let missing = Some(folder.path().join("missing.key"));
    for (args, said) in [
        (added("prod-eu", "https://lab", None), "taken"),
        (added(" ", "https://lab", None), "empty"),
        (added("lab", "lab:7400", None), "https://HOST"),
        (added("lab", "https://lab", missing), "missing.key"),
    ] {
        let error = add(&read(&file).unwrap(), args, &file).unwrap_err();
        assert!(format!("{error:#}").contains(said), "{error:#}");
    }
    assert_eq!(names(&file), before);
}
