//! What installs a runtime, for those who do it by other means.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::{ChartArgs, given, values::InstallChoices};
use crate::output;

/// Output format of an installation.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrintFormat {
    /// The command line of Helm
    Helm,
    /// The values of the chart
    Values,
    /// A helm_release of Terraform
    Terraform,
    /// An Application of Argo CD
    Argocd,
}

/// The Secret with the join token, where it must not be written down.
const TOKEN_SECRET: &str = "causeway-join-token";

pub(super) fn print(
    shape: PrintFormat,
    answers: &InstallChoices<'_>,
    chart: &ChartArgs,
    release: &str,
) -> anyhow::Result<()> {
    let text = text(shape, answers, chart, release)?;
    output::line(text.trim_end())
}

pub(super) fn text(
    shape: PrintFormat,
    answers: &InstallChoices<'_>,
    chart: &ChartArgs,
    release: &str,
) -> anyhow::Result<String> {
    let mut values = answers.values()?;
    if shape == PrintFormat::Helm {
        return Ok(helm(&values, answers, chart, release));
    }
    given::lay_over(&mut values, &chart.files)?;
    if shape != PrintFormat::Terraform {
        values["joinToken"] = json!({"existingSecret": TOKEN_SECRET});
    }
    let printed = match shape {
        PrintFormat::Terraform => return terraform(&values, answers, chart, release),
        PrintFormat::Argocd => application(&values, answers, chart, release)?,
        PrintFormat::Helm | PrintFormat::Values if chart.set.is_empty() => values,
        PrintFormat::Helm | PrintFormat::Values => bail!(
            "--print values: write what --set says into a file for --values, or give it to helm beside what is printed"
        ),
    };
    Ok(format!("{}{}", secret(answers), yaml(&printed)?))
}

/// How the Secret is made that the values name.
fn secret(answers: &InstallChoices<'_>) -> String {
    let (name, namespace) = (answers.name, &answers.install.namespace);
    format!(
        "# first, as a user of the platform; the token is good for 15 minutes, and the Secret may go once the runtime has joined:\n\
         # kubectl create secret generic {TOKEN_SECRET} -n {namespace} --from-literal=token=\"$(causeway runtime token {name})\"\n"
    )
}

fn yaml(value: &Value) -> anyhow::Result<String> {
    serde_saphyr::to_string(value).context("writing YAML")
}

fn helm(values: &Value, answers: &InstallChoices<'_>, chart: &ChartArgs, release: &str) -> String {
    let mut words = vec![
        format!(
            "helm upgrade --install {} {}",
            quoted(release),
            quoted(chart.reference())
        ),
        format!(
            "--namespace {} --create-namespace",
            quoted(&answers.install.namespace)
        ),
    ];
    if let Some(version) = &chart.chart_version {
        words.push(format!("--version {}", quoted(version)));
    }
    leaves("", values, &mut words);
    words.push(format!(
        "--set-string joinToken.value=\"$(causeway runtime token {})\"",
        answers.name
    ));
    words.extend(
        chart
            .files
            .iter()
            .map(|file| format!("--values {}", quoted(&file.display().to_string()))),
    );
    words.extend(chart.set.iter().map(|set| format!("--set {}", quoted(set))));
    let export = chart.export_command().map(|it| format!("{it}\n"));
    export.unwrap_or_default() + &words.join(" \\\n  ")
}

