//! Lists that come in pages, read to their end.

use tonic::Status;

/// All rows of a list. `ask` gets where a page begins, and answers with its rows and where the next one begins: nowhere, where
/// there are no more.
pub(crate) async fn all<T>(
    mut ask: impl AsyncFnMut(String) -> Result<(Vec<T>, String), Status>,
) -> Result<Vec<T>, Status> {
    let (mut all, mut token) = (Vec::new(), String::new());
    loop {
        let (rows, next) = ask(token).await?;
        all.extend(rows);
        if next.is_empty() {
            return Ok(all);
        }
        token = next;
    }
}

#[cfg(test)]
mod tests;
