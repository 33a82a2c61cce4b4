use crate::method::methods;

/// Lists without pages: each says in the contract why it cannot grow.
const FEW: [&str; 7] = [
    "ListApplicationFacets",
    "ListGitSources",
    "ListIntegrations",
    "ListPullRequests",
    "ListSignInProviders",
    "ListSigningKeys",
    "ListWebhookRoutes",
];

#[test]
fn every_list_is_paginated_or_bounded() {
    let mut few = Vec::new();
    for method in methods().values() {
        let name = method.descriptor.name();
        if !name.starts_with("List") {
            continue;
        }
        let (input, output) = (method.descriptor.input(), method.descriptor.output());
        let fields = [
            input.get_field_by_name("page_size"),
            input.get_field_by_name("page_token"),
            output.get_field_by_name("next_page_token"),
        ];
        match fields.iter().flatten().count() {
            3 => {}
            0 => few.push(name.to_owned()),
            _ => panic!("{} has some fields of a page and not all", method.path),
        }
    }
    few.sort_unstable();
    assert_eq!(few, FEW);
}