/// A flag for each value.
fn leaves(path: &str, value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(&format!("{path}{dot}{name}"), value, words);
            }
        }
        Value::String(text) => {
            let text = text.replace('\\', "\\\\").replace(',', "\\,");
            words.push(format!(
                "--set-string {}",
                quoted(&format!("{path}={text}"))
            ));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            words.push(format!("--set-json {}", quoted(&format!("{path}={value}"))))
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn terraform(
    values: &Value,
    answers: &InstallChoices<'_>,
    chart: &ChartArgs,
    release: &str,
) -> anyhow::Result<String> {
    let yaml = yaml(values)?.replace("${", "$${").replace("%{", "%%{");
    let yaml: String = yaml.lines().map(|line| format!("    {line}\n")).collect();
    let version = match &chart.chart_version {
        Some(version) => format!("  version          = {}\n", json!(version)),
        None => String::new(),
    };
    let set = set(chart)?;
    let export = chart.export_command();
    let export = export.map(|it| format!("# first: {it}\n"));
    Ok(export.unwrap_or_default()
        + &format!(
            "variable \"causeway_join_token\" {{\n  \
           description = \"What 'causeway runtime token {name}' prints; good for 15 minutes, once\"\n  \
           type        = string\n  \
           sensitive   = true\n\
         }}\n\n\
         resource \"helm_release\" \"causeway_runtime\" {{\n  \
           name             = {release_json}\n  \
           namespace        = {namespace}\n  \
           create_namespace = true\n  \
           chart            = {chart}\n{version}  \
           values = [<<-YAML\n{yaml}  YAML\n  , yamlencode({{ joinToken = {{ value = var.causeway_join_token }} }})]\n{set}\
         }}\n",
            name = answers.name,
            release_json = json!(release),
            namespace = json!(answers.install.namespace),
            chart = json!(chart.reference()),
        ))
}

/// As the provider's version 3 has it.
fn set(chart: &ChartArgs) -> anyhow::Result<String> {
    if chart.set.is_empty() {
        return Ok(String::new());
    }
    let mut lines = String::new();
    for (name, value) in parameters(chart)? {
        let [name, value] = [name, value].map(|text| literal(&text));
        lines.push_str(&format!("    {{ name = {name}, value = {value} }},\n"));
    }
    Ok(format!("  set = [\n{lines}  ]\n"))
}

/// A text as Terraform reads it.
fn literal(text: &str) -> String {
    json!(text)
        .to_string()
        .replace("${", "$${")
        .replace("%{", "%%{")
}

fn parameters(chart: &ChartArgs) -> anyhow::Result<Vec<(String, String)>> {
    let pairs = chart.set.iter().map(|set| given::pairs(set));
    let pairs: Result<Vec<_>, _> = pairs.collect();
    Ok(pairs?.concat())
}

fn application(
    values: &Value,
    answers: &InstallChoices<'_>,
    chart: &ChartArgs,
    release: &str,
) -> anyhow::Result<Value> {
    let registry = chart
        .reference()
        .strip_prefix("oci://")
        .and_then(|rest| rest.rsplit_once('/'));
    let Some((registry, name)) = registry else {
        bail!(
            "--print argocd: Argo CD reads the chart from a registry; give --chart oci://REGISTRY/causeway-runtime and --chart-version"
        );
    };
    let version = chart.chart_version.as_ref();
    let version = version.context("--print argocd: give --chart-version")?;
    let namespace = answers
        .install
        .argocd_namespace
        .as_deref()
        .unwrap_or("argocd");
    let parameters = parameters(chart)?.into_iter().map(|(name, value)| {
        // Argo CD escapes commas itself.
        json!({"name": name, "value": value.replace("\\,", ",")})
    });
    let parameters: Vec<_> = parameters.collect();
    let mut application = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": format!("causeway-runtime-{release}"), "namespace": namespace},
        "spec": {
            "project": "default",
            "destination": {
                "server": "https://kubernetes.default.svc",
                "namespace": answers.install.namespace,
            },
            "source": {
                "repoURL": registry,
                "chart": name,
                "targetRevision": version,
                "helm": {"releaseName": release, "valuesObject": values},
            },
            "syncPolicy": {"automated": {}, "syncOptions": ["CreateNamespace=true"]},
        },
    });
    if !parameters.is_empty() {
        application["spec"]["source"]["helm"]["parameters"] = parameters.into();
    }
    Ok(application)
}
