//! The comments of the contract, by what they stand at.

use std::collections::HashMap;

use prost_reflect::FileDescriptor;

/// Every comment of the contract: by file, then by place in it.
pub(super) struct Comments(HashMap<String, HashMap<Vec<i32>, String>>);

impl Comments {
    pub(super) fn new() -> Self {
        let files = causeway_proto::descriptor_pool().files();
        Self(
            files
                .map(|file| (file.name().to_owned(), places(&file)))
                .collect(),
        )
    }

    /// What is said of the place; empty where nothing is.
    pub(super) fn of(&self, file: &FileDescriptor, place: &[i32]) -> &str {
        let found = self.0.get(file.name()).and_then(|places| places.get(place));
        found.map(String::as_str).unwrap_or_default()
    }
}

fn places(file: &FileDescriptor) -> HashMap<Vec<i32>, String> {
    let info = file.file_descriptor_proto().source_code_info.iter();
    let commented = info.flat_map(|info| &info.location).filter_map(|location| {
        let comment = location.leading_comments.as_ref()?;
        Some((location.path.clone(), paragraphs(comment)))
    });
    commented.collect()
}

/// Without the breaks of lines, which say nothing, but for empty ones.
fn paragraphs(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len());
    for line in comment.trim().lines().map(str::trim) {
        match line {
            "" => text.push_str("\n\n"),
            line => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push(' ');
                }
                text.push_str(line);
            }
        }
    }
    text
}
