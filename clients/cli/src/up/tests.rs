use clap::Parser as _;

use super::*;

#[derive(clap::Parser, Debug)]
struct Line {
    #[command(flatten)]
    up: UpArgs,
}

fn parsed(words: &str) -> Result<UpArgs, clap::Error> {
    let words = words.split_whitespace();
    Ok(Line::try_parse_from(std::iter::once("up").chain(words))?.up)
}

#[test]
fn a_runtime_alone_keeps_its_data_apart_from_the_platform() {
    let all = parsed("").unwrap();
    assert!(all.data().ends_with("causeway/up"));
    assert_eq!(all.context_name, "up");
    let joining = parsed("--join https://platform --join-token-file token").unwrap();
    assert!(joining.data().ends_with("causeway/runtime"));
    let own = parsed("--join https://platform --data mine").unwrap();
    assert_eq!(own.data(), PathBuf::from("mine"));
}

#[test]
fn flags_of_a_platform_and_of_a_runtime_alone_do_not_mix() {
    assert_eq!(parsed("--context-name lab").unwrap().context_name, "lab");
    for wrong in [
        "--join-token-file token",
        "--join-ca-file ca.pem",
        "--join https://platform --context-name lab",
    ] {
        assert!(parsed(wrong).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn a_runtime_without_a_token_says_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Folder::open(folder.path()).unwrap();
    let joining = parsed("--join http://127.0.0.1:1").unwrap();
    let error = joining.join.join(&folder, "http://127.0.0.1:1").await;
    let error = format!("{:#}", error.unwrap_err());
    assert!(error.contains("causeway runtime token"), "{error}");
}
