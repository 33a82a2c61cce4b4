use super::GitHosts;

const HASH: &str = "0123456789abcdef0123456789abcdef01234567";

fn hosts() -> GitHosts {
    let own = [
        "git.example.com=gitlab",
        "code.example.com:3000=gitea",
        "bb.example.com=bitbucket-server",
        "tfs.example.com=azure-devops",
        "ghe.example.com=github",
    ];
    GitHosts::new(own.iter().map(|host| host.parse().unwrap()).collect())
}

#[test]
fn a_commit_has_a_page_by_the_form_of_its_repository() {
    let check = |repository: &str, wanted: &str| {
        let wanted = match wanted {
            "" => String::new(),
            wanted => format!("{wanted}/{HASH}"),
        };
        assert_eq!(hosts().commit(repository, HASH), wanted, "{repository}");
    };
    check(
        "https://github.com/a/b.git",
        "https://github.com/a/b/commit",
    );
    check(
        "https://u:p@GitHub.com/a/b/",
        "https://github.com/a/b/commit",
    );
    check("git@github.com:a/b.git", "https://github.com/a/b/commit");
    check(
        "ssh://git@github.com:22/a/b",
        "https://github.com/a/b/commit",
    );
    check(
        "https://gitlab.com/a/g/b.git",
        "https://gitlab.com/a/g/b/-/commit",
    );
    check(
        "git@git.example.com:a/b",
        "https://git.example.com/a/b/-/commit",
    );
    check(
        "http://git.example.com:8080/a/b",
        "http://git.example.com:8080/a/b/-/commit",
    );
    check(
        "https://bitbucket.org/a/b.git",
        "https://bitbucket.org/a/b/commits",
    );
    check(
        "https://bb.example.com/scm/PRJ/b.git",
        "https://bb.example.com/projects/PRJ/repos/b/commits",
    );
    check(
        "https://bb.example.com/x/scm/~ann/b",
        "https://bb.example.com/x/users/ann/repos/b/commits",
    );
    check(
        "ssh://git@bb.example.com:7999/prj/b.git",
        "https://bb.example.com/projects/prj/repos/b/commits",
    );
    check(
        "https://codeberg.org/a/b",
        "https://codeberg.org/a/b/commit",
    );
    check(
        "https://code.example.com:3000/a/b",
        "https://code.example.com:3000/a/b/commit",
    );
    check(
        "https://o@dev.azure.com/o/p%20q/_git/r",
        "https://dev.azure.com/o/p%20q/_git/r/commit",
    );
    check(
        "git@ssh.dev.azure.com:v3/o/p/r",
        "https://dev.azure.com/o/p/_git/r/commit",
    );
    check(
        "o@vs-ssh.visualstudio.com:v3/o/p/r",
        "https://dev.azure.com/o/p/_git/r/commit",
    );
    check(
        "https://o.visualstudio.com/DefaultCollection/p/_git/r",
        "https://o.visualstudio.com/DefaultCollection/p/_git/r/commit",
    );
    check(
        "https://tfs.example.com/tfs/c/p/_git/r",
        "https://tfs.example.com/tfs/c/p/_git/r/commit",
    );
    check(
        "https://ghe.example.com/a/b",
        "https://ghe.example.com/a/b/commit",
    );
}

#[test]
fn nobody_is_sent_where_nobody_can_say_what_is_there() {
    let none = |repository: &str, revision: &str| {
        assert_eq!(
            hosts().commit(repository, revision),
            "",
            "{repository} {revision}"
        );
    };
    for repository in [
        "",
        "https://elsewhere.example.com/a/b",
        "https://github.com.evil.example.com/a/b",
        "https://github.com/a",
        "file:///srv/git/a/b",
        "javascript://github.com/a/b",
        "https://dev.azure.com/o/p/r",
        "charts",
        "https://github.com",
    ] {
        none(repository, HASH);
    }
    for revision in ["", "main", "v1.0.0", "../../x", "0123456789abcdeg"] {
        none("https://github.com/a/b", revision);
    }
    let odd = hosts().commit("https://github.com/a/b\"><script>", HASH);
    assert!(!odd.contains(['"', '<', '>']), "{odd}");
}

#[test]
fn an_author_has_a_picture_only_where_the_provider_itself_names_the_user() {
    let check = |repository: &str, author: &str, wanted: &str| {
        assert_eq!(hosts().avatar(repository, author), wanted, "{author}");
    };
    let (github, gitea) = ("https://github.com/a/b", "https://codeberg.org/a/b");
    check(
        github,
        "Ann <123+ann@users.noreply.github.com>",
        "https://github.com/ann.png",
    );
    check(
        github,
        "Ann <ann@users.noreply.github.com>",
        "https://github.com/ann.png",
    );
    check(
        "git@ghe.example.com:a/b",
        "Ann <7+ann@users.noreply.ghe.example.com>",
        "https://ghe.example.com/ann.png",
    );
    check(
        gitea,
        "Ann <ann@noreply.codeberg.org>",
        "https://codeberg.org/ann.png",
    );
    check(github, "Ann <ann@example.com>", "");
    check(github, "Ann <1+../x@users.noreply.github.com>", "");
    check(github, "Ann", "");
    check(
        "https://gitlab.com/a/b",
        "Ann <1-ann@users.noreply.gitlab.com>",
        "",
    );
}

#[test]
fn a_host_that_cannot_be_read_is_refused_with_what_would_be_right() {
    for text in [
        "",
        "git.example.com",
        "=github",
        "git.example.com=svn",
        "https://x=github",
    ] {
        let error = text.parse::<super::GitHost>().unwrap_err().to_string();
        assert!(
            error.contains("use HOST=KIND") && error.contains("git.example.com=gitlab"),
            "{error}"
        );
    }
}
