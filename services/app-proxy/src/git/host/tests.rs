use super::*;

fn integration(provider: Provider, url: &str) -> Integration {
    Integration {
        name: "shop".parse().unwrap(),
        provider,
        url: url.to_owned(),
        created_at: 0,
        created_by: "ada".to_owned(),
    }
}

fn check(provider: Provider, repository: &str, url: &str, name: &str) {
    let integration = integration(provider, "https://unused.example.com");
    let found = place(&integration, Some(repository));
    assert_eq!(
        (found.url.as_str(), found.name().unwrap().as_str()),
        (url, name)
    );
}

#[test]
fn a_repository_is_named_as_its_host_names_it() {
    let host = "https://git.example.com:8443";
    for provider in [Provider::Gitea, Provider::Github, Provider::Gitlab] {
        check(provider, &format!("{host}/shop/web.git"), host, "shop/web");
    }
    let nested = format!("{host}/shop/team/web");
    check(Provider::Gitlab, &nested, host, "shop/team/web");
    let cloud = "https://bitbucket.org/shop/web.git";
    check(
        Provider::BitbucketCloud,
        cloud,
        "https://bitbucket.org",
        "shop/web",
    );
    let context = format!("{host}/bitbucket/scm/SHOP/web.git");
    let base = format!("{host}/bitbucket");
    check(Provider::BitbucketDataCenter, &context, &base, "SHOP/web");
    let plain = format!("{host}/scm/SHOP/web.git");
    check(Provider::BitbucketDataCenter, &plain, host, "SHOP/web");
}

#[test]
fn a_repository_of_azure_has_an_organisation_and_a_project() {
    let azure = Provider::AzureDevops;
    let base = "https://dev.azure.com/acme";
    check(
        azure,
        "https://dev.azure.com/acme/shop/_git/web",
        base,
        "shop/web",
    );
    check(
        azure,
        "https://dev.azure.com/acme/_git/shop",
        base,
        "shop/shop",
    );
    let server = "https://tfs.example.com/tfs/Main";
    check(
        azure,
        "https://tfs.example.com/tfs/Main/shop/_git/web",
        server,
        "shop/web",
    );
    let found = place(&integration(azure, "https://dev.azure.com/acme/shop"), None);
    assert_eq!((found.url.as_str(), found.repository), (base, None));
}

#[test]
fn an_ssh_key_opens_no_api() {
    let gitea = integration(Provider::Gitea, "ssh://git@git.example.com");
    let place = place(&gitea, None);
    let refused = connect(&gitea, None, &place, Http::Refused).err().unwrap();
    assert!(refused.to_string().contains("SSH key"), "{refused}");
}

#[test]
fn a_path_that_names_no_repository_is_refused() {
    let gitea = integration(Provider::Gitea, "https://git.example.com");
    for url in [
        "https://git.example.com/web",
        "https://git.example.com/a/../b",
    ] {
        assert!(place(&gitea, Some(url)).name().is_err(), "{url}");
    }
}
