use causeway_proto::platform::v1 as pb;
use clap::Parser;

use super::{SettingsArgs, admits};

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Flags {
    #[command(flatten)]
    settings: SettingsArgs,
}

fn over(flags: &[&str], settings: pb::IdentityProviderSettings) -> pb::IdentityProviderSettings {
    let flags = Flags::try_parse_from(flags).unwrap();
    flags.settings.over(settings).unwrap()
}

#[test]
fn what_is_not_given_stays() {
    let first = over(
        &["--client-id", "causeway", "--group", "ops=operator,viewer"],
        pb::IdentityProviderSettings::default(),
    );
    let second = over(&["--admit", "linked"], first.clone());
    assert_eq!(second.client_id, "causeway");
    assert_eq!(second.group_roles, first.group_roles);
    assert_eq!(first.group_roles[0].roles, ["operator", "viewer"]);
    assert_eq!(admits(&first), "linked-or-mapped");
    assert_eq!(admits(&second), "linked");
}

#[test]
fn a_group_may_have_an_equals_sign_in_its_name() {
    let groups = over(
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
