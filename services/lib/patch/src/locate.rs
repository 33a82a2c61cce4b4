//! Walks a path through the syntax tree and refuses what cannot be edited safely on the way.

use crate::{
    PatchError, Path, Segment,
    document::{Kind, Node},
};

/// Where a path ends.
pub(crate) enum Location<'a> {
    /// The node exists.
    Found(Target<'a>),
    /// The node at `depth` segments exists, but has nothing for the next one.
    Missing { parent: Target<'a>, depth: usize },
}

/// A node and the way to it.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) node: &'a Node,
    /// The collection that the node is in, and its position there.
    pub(crate) parent: Option<(&'a Node, usize)>,
    /// Column of the structure that the node belongs to is found through its collections.
    pub(crate) in_flow: bool,
}

/// Follows the path. Values below `at most one` missing segment are the caller's concern.
pub(crate) fn locate<'a>(root: &'a Node, path: &Path) -> Result<Location<'a>, PatchError> {
    let mut target = Target {
        node: root,
        parent: None,
        in_flow: false,
    };
    for (depth, segment) in path.segments().iter().enumerate() {
        check_editable(target.node, path)?;
        let Some(position) = position(target.node, segment, path)? else {
            return Ok(Location::Missing {
                parent: target,
                depth,
            });
        };
        target = child(target, position);
    }
    check_editable(target.node, path)?;
    check_below(target.node, path)?;
    Ok(Location::Found(target))
}

fn child(target: Target<'_>, position: usize) -> Target<'_> {
    let (node, is_flow) = match &target.node.kind {
        Kind::List { items, is_flow } => (&items[position], *is_flow),
        Kind::Map { entries, is_flow } => (&entries[position].1, *is_flow),
        Kind::Scalar { .. } | Kind::Alias => return target,
    };
    Target {
        node,
        parent: Some((target.node, position)),
        in_flow: target.in_flow || is_flow,
    }
}

/// The entry that a segment names. A scalar that is not absent has no entries at all.
fn position(node: &Node, segment: &Segment, path: &Path) -> Result<Option<usize>, PatchError> {
    match (&node.kind, segment) {
        (Kind::Map { entries, .. }, Segment::Key(key)) => key_position(entries, key, path),
        (Kind::List { items, .. }, Segment::Index(index)) if *index < items.len() => {
            Ok(Some(*index))
        }
        (Kind::List { .. }, Segment::Index(_)) => Err(PatchError::NotFound {
            path: path.to_string(),
        }),
        (Kind::List { items, .. }, Segment::Match { key, value }) => {
            item_position(items, key, value, path)
        }
        _ if node.is_absent() && !matches!(segment, Segment::Index(_)) => Ok(None),
        _ => Err(PatchError::WrongKind {
            path: path.to_string(),
            found: node.describe(),
            wanted: if matches!(segment, Segment::Key(_)) {
                "mapping"
            } else {
                "list"
            },
        }),
    }
}

fn key_position(
    entries: &[(Node, Node)],
    key: &str,
    path: &Path,
) -> Result<Option<usize>, PatchError> {
    let mut seen: Vec<_> = entries.iter().filter_map(|(key, _)| key.scalar()).collect();
    seen.sort_unstable();
    if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(PatchError::DuplicateKey {
            path: path.to_string(),
            key: pair[0].to_owned(),
        });
    }
    if entries.iter().any(|(key, _)| key.plain() == Some("<<")) {
        return Err(PatchError::MergeKey {
            path: path.to_string(),
        });
    }
    let found = entries.iter().position(|(it, _)| it.scalar() == Some(key));
    if let Some(found) = found {
        check_editable(&entries[found].0, path)?;
    }
    Ok(found)
}

fn item_position(
    items: &[Node],
    key: &str,
    value: &str,
    path: &Path,
) -> Result<Option<usize>, PatchError> {
    let matches = |item: &Node| match &item.kind {
        Kind::Map { entries, .. } => entries
            .iter()
            .any(|(k, v)| k.scalar() == Some(key) && v.scalar() == Some(value)),
        Kind::Scalar { .. } | Kind::List { .. } | Kind::Alias => false,
    };
    let found: Vec<_> = (0..items.len())
        .filter(|index| matches(&items[*index]))
        .collect();
    if found.len() > 1 {
        return Err(PatchError::AmbiguousItem {
            path: path.to_string(),
            count: found.len(),
        });
    }
    Ok(found.first().copied())
}

fn check_editable(node: &Node, path: &Path) -> Result<(), PatchError> {
    let path = || path.to_string();
    if node.is_anchored {
        return Err(PatchError::Anchored { path: path() });
    }
    if node.is_tagged {
        return Err(PatchError::Tagged { path: path() });
    }
    Ok(())
}

/// What is replaced or removed may hold no anchor that another place refers to.
fn check_below(node: &Node, path: &Path) -> Result<(), PatchError> {
    check_editable(node, path)?;
    match &node.kind {
        Kind::List { items, .. } => items.iter().try_for_each(|it| check_below(it, path)),
        Kind::Map { entries, .. } => entries.iter().try_for_each(|(key, value)| {
            check_below(key, path)?;
            check_below(value, path)
        }),
        Kind::Scalar { .. } | Kind::Alias => Ok(()),
    }
}
