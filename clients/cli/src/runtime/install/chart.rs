//! The chart of the runtime that this binary brings along, for installations outside the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde_json::json;
use tempfile::TempDir;

use super::ChartArgs;
use crate::output::{self, Format};

/// Paths in the chart, and what is in the files.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/chart.rs"));
/// Where 'causeway runtime chart' writes it in what is printed.
const FOLDER: &str = "./causeway-runtime";

/// Write the chart of this version into a folder, for Helm and others
#[derive(clap::Args, Debug)]
pub(crate) struct ExportChartArgs {
    /// The folder, which must be empty or missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl ExportChartArgs {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<()> {
        let folder = &self.folder;
        let is_used = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            bail!(
                "{} is not empty: choose another folder, or remove it",
                folder.display()
            );
        }
        write(folder)?;
        let version = env!("CARGO_PKG_VERSION");
        let folder = folder.display().to_string();
        match format {
            Format::Table => output::line(format!("{folder}: chart {version} written")),
            Format::Json | Format::Yaml => {
                output::value(&json!({ "folder": folder, "version": version }), format)
            }
        }
    }
}

/// A chart that Helm can read; removed when dropped, if it came from this binary.
pub(super) struct ReadableChart {
    pub(super) args: ChartArgs,
    _folder: Option<TempDir>,
}

impl ChartArgs {
    /// The chart that a flag names, or the one of this binary in a temporary folder.
    pub(super) fn readable(&self) -> anyhow::Result<ReadableChart> {
        let mut args = self.clone();
        if args.chart.is_some() {
            return Ok(ReadableChart {
                args,
                _folder: None,
            });
        }
        let folder = tempfile::tempdir().context("cannot create a folder for the chart")?;
        let chart = folder.path().join("causeway-runtime");
        write(&chart)?;
        args.chart = Some(chart.display().to_string());
        Ok(ReadableChart {
            args,
            _folder: Some(folder),
        })
    }

    /// The chart as another program names it.
    pub(super) fn reference(&self) -> &str {
        self.chart.as_deref().unwrap_or(FOLDER)
    }

    /// The command that writes the chart of this binary, where no flag names another.
    pub(super) fn export_command(&self) -> Option<String> {
        let exports = self.chart.is_none();
        exports.then(|| format!("causeway runtime chart {FOLDER}"))
    }
}

fn write(folder: &Path) -> anyhow::Result<()> {
    for (name, content) in FILES {
        let file = folder.join(name);
        let written = file
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&file, content));
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_of_the_binary_is_that_of_the_repository() {
        let chart = ChartArgs::default().readable().unwrap();
        let folder = PathBuf::from(chart.args.chart.clone().unwrap());
        for name in [
            "Chart.yaml",
            "values.yaml",
            "values.schema.json",
            "templates/_runtime.tpl",
            "templates/common/_causeway.tpl",
        ] {
            let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helm/causeway-runtime");
            let expected = fs::read(own.join(name)).unwrap();
            assert_eq!(fs::read(folder.join(name)).unwrap(), expected, "{name}");
        }
        let text = fs::read_to_string(folder.join("Chart.yaml")).unwrap();
        let version = format!("version: {}\n", env!("CARGO_PKG_VERSION"));
        assert!(text.contains(&version), "{text}");
        drop(chart);
        assert!(!folder.exists());
    }

    #[test]
    fn a_chart_is_not_written_over_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let args = |name: &str| ExportChartArgs {
            folder: folder.path().join(name),
        };
        args("chart").run(Format::Table).unwrap();
        let error = args("chart").run(Format::Table).unwrap_err().to_string();
        assert!(error.contains("is not empty"), "{error}");
    }

    #[test]
    fn a_chart_that_a_flag_names_stays_where_it_is() {
        let args = ChartArgs {
            chart: Some("oci://registry/causeway-runtime".to_owned()),
            ..ChartArgs::default()
        };
        assert_eq!(args.readable().unwrap().args.chart, args.chart);
        assert_eq!(args.export_command(), None);
    }
}
