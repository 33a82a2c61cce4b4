//! A rule of trust in one line: issuer=URL [audience=TEXT] [subject=PATTERN] [claim:NAME=PATTERN]….

use causeway_proto::platform::v1 as pb;

/// Issuers that have a short name.
const KNOWN: [(&str, &str); 2] = [
    ("github", "https://token.actions.githubusercontent.com"),
    ("gitlab", "https://gitlab.com"),
];

/// Reads a rule.
pub(super) fn parse(text: &str) -> Result<pb::TrustRule, String> {
    let mut rule = pb::TrustRule::default();
    for word in text.split_whitespace() {
        let (name, value) = word
            .split_once('=')
            .ok_or_else(|| format!("'{word}' is not FIELD=VALUE"))?;
        if value.is_empty() {
            return Err(format!("{name}: it has no value"));
        }
        let field = match name {
            "issuer" => &mut rule.issuer,
            "audience" => &mut rule.audience,
            "subject" => &mut rule.subject,
            _ => {
                let claim = name
                    .strip_prefix("claim:")
                    .filter(|claim| !claim.is_empty());
                let claim = claim.ok_or_else(|| {
                    format!("no field '{name}': use issuer, audience, subject or claim:NAME")
                })?;
                rule.claims.entry(claim.to_owned()).or_default()
            }
        };
        if !field.is_empty() {
            return Err(format!("{name}: it is there twice"));
        }
        value.clone_into(field);
    }
    if rule.issuer.is_empty() {
        return Err("issuer=URL is missing; github and gitlab are short for theirs".to_owned());
    }
    if let Some((_, url)) = KNOWN.iter().find(|(name, _)| *name == rule.issuer) {
        (*url).clone_into(&mut rule.issuer);
    }
    Ok(rule)
}

/// Writes a rule as it is read.
pub(super) fn text(rule: &pb::TrustRule) -> String {
    let known = KNOWN.iter().find(|(_, url)| *url == rule.issuer);
    let issuer = known.map_or(rule.issuer.as_str(), |(name, _)| name);
    let mut words = vec![
        format!("issuer={issuer}"),
        format!("audience={}", rule.audience),
    ];
    if !rule.subject.is_empty() {
        words.push(format!("subject={}", rule.subject));
    }
    let mut claims: Vec<_> = rule.claims.iter().collect();
    claims.sort();
    words.extend(
        claims
            .into_iter()
            .map(|(name, value)| format!("claim:{name}={value}")),
    );
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{parse, text};

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for rule in [
            "issuer=github audience=a subject=repo:acme/shop:*",
            "issuer=https://ci.example.com audience=a claim:environment=production claim:repository=acme/shop",
        ] {
            assert_eq!(text(&parse(rule).unwrap()), rule);
        }
        let github = parse("issuer=github subject=x").unwrap();
        assert_eq!(github.issuer, "https://token.actions.githubusercontent.com");
    }

    #[test]
    fn an_invalid_trust_rule_is_rejected_with_advice() {
        for (rule, said) in [
            ("subject=x", "issuer=URL is missing"),
            ("issuer", "FIELD=VALUE"),
            ("issuer=github subject=a subject=b", "twice"),
            ("issuer=github claim:=a", "claim:NAME"),
            ("issuer=github repository=a", "claim:NAME"),
            ("issuer=", "no value"),
        ] {
            let error = parse(rule).unwrap_err();
            assert!(error.contains(said), "{rule}: {error}");
        }
    }
}
