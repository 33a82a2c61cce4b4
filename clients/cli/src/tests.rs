mod verbs;

use std::{fs, path::Path};

use clap::CommandFactory as _;

use super::{Cli, flags};

#[test]
fn the_command_line_is_well_formed() {
    flags::with_common_flags(Cli::command()).debug_assert();
}

/// Collects the help line of each command.
fn abouts(command: &clap::Command, place: &str, found: &mut Vec<(String, String)>) {
    let place = format!("{place} {}", command.get_name());
    let said = command.get_about().map(ToString::to_string);
    found.push((place.clone(), said.unwrap_or_default()));
    let below = command.get_subcommands();
    below.for_each(|command| abouts(command, &place, found));
}

#[test]
fn common_flags_do_not_change_help_lines() {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    abouts(&Cli::command(), "", &mut before);
    abouts(&flags::with_common_flags(Cli::command()), "", &mut after);
    assert!(before.len() > 100, "{}", before.len());
    assert_eq!(before, after);
}

/// Fails where a text that begins with "causeway" names a command that is not there.
pub(crate) fn check_command(text: &str) {
    let mut words = text.split_whitespace();
    if words.next() != Some("causeway") {
        return;
    }
    let mut command = Cli::command();
    for word in words.take_while(|word| word.starts_with(|it: char| it.is_ascii_lowercase())) {
        if !command.has_subcommands() {
            return;
        }
        let found = command.find_subcommand(word);
        let found = found.unwrap_or_else(|| panic!("'{text}' names '{word}', which is not there"));
        command = found.clone();
    }
}

/// Returns the cells of the tables below a heading of the README.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let text = include_str!("../README.md");
    let (_, rest) = text.split_once(&format!("\n{heading}\n")).unwrap();
    let lines = rest.lines().take_while(|line| !line.starts_with('#'));
    let rows = lines.filter(|line| line.starts_with("| ")).skip(1);
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    rows.map(cells).collect()
}

const OTHERS: [(&str, &str); 5] = [
    (
        "### argocd app",
        "actions run add-source confirm-deletion create delete delete-resource diff edit get get-resource history list logs \
         manifests patch patch-resource remove-source resources rollback set sync terminate-op unset wait",
    ),
    ("### argocd appset", "create delete generate get list"),
    (
        "### argocd proj",
        "add-destination add-destination-service-account add-orphaned-ignore add-signature-key add-source \
         add-source-namespace allow-cluster-resource allow-namespace-resource create delete deny-cluster-resource \
         deny-namespace-resource edit get list remove-destination remove-destination-service-account \
         remove-orphaned-ignore remove-signature-key remove-source remove-source-namespace role set source-integrity windows \
         add update enable-manual-sync disable-manual-sync enable-sync-overrun disable-sync-overrun git policies \
         create-token list-tokens delete-token add-policy remove-policy add-group remove-group",
    ),
    (
        "### kubectl argo rollouts",
        "abort analysisrun completion create dashboard experiment get image lint list notifications pause promote restart retry set status terminate \
         undo version",
    ),
    (
        "### argo",
        "archive auth backfill build cluster-template completion convert cp cron delete executor-plugin get lint list \
         list-label-keys list-label-values logs node resubmit resume retry server stop submit suspend sync template \
         terminate token update version wait watch",
    ),
];

#[test]
fn the_readme_has_every_verb_of_the_others_beside_ours_or_with_the_reason_why_not() {
    for (heading, verbs) in OTHERS {
        let rows = rows(heading);
        for verb in verbs.split_whitespace() {
            let found = rows.iter().any(|row| {
                let mut words = row[0].split([',', ' ', '(', ')']);
                words.any(|word| word == verb)
            });
            assert!(found, "{heading}: {verb}");
        }
        for row in rows {
            let ours = row[1].contains("`causeway ");
            assert!(ours || (row[1] == "–" && !row[2].is_empty()), "{row:?}");
        }
    }
}

/// What tells operators what to run: alerts, runbook, notes of the charts, pages.
const TEXTS: [&str; 9] = [
    "compose/prometheus/rules.yaml",
    "helm/OPERATING.md",
    "helm/README.md",
    "helm/causeway-platform/templates/NOTES.txt",
    "helm/causeway-runtime/templates/NOTES.txt",
    "compose/README.md",
    "proto/README.md",
    "README.md",
    "SECURITY.md",
];

#[test]
fn alerts_runbooks_and_notes_name_only_commands_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in TEXTS {
        let text = fs::read_to_string(root.join(name)).unwrap();
        let mut commands = 0;
        for line in text.lines() {
            let quoted = line.split(['`', '\'']).skip(1);
            let typed = line.trim_start();
            for text in quoted
                .chain([typed])
                .filter(|it| it.starts_with("causeway "))
            {
                check_command(text);
                commands += 1;
            }
        }
        assert!(commands > 0, "{name} names no command");
    }
}

#[test]
fn every_command_that_the_readme_names_is_there() {
    let text = include_str!("../README.md");
    for quoted in text.split('`').skip(1).step_by(2) {
        check_command(quoted.trim_start_matches("source <("));
    }
}
