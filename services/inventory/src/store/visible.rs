//! A caller's scope as SQL: what is worth telling the database so that it does not read what the caller may not see. What it says
//! may let more through than the scope holds, never less, and `Visible::contains` has the last word on each row. The text is
//! the same for every database that has LIKE and row values.

use causeway_shell::assertion::{ScopeRule, is_any, is_glob};

use crate::application::Visible;

/// How many ranges of an index one question is asked for.
const MOST_ANCHORS: usize = 16;

/// How many patterns of a list are told; a longer list is left to the last word.
const MOST_PATTERNS: usize = 100;

/// What a question is written to.
pub(super) trait Sql {
    fn text(&mut self, text: &'static str);
    fn value(&mut self, value: String);
}

/// How what is visible is found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan<'a> {
    /// It is all there is.
    Everything,
    /// Each in the order of keys in an index that begins with these columns.
    Anchors(Vec<Anchor<'a>>),
    /// All rows are looked at in the order of keys.
    Scan,
}

/// A rule with one value for each of some columns.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Anchor<'a> {
    pub(super) equal: Vec<(&'static str, &'a str)>,
    rule: &'a ScopeRule,
}

/// How to find what is visible.
pub(super) fn plan(visible: &Visible) -> Plan<'_> {
    if visible.is_everything() {
        return Plan::Everything;
    }
    let rules = visible.rules();
    // A credential that is limited, of a user who is not, is found by its limits.
    let led_by = match visible.limits() {
        Some(limits) if rules.iter().any(ScopeRule::is_everything) => limits,
        _ => rules,
    };
    let mut anchors = Vec::new();
    for rule in led_by {
        let found = anchors_of(rule);
        if found.is_empty() || anchors.len() + found.len() > MOST_ANCHORS {
            return Plan::Scan;
        }
        anchors.extend(found);
    }
    Plan::Anchors(anchors)
}

/// The most selective columns for which a rule names values, each value with each.
fn anchors_of(rule: &ScopeRule) -> Vec<Anchor<'_>> {
    let columns = [
        ("name", &rule.names),
        ("namespace", &rule.namespaces),
        ("project", &rule.projects),
    ];
    let first = columns.into_iter().find(|(_, values)| are_names(values));
    let runtimes = Some(("runtime_name", &rule.runtimes)).filter(|(_, values)| are_names(values));
    let mut found: Vec<Vec<(&'static str, &str)>> = vec![Vec::new()];
    for (column, values) in [first, runtimes].into_iter().flatten() {
        found = found
            .iter()
            .flat_map(|before| {
                values.iter().map(move |value| {
                    let mut equal = before.clone();
                    equal.push((column, value.as_str()));
                    equal
                })
            })
            .collect();
    }
    found.retain(|equal| !equal.is_empty());
    let anchor = |equal| Anchor { equal, rule };
    found.into_iter().map(anchor).collect()
}

fn are_names(values: &[String]) -> bool {
    !values.is_empty() && !values.iter().any(|value| is_glob(value))
}

/// Adds what an anchor says, and what narrows it.
pub(super) fn push_anchor(sql: &mut impl Sql, anchor: &Anchor<'_>, visible: &Visible) {
    for (column, value) in &anchor.equal {
        sql.text(" AND ");
        sql.text(column);
        sql.text(" = ");
        sql.value((*value).to_owned());
    }
    sql.text(" AND (");
    push_rule(sql, anchor.rule, Columns::All);
    sql.text(")");
    push_rules(sql, visible, Columns::All);
}

/// Which selectors are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// All.
    All,
    /// Those that hold as long as the object lives.
    Place,
}

/// Adds a condition that every visible row meets.
pub(super) fn push_rules(sql: &mut impl Sql, visible: &Visible, columns: Columns) {
    if visible.is_everything() {
        return;
    }
    for rules in [Some(visible.rules()), visible.limits()]
        .into_iter()
        .flatten()
    {
        sql.text(" AND (1 = 0");
        for rule in rules {
            sql.text(" OR (");
            push_rule(sql, rule, columns);
            sql.text(")");
        }
        sql.text(")");
    }
}

fn push_rule(sql: &mut impl Sql, rule: &ScopeRule, columns: Columns) {
    sql.text("1 = 1");
    push_list(sql, "runtime_name", &rule.runtimes);
    push_list(sql, "cluster", &rule.clusters);
    push_list(sql, "namespace", &rule.namespaces);
    push_list(sql, "name", &rule.names);
    if columns == Columns::Place {
        return;
    }
    push_list(sql, "project", &rule.projects);
    for (name, value) in &rule.labels {
        let label = serde_json::json!({ name: value }).to_string();
        let pair = &label[1..label.len() - 1];
        sql.text(" AND labels LIKE ");
        sql.value(format!("%{}%", escaped(pair)));
        sql.text(" ESCAPE '\\'");
    }
}

fn push_list(sql: &mut impl Sql, column: &'static str, patterns: &[String]) {
    let all = patterns.is_empty() || patterns.iter().any(|pattern| is_any(pattern));
    if all || patterns.len() > MOST_PATTERNS {
        return;
    }
    sql.text(" AND (1 = 0");
    for pattern in patterns {
        sql.text(" OR ");
        sql.text(column);
        if is_glob(pattern) {
            sql.text(" LIKE ");
            sql.value(escaped(pattern).replace('*', "%").replace('?', "_"));
            sql.text(" ESCAPE '\\'");
        } else {
            sql.text(" = ");
            sql.value(pattern.clone());
        }
    }
    sql.text(")");
}

/// A text as LIKE takes it literally, but for the letters of patterns.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '%' | '_') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests;
