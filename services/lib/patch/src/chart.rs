//! The `dependencies` list of a Helm chart.

use crate::{
    DocumentSelector, Edit, Format, Operation, PatchError, Path, Segment, Value,
    edit::{apply, read},
};

/// Writes the version of a dependency, found by its alias or its name.
pub fn set_chart_dependency(
    content: &[u8],
    name: &str,
    version: &str,
    expected: Option<&str>,
) -> Result<Vec<u8>, PatchError> {
    let document = &DocumentSelector::Only;
    let mut path = version_path("alias", name)?;
    if read(Format::Yaml, content, document, &path)?.is_none() {
        path = version_path("name", name)?;
    }
    if read(Format::Yaml, content, document, &path)?.is_none() {
        return Err(PatchError::NotFound {
            path: path.to_string(),
        });
    }
    let set = Operation::Set(Value::string(version));
    let edit = Edit::new(path, set).expecting(expected.map(Value::string));
    apply(Format::Yaml, content, document, &[edit])
}

fn version_path(key: &str, name: &str) -> Result<Path, PatchError> {
    Path::new(vec![
        Segment::Key("dependencies".to_owned()),
        Segment::Match {
            key: key.to_owned(),
            value: name.to_owned(),
        },
        Segment::Key("version".to_owned()),
    ])
}
