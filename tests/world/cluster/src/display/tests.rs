use super::*;

fn at(step: Step, seconds: u64) -> Progress {
    let elapsed = Duration::from_secs(seconds);
    Progress {
        program: Program::Argocd,
        step,
        elapsed,
    }
}

#[test]
fn a_step_is_one_line_with_what_is_done_and_what_is_left() {
    let half = at(
        Step::Compiling {
            packages: 50,
            of: 97,
        },
        247,
    );
    assert_eq!(
        describe(&half),
        "4:07  50 %, 50 of 97 packages, about 4:07 left"
    );
    let begun = at(
        Step::Compiling {
            packages: 1,
            of: 97,
        },
        3,
    );
    assert_eq!(describe(&begun), "0:03  1 %, 1 of 97 packages");
    assert_eq!(
        describe(&at(Step::Downloading { modules: 9 }, 60)),
        "1:00  downloading, 9 modules"
    );
    assert_eq!(describe(&at(Step::Finished, 61)), "1:01  built");
}

#[test]
fn without_a_terminal_a_build_is_some_lines_and_not_thousands() {
    let mut milestones = Vec::new();
    for packages in 0..=2000 {
        milestones.push(milestone(&at(Step::Compiling { packages, of: 2000 }, 1)));
    }
    milestones.dedup();
    assert_eq!(milestones.len(), 10);
}
