//! All modes rendered, once for all tests.

use std::sync::OnceLock;

use serde_json::Value;

use crate::{Chart, Mode, Release, helm, modes};

/// A mode as it is rendered.
pub(crate) struct Rendered {
    pub(crate) mode: Mode,
    pub(crate) release: Release,
}

static RENDERED: OnceLock<Vec<Rendered>> = OnceLock::new();

/// Every mode. Without Helm there is none, and the test is skipped.
pub(crate) fn rendered() -> &'static [Rendered] {
    let Some(helm) = helm() else {
        return &[];
    };
    RENDERED.get_or_init(|| {
        let render = |mode: Mode| Rendered {
            mode,
            release: mode.chart.render(&helm, mode.values),
        };
        modes().into_iter().map(render).collect()
    })
}

impl Rendered {
    /// CHART in MODE, for a test that fails.
    pub(crate) fn name(&self) -> String {
        format!("{} in {}", self.mode.chart.name(), self.mode.name)
    }

    /// What is this chart's own: not what a chart that it depends on adds.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Value> {
        let chart = self.mode.chart.name();
        let is_own = move |object: &&Value| {
            let label = text(object, "/metadata/labels/helm.sh~1chart");
            label.starts_with(chart)
        };
        self.release.objects.iter().filter(is_own)
    }

    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.own().filter(move |it| text(it, "/kind") == kind)
    }

    /// The pods, as KIND/NAME with the pod's metadata and spec.
    pub(crate) fn pods(&self) -> Vec<(String, &Value)> {
        let pod = |object| match text(object, "/kind") {
            "Deployment" | "StatefulSet" | "Job" => {
                Some((named(object), &object["spec"]["template"]))
            }
            "Pod" => Some((named(object), object)),
            _ => None,
        };
        self.own().filter_map(pod).collect()
    }

    /// The one object of this kind and name.
    pub(crate) fn find(&self, kind: &str, name: &str) -> Option<&Value> {
        let mut found = self.own().filter(|it| text(it, "/kind") == kind);
        found.find(|it| text(it, "/metadata/name") == name)
    }
}

/// The mode of this name; none where the test is skipped.
///
/// # Panics
/// The chart has no such mode.
#[track_caller]
pub(crate) fn mode(chart: Chart, name: &str) -> Option<&'static Rendered> {
    let modes = rendered();
    let found = modes
        .iter()
        .find(|it| it.mode.chart == chart && it.mode.name == name);
    assert!(
        found.is_some() || modes.is_empty(),
        "{chart:?} has no mode {name}"
    );
    found
}

/// KIND/NAME.
pub(crate) fn named(object: &Value) -> String {
    format!(
        "{}/{}",
        text(object, "/kind"),
        text(object, "/metadata/name")
    )
}

/// A text in an object; empty where there is none.
pub(crate) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    let found = object.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// A list in an object; empty where there is none.
pub(crate) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    let found = object.pointer(pointer).and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// All containers of a pod, those that run first included.
pub(crate) fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    let first = list(pod, "/spec/initContainers").iter();
    first.chain(list(pod, "/spec/containers"))
}

/// Texts of a list.
pub(crate) fn texts<'a>(object: &'a Value, pointer: &str) -> Vec<&'a str> {
    let entries = list(object, pointer).iter();
    entries.filter_map(Value::as_str).collect()
}
