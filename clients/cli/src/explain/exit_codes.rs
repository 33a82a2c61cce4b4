//! The exit codes.

use super::Explanation;

const KIND: &str = "exit code";

pub(super) const ALL: &[Explanation] = &[
    Explanation {
        word: "exit code 0",
        kind: KIND,
        means: "Done: what was asked for is so, or the answer is yes.",
        why: &[],
        next: &[],
    },
    Explanation {
        word: "exit code 1",
        kind: KIND,
        means: "Failed, or no to a question such as 'causeway can-i'.",
        why: &[
            "the platform refused what was asked for, a name fits several objects, or a file or a flag's value is wrong",
            "'causeway can-i' answered no",
        ],
        next: &["read the line on stderr: it ends with the next step"],
    },
    Explanation {
        word: "exit code 2",
        kind: KIND,
        means: "Wrong usage: nothing was sent.",
        why: &[
            "there is no such command or flag, or a value has another form",
            "the command asks before it deletes or revokes, and there is no terminal to ask on",
        ],
        next: &["run the same command with --help", "pass --yes in scripts"],
    },
    Explanation {
        word: "exit code 3",
        kind: KIND,
        means: "The command did its work, and the answer is no: a failed operation, a part that is not well, a difference.",
        why: &["what was waited for ended badly, or what was compared is not the same"],
        next: &["read what was printed: it is the answer"],
    },
    Explanation {
        word: "exit code 4",
        kind: KIND,
        means: "Not there, or not allowed: the two are told alike, so that names cannot be guessed.",
        why: &[
            "there is no such object",
            "no role of yours selects it",
            "not signed in, or the session or the key has ended",
        ],
        next: &[
            "see who you are with 'causeway whoami'",
            "ask which rule is missing with 'causeway can-i VERB ENTITY'",
            "sign in again with 'causeway login'",
        ],
    },
    Explanation {
        word: "exit code 5",
        kind: KIND,
        means: "Try again later: something does not answer, is too busy, or took longer than --timeout.",
        why: &[
            "the platform, a runtime or Argo CD does not answer",
            "there were too many calls at once",
            "another change came first",
        ],
        next: &[
            "run the command again: with the same --request-id it has no second effect",
            "see what does not answer with 'causeway status' and 'causeway runtime list'",
        ],
    },
    Explanation {
        word: "exit code 20",
        kind: KIND,
        means: "What 'causeway app wait' waited for did not come; 'argocd app wait' ends so too.",
        why: &[
            "it took longer than --timeout",
            "an operation failed, or the application is not there",
        ],
        next: &["see why with 'causeway app get NAME'"],
    },
    Explanation {
        word: "exit code 130",
        kind: KIND,
        means: "Interrupted by Ctrl-C. What was started goes on.",
        why: &["Ctrl-C was pressed while calls were made or operations were awaited"],
        next: &[
            "read on stderr what was started",
            "wait for it with 'causeway app wait NAME --operation'",
        ],
    },
];
