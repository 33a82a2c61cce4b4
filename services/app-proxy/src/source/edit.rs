//! A source as it is written, changed field by field.

use serde_json::{Map, Value, json};

use super::{HelmParameter, SourceOrder};

pub(super) struct Edit {
    source: Value,
    place: String,
    fields: Vec<String>,
}

impl Edit {
    pub(super) fn of(source: &Value, place: String) -> Self {
        let source = if source.is_object() {
            source.clone()
        } else {
            Value::Object(Map::new())
        };
        Self {
            source,
            place,
            fields: Vec::new(),
        }
    }

    pub(super) fn apply(&mut self, order: &SourceOrder) {
        if let Some(revision) = &order.revision {
            self.set(&["targetRevision"], json!(revision));
        }
        for parameter in &order.parameters {
            self.set_parameter(parameter);
        }
        for name in &order.removed_parameters {
            self.remove(&["helm", "parameters"], name, |it| it["name"] == **name);
        }
        if !order.value_files.is_empty() {
            self.set(&["helm", "valueFiles"], json!(order.value_files));
        }
        for image in &order.images {
            self.set_image(image);
        }
        for name in &order.removed_images {
            let is_it = |it: &Value| it.as_str().is_some_and(|it| image_name(it) == name);
            self.remove(&["kustomize", "images"], name, is_it);
        }
        let directory = &order.directory;
        if let Some(recurse) = directory.recurse {
            self.set(&["directory", "recurse"], json!(recurse));
        }
        if let Some(include) = &directory.include {
            self.set(&["directory", "include"], json!(include));
        }
        if let Some(exclude) = &directory.exclude {
            self.set(&["directory", "exclude"], json!(exclude));
        }
    }

    pub(super) fn done(self) -> (Value, Vec<String>) {
        (self.source, self.fields)
    }

    fn set(&mut self, path: &[&str], value: Value) {
        // What Argo CD leaves out where it is the usual.
        let usual = value == json!("") || value == json!(false);
        let same = match self.held(path) {
            Some(held) => *held == value,
            None => usual,
        };
        if !same {
            *self.at(path) = value;
            let field = format!("{}.{}", self.place, path.join("."));
            self.fields.push(field);
        }
    }

    fn held(&self, path: &[&str]) -> Option<&Value> {
        let mut path = path.iter();
        path.try_fold(&self.source, |at, part| at.get(part))
    }

    fn set_parameter(&mut self, parameter: &HelmParameter) {
        let mut wanted = json!({ "name": parameter.name, "value": parameter.value });
        if parameter.force_string {
            wanted["forceString"] = json!(true);
        }
        let is_it = |it: &Value| it["name"] == *parameter.name;
        self.put(&["helm", "parameters"], &parameter.name, wanted, is_it);
    }

    fn set_image(&mut self, image: &str) {
        let name = image_name(image);
        let is_it = |it: &Value| it.as_str().is_some_and(|it| image_name(it) == name);
        self.put(&["kustomize", "images"], name, json!(image), is_it);
    }

    /// Puts an item into a list, in place of the one that is the same thing.
    fn put(&mut self, path: &[&str], name: &str, item: Value, is_it: impl Fn(&Value) -> bool) {
        let field = format!("{}.{}[{name}]", self.place, path.join("."));
        let list = self.list(path);
        match list.iter_mut().find(|it| is_it(it)) {
            Some(held) if *held == item => return,
            Some(held) => *held = item,
            None => list.push(item),
        }
        self.fields.push(field);
    }

    fn remove(&mut self, path: &[&str], name: &str, is_it: impl Fn(&Value) -> bool) {
        let held = self.held(path);
        if !held
            .and_then(Value::as_array)
            .is_some_and(|it| it.iter().any(&is_it))
        {
            return;
        }
        self.list(path).retain(|it| !is_it(it));
        let field = format!("{}.{}[{name}]", self.place, path.join("."));
        self.fields.push(field);
    }

    fn list(&mut self, path: &[&str]) -> &mut Vec<Value> {
        let place = self.at(path);
        if !place.is_array() {
            *place = json!([]);
        }
        place.as_array_mut().expect("it was made a list above")
    }

    fn at(&mut self, path: &[&str]) -> &mut Value {
        path.iter().fold(&mut self.source, |at, part| {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            &mut at[*part]
        })
    }
}

/// What an image is called in the manifests: what comes before its new name, tag or digest.
pub(crate) fn image_name(image: &str) -> &str {
    if let Some((name, _)) = image.split_once('=') {
        return name;
    }
    let image = image.split_once('@').map_or(image, |(name, _)| name);
    // A colon before the last slash is of a port.
    match image.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        _ => image,
    }
}
