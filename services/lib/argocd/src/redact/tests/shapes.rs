//! Credentials in the forms that files, commands and services give them.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use super::{CANARY, encode, redacted, redactor};

const LONG: &str = "c4n4ryAbCdEf0123456789";

/// Texts with a canary, as users write them.
fn texts() -> Vec<String> {
    vec![
        format!("machine git.example.com login ci password {CANARY}"),
        format!("default login ci password {CANARY}\n"),
        format!("db:5432:orders:app:{CANARY}\n"),
        format!("# comment\n*:*:*:app:{CANARY}"),
        format!("app:{CANARY}@tcp(db:3306)/orders?parseTime=true"),
        format!("app:{CANARY}@unix(/run/mysqld.sock)/orders"),
        format!("host=db user=app password={CANARY} sslmode=require"),
        format!("requirepass {CANARY}\nmaxmemory 1gb\n"),
        format!("appendonly yes\nmasterauth {CANARY}\n"),
        format!("mysql -h db -u app -p{CANARY} orders"),
        format!("/usr/bin/mysqldump -p'{CANARY}' orders"),
        format!("redis-cli -h cache -a {CANARY} ping"),
        format!("sshpass -p {CANARY} ssh host"),
        format!("sshpass -p{CANARY} ssh host"),
        format!("sleep 1 && mongosh -u root -p \"{CANARY}\" admin"),
        format!("ldapsearch -D cn=admin -w {CANARY} -b dc=x"),
        format!("openssl rsa -passin pass={CANARY}"),
        format!("db_pass={CANARY}"),
        format!("smtpPass: {CANARY}\nsmtpHost: mail\n"),
        format!("url: https://x/y?sig={CANARY}&se=2026"),
        format!("a: 1\npassword: &shared {CANARY}\nother: 2\n"),
        format!("a: &x {CANARY}\npassword: *x\n"),
        format!("password: !!str {CANARY}\nbroken: [\n"),
    ]
}

#[test]
fn passwords_in_the_forms_of_files_and_commands_are_hidden() {
    for text in texts() {
        let shown = redactor().text(&text);
        let nested = redacted(json!({"kind": "ConfigMap", "data": {"file": text.clone()}}));
        assert!(!nested.contains(CANARY), "{text:?} became {nested}");
        let only_yaml = text.contains("*x");
        assert!(
            only_yaml || !shown.contains(CANARY),
            "{text:?} became {shown}"
        );
    }
}

#[test]
fn arguments_after_the_password_flag_of_a_known_program_are_hidden() {
    let attached = format!("-p{CANARY}");
    for command in [
        json!(["mysql", "-u", "app", attached]),
        json!(["/usr/bin/redis-cli", "-a", CANARY, "ping"]),
        json!(["sshpass", "-p", CANARY, "ssh"]),
        json!(["mongosh", "-p", CANARY]),
    ] {
        let shown = redacted(json!({"command": command}));
        assert!(!shown.contains(CANARY), "{command} became {shown}");
    }
}

#[test]
fn tokens_are_known_by_their_beginnings() {
    for prefix in [
        "ghp_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "glrt-",
        "npm_",
        "pypi-",
        "dckr_pat_",
        "xoxb-",
        "xapp-",
        "AKIA",
        "ASIA",
        "AIza",
        "ya29.",
        "sk_live_",
        "whsec_",
        "SG.",
        "hvs.",
        "dop_v1_",
        "shpat_",
        "cwk_",
        "cws_",
        "cwj_",
    ] {
        let text = format!("the value {prefix}{LONG} was refused");
        let shown = redactor().text(&text);
        assert!(!shown.contains(LONG), "{text:?} became {shown}");
    }
}

#[test]
fn a_compressed_secret_in_base64_is_hidden() {
    let compress = |text: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            encoder.finish().unwrap(),
        )
    };
    let secret = compress(format!("password: {CANARY}\n").as_bytes());
    let large = compress(&vec![b'a'; 8 << 20]);
    let plain = compress(b"replicas: 3\n");
    for (text, hidden) in [(&secret, true), (&large, true), (&plain, false)] {
        let shown = redactor().text(text);
        assert_eq!(shown != **text, hidden, "{shown}");
    }
}

#[test]
fn words_that_only_look_like_secrets_stay() {
    for text in [
        "rpc error: code = Unauthenticated desc = auth: permission denied",
        "compass: north\nbypass: on\nauthor: Ada\nsignal: SIGTERM\n",
        "docker run -p 8080:80 web",
        "mysql -p orders",
        "git.example.com:443:a b",
        "password is wrong",
        "resources: 100m-500m",
    ] {
        assert_eq!(redactor().text(text), text);
    }
    let kept = json!({"bypassMode": "fast", "authType": "oidc", "passthrough": "a", "design": "b"});
    assert_eq!(redacted(kept.clone()), kept.to_string());
}

#[test]
fn short_secret_words_count_as_whole_words_of_a_name() {
    for name in [
        "DB_PASS",
        "smtpPass",
        "redis-auth",
        "sig",
        "aws.creds",
        "basicAuth",
    ] {
        let shown = redacted(json!({ name: CANARY }));
        assert!(!shown.contains(CANARY), "{name} became {shown}");
    }
    assert!(
        !redactor()
            .text(&encode(&format!("db_pass={CANARY}")))
            .contains(&encode(CANARY)[..12])
    );
}
