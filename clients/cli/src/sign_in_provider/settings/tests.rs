use causeway_proto::platform::v1 as pb;
use clap::Parser;

use super::{SettingsArgs, WithoutArgs, admits};

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Flags {
    #[command(flatten)]
    settings: SettingsArgs,
}

fn apply(flags: &[&str], settings: pb::IdentityProviderSettings) -> pb::IdentityProviderSettings {
    let flags = Flags::try_parse_from(flags).unwrap();
    flags.settings.apply(settings).unwrap()
}

#[test]
fn unset_flags_keep_the_settings() {
    let first = apply(
        &["--client-id", "causeway", "--group", "ops=operator,viewer"],
        pb::IdentityProviderSettings::default(),
    );
    let second = apply(&["--admit", "linked"], first.clone());
    assert_eq!(second.client_id, "causeway");
    assert_eq!(second.group_roles, first.group_roles);
    assert_eq!(first.group_roles[0].roles, ["operator", "viewer"]);
    assert_eq!(admits(&first), "linked-or-mapped");
    assert_eq!(admits(&second), "linked");
}

#[test]
fn a_group_may_have_an_equals_sign_in_its_name() {
    let groups = apply(
        &["--group", "cn=ops,dc=example=operator"],
        pb::IdentityProviderSettings::default(),
    )
    .group_roles;
    assert_eq!(groups[0].group, "cn=ops,dc=example");
    assert_eq!(groups[0].roles, ["operator"]);
    for text in ["ops", "=viewer", "ops="] {
        assert!(Flags::try_parse_from(["--group", text]).is_err(), "{text}");
    }
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct UpdateFlags {
    #[arg(long)]
    client_secret_file: Option<String>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    without: WithoutArgs,
}

#[test]
fn only_the_named_settings_are_removed() {
    let had = pb::IdentityProviderSettings {
        client_id: "causeway".to_owned(),
        group_roles: vec![pb::GroupRoles::default()],
        allowed_domains: vec!["x.org".to_owned()],
        ca_certificates: "PEM".to_owned(),
        ..Default::default()
    };
    let left = |flag: &str| {
        let flags = UpdateFlags::try_parse_from([flag]).unwrap();
        let settings = flags
            .without
            .apply(flags.settings.apply(had.clone()).unwrap());
        (settings, flags.without.client_secret())
    };
    let mut expected = had.clone();
    expected.group_roles.clear();
    assert_eq!(left("--no-groups"), (expected, false));
    let mut expected = had.clone();
    expected.allowed_domains.clear();
    assert_eq!(left("--no-allowed-domains"), (expected, false));
    let mut expected = had.clone();
    expected.ca_certificates.clear();
    assert_eq!(left("--no-provider-ca"), (expected, false));
    assert_eq!(left("--no-client-secret"), (had.clone(), true));
    for both in [
        ["--no-groups", "--group=ops=viewer"],
        ["--no-allowed-domains", "--allowed-domain=x.org"],
        ["--no-provider-ca", "--provider-ca-file=ca.pem"],
        ["--no-client-secret", "--client-secret-file=secret"],
    ] {
        assert!(UpdateFlags::try_parse_from(both).is_err(), "{both:?}");
    }
}
