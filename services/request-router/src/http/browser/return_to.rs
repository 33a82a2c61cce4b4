//! Where a browser goes after its sign-in: a path of this host and nothing else.

const LONGEST: usize = 2048;
const START: &str = "/";

/// The path that was asked for, or the first page where it could lead elsewhere.
pub(super) fn path(asked: &str) -> &str {
    if is_path(asked) { asked } else { START }
}

fn is_path(text: &str) -> bool {
    let mut bytes = text.bytes();
    // Two slashes, or a backslash in the place of one, begin the name of another host.
    let begins = bytes.next() == Some(b'/') && bytes.next() != Some(b'/');
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>');
    begins && text.len() <= LONGEST && text.bytes().all(plain) && !text.starts_with("/auth/")
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn only_a_path_of_this_host_is_gone_to() {
        for good in [
            "/",
            "/v1/applications?page=2&x=%2F%2Fevil",
            "/a//b",
            "/#x",
            "/@evil",
        ] {
            assert_eq!(path(good), good);
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            " /evil",
            "https://evil.example",
            "javascript:alert(1)",
            "evil.example",
            "/ü",
            "/\"onload=x",
            "/auth/logout",
            "/auth/login?return_to=/auth/login",
        ] {
            assert_eq!(path(bad), "/", "{bad}");
        }
        assert_eq!(path(&format!("/{}", "a".repeat(4096))), "/");
    }
}
