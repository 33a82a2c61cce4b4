//! The commits that a push lists, with their files.

use serde::Deserialize;

use super::commit;

/// A listed commit.
#[derive(Deserialize)]
pub(super) struct ListedCommit {
    id: Option<String>,
    added: Option<Vec<String>>,
    modified: Option<Vec<String>>,
    removed: Option<Vec<String>>,
}

/// The files of an update from one commit to another; none if the new commit or one of the lists is absent.
pub(super) fn files(
    commits: &[ListedCommit],
    before: Option<&String>,
    after: Option<&String>,
) -> Option<Vec<String>> {
    let (before, after) = (commit(before.cloned()), commit(after.cloned()));
    let has_tip = commits.iter().any(|one| one.id.as_ref() == Some(&after));
    (has_tip && !before.is_empty() && !after.is_empty()).then_some(())?;
    let mut files = Vec::new();
    for one in commits {
        for list in [&one.added, &one.modified, &one.removed] {
            files.extend(list.as_ref()?.iter().cloned());
        }
    }
    files.sort_unstable();
    files.dedup();
    Some(files)
}
