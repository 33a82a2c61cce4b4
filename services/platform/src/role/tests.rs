use super::*;

#[test]
fn each_role_holds_its_permissions_and_no_others() {
    let table = [
        ("application.list", true, true, true),
        ("application.watch", true, true, true),
        ("application.sync", false, true, true),
        ("application.refresh", false, true, true),
        ("runtime.get", true, true, true),
        ("runtime.create", false, false, true),
        ("runtime.revoke", false, false, true),
        ("api-key.create", false, false, true),
        ("secret.read", false, false, true),
        ("", false, false, false),
        ("list", false, false, false),
        ("applications.sync", false, false, true),
    ];
    for (permission, viewer, operator, admin) in table {
        assert_eq!(
            Role::Viewer.allows(permission),
            viewer,
            "viewer {permission}"
        );
        assert_eq!(
            Role::Operator.allows(permission),
            operator,
            "operator {permission}"
        );
        assert_eq!(Role::Admin.allows(permission), admin, "admin {permission}");
    }
}

#[test]
fn a_role_is_read_back_from_its_word() {
    for role in Role::ALL {
        assert_eq!(role.as_str().parse(), Ok(role));
    }
    assert_eq!("root".parse::<Role>(), Err(RoleError));
    assert_eq!("Admin".parse::<Role>(), Err(RoleError));
}

#[test]
fn the_lesser_of_two_roles_is_the_smaller_one() {
    assert_eq!(Role::Admin.min(Role::Viewer), Role::Viewer);
    assert_eq!(Role::Operator.min(Role::Admin), Role::Operator);
}
