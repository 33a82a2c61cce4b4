//! Continues an operation: each call takes it as far as it goes without waiting.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Reason, Reconciler, RoundResult, reset, until};
use crate::argocd::{
    application::Application,
    cluster::{ClusterError, described},
    compare::{Comparison, last_applied},
    events::EventKind,
    manifest::GroupKind,
    operation::{
        AttemptResult, OperationState, Phase, ResourceResult, ResultCode, SyncOperation,
        TERMINATED, TRIED, deployed,
    },
    origin::{Origin, revisions, texts},
    plan::{self, Step, Task, Work},
    predict::predict,
};

impl Reconciler {
    pub(super) async fn operate(
        &self,
        application: &Application,
    ) -> Result<RoundResult, ClusterError> {
        let Some(operation) = &application.operation else {
            return Ok(RoundResult::Rest);
        };
        let now = Timestamp::now();
        let running = application
            .status
            .operation_state
            .as_ref()
            .filter(|state| state.is_running());
        let Some(state) = running else {
            let state = OperationState::taken_up(operation, now);
            self.write_state(application, &state).await?;
            return Ok(RoundResult::Again(Reason::Changed));
        };
        if state.phase == Some(Phase::Terminating) {
            return self.terminate(application, state.clone()).await;
        }
        match state.next_attempt() {
            Some(at) if at > now => Ok(RoundResult::After(until(at, now))),
            Some(_) => {
                self.write_state(application, &state.retried()).await?;
                Ok(RoundResult::Again(Reason::Changed))
            }
            None => self.advance(application, state.clone()).await,
        }
    }

    /// Hooks that still run are taken away.
    async fn terminate(
        &self,
        application: &Application,
        mut state: OperationState,
    ) -> Result<RoundResult, ClusterError> {
        let results = state.sync_result.get_or_insert_default();
        for result in results
            .resources
            .iter_mut()
            .filter(|one| one.is_running_hook())
        {
            let key = result.key();
            if let Some(live) = self.live.get(&key) {
                self.live.delete(&key, &live).await?;
            }
            result.hook_phase = Some(Phase::Failed);
            "Terminated".clone_into(&mut result.message);
        }
        let ending = AttemptResult {
            phase: Phase::Failed,
            message: TERMINATED.to_owned(),
        };
        self.end(application, state, ending).await
    }

    async fn advance(
        &self,
        application: &Application,
        mut state: OperationState,
    ) -> Result<RoundResult, ClusterError> {
        let Some(sync) = state.operation.sync.clone() else {
            let message = "Invalid operation request: no operation specified";
            let ending = failed(message);
            return self.end(application, state, ending).await;
        };
        let comparison = match self.wanted(application, &sync, &mut state).await? {
            Ok(comparison) => comparison,
            Err(message) => {
                let ending = AttemptResult {
                    phase: Phase::Error,
                    message,
                };
                return self.end(application, state, ending).await;
            }
        };
        if let Err(error) = self.make_namespace(application, &sync).await {
            let ending = failed(&error.to_string());
            return self.end(application, state, ending).await;
        }
        let tasks = plan::tasks(&comparison, &sync);
        if let Some(ending) = self.refuse(&tasks, &mut state).await? {
            return self.end(application, state, ending).await;
        }
        self.carry_on(application, state, &tasks, &sync).await
    }

    async fn carry_on(
        &self,
        application: &Application,
        mut state: OperationState,
        tasks: &[Task],
        sync: &SyncOperation,
    ) -> Result<RoundResult, ClusterError> {
        loop {
            let results = state.sync_result.get_or_insert_default();
            match plan::next(tasks, &results.resources, |key| self.live.get(key)) {
                Step::Run(turn) => {
                    results.settle();
                    for task in turn {
                        results.resources.push(self.run(task, sync).await);
                    }
                }
                Step::Wait(_) | Step::End(_) if sync.dry_run => {
                    results.settle();
                    let ending = AttemptResult {
                        phase: Phase::Succeeded,
                        message: TRIED.to_owned(),
                    };
                    return self.end(application, state, ending).await;
                }
                Step::Wait(message) => {
                    state.message = message;
                    self.write_state(application, &state).await?;
                    return Ok(RoundResult::Rest);
                }
                Step::Settle {
                    message,
                    ready,
                    ending,
                } => {
                    if state.message == message && ready {
                        results.settle();
                        return self.end(application, state, ending).await;
                    }
                    state.message = message;
                    self.write_state(application, &state).await?;
                    return Ok(if ready {
                        RoundResult::Again(Reason::Changed)
                    } else {
                        RoundResult::Rest
                    });
                }
                Step::End(ending) => {
                    results.end_hooks();
                    return self.end(application, state, ending).await;
                }
            }
        }
    }

    /// Ends a sync that has anything in it that cannot be done at all, before the first of it is done.
    async fn refuse(
        &self,
        tasks: &[Task],
        state: &mut OperationState,
    ) -> Result<Option<AttemptResult>, ClusterError> {
        let (mut results, mut first) = (Vec::new(), None);
        for task in tasks {
            let Some((reason, message)) = self.objection(task).await? else {
                continue;
            };
            first.get_or_insert(reason);
            results.push(ResourceResult {
                hook_phase: None,
                ..task.result(ResultCode::SyncFailed, message)
            });
        }
        let Some(first) = first else {
            return Ok(None);
        };
        state.sync_result.get_or_insert_default().resources = results;
        let message = format!("one or more synchronization tasks are not valid: {first}");
        Ok(Some(failed(&message)))
    }

    /// Reasons why a task is impossible, for the operation and for the resource.
    async fn objection(&self, task: &Task) -> Result<Option<(String, String)>, ClusterError> {
        let key = &task.key;
        let kind = GroupKind::new(&key.group, &task.version, &key.kind);
        if task.target.is_none() || self.live.served(&kind).await?.is_some() {
            return Ok(None);
        }
        let version = match key.group.as_str() {
            "" => task.version.clone(),
            group => format!("{group}/{}", task.version),
        };
        let reason = format!(
            "failed to discover server resources for group version {version}: the server could not find the requested resource"
        );
        let unknown = ClusterError::unknown_kind(&kind, key);
        Ok(Some((reason, unknown.to_string())))
    }

    /// Compares with the revision of the operation. The outer error is the cluster's, the inner one the operation's.
    async fn wanted(
        &self,
        application: &Application,
        sync: &SyncOperation,
        state: &mut OperationState,
    ) -> Result<Result<Comparison, String>, ClusterError> {
        let origin = match self.chosen_origin(application, sync) {
            Ok(chosen) => chosen,
            Err(message) => return Ok(Err(message)),
        };
        let asked = revisions(&sync.revision, &sync.revisions);
        let asked = match asked {
            [one] if one.is_empty() => origin.target_revisions(),
            asked => asked.to_vec(),
        };
        let commits = match self.resolve(&origin, &asked).await {
            Ok(commits) => commits,
            Err((number, error)) => {
                let comparison = self.no_target(application, number, &error).await?;
                return Ok(Err(broken(&comparison).unwrap_or_default()));
            }
        };
        let result = state.sync_result.get_or_insert_default();
        (result.revision, result.revisions) = origin.one_or_several(&texts(&commits));
        result.written = origin.written.clone();
        let comparison = self.compare_with(application, &origin, &commits).await?;
        Ok(match broken(&comparison) {
            Some(message) => Err(message),
            None => Ok(comparison),
        })
    }

    /// The sources of the operation, when it names any (a rollback does), or the application's.
    fn chosen_origin(
        &self,
        application: &Application,
        sync: &SyncOperation,
    ) -> Result<Origin, String> {
        let to_message = |error: crate::argocd::application::SpecError| error.to_string();
        let origin = self.check(application).map_err(to_message)?;
        if sync.source.is_none() && sync.sources.is_empty() {
            return Ok(origin);
        }
        Origin::parse(sync.source.as_ref(), &sync.sources).map_err(to_message)
    }

    async fn make_namespace(
        &self,
        application: &Application,
        sync: &SyncOperation,
    ) -> Result<(), ClusterError> {
        const OPTION: &str = "CreateNamespace=true";
        let wanted = application.has_sync_option(OPTION)
            || sync.sync_options.iter().any(|option| option == OPTION);
        let namespace = &application.spec.destination.namespace;
        if wanted && !sync.dry_run && !namespace.is_empty() {
            self.live.create_namespace(namespace).await?;
        }
        Ok(())
    }

    async fn run(&self, task: &Task, sync: &SyncOperation) -> ResourceResult {
        if sync.dry_run {
            return tried(task);
        }
        let done = match (task.work, &task.target, &task.live) {
            (Work::Apply, Some(target), _) => self
                .live
                .apply(&task.key, target)
                .await
                .map(|message| (ResultCode::Synced, message)),
            (Work::Hook, Some(target), _) => self
                .run_hook(task, target)
                .await
                .map(|message| (ResultCode::Synced, message)),
            (Work::Prune, _, Some(live)) => self
                .live
                .delete(&task.key, live)
                .await
                .map(|()| (ResultCode::Pruned, "pruned".to_owned())),
            (Work::Apply | Work::Hook | Work::Prune | Work::SkipPrune, _, _) => Ok((
                ResultCode::PruneSkipped,
                "ignored (requires pruning)".to_owned(),
            )),
        };
        match done {
            Ok((code, message)) => task.result(code, message),
            Err(error) => task.result(ResultCode::SyncFailed, error.to_string()),
        }
    }

    /// A hook of an earlier sync makes way for the new one.
    async fn run_hook(&self, task: &Task, target: &Value) -> Result<String, ClusterError> {
        if let Some(before) = self.live.get(&task.key) {
            self.live.delete(&task.key, &before).await?;
            self.live.forget(&task.key);
        }
        self.live.apply(&task.key, target).await
    }

    async fn end(
        &self,
        application: &Application,
        state: OperationState,
        ending: AttemptResult,
    ) -> Result<RoundResult, ClusterError> {
        let now = Timestamp::now();
        let state = state.ended(&ending, now);
        if ending.phase == Phase::Succeeded {
            let history = deployed(
                &application.status.history,
                &state,
                application.spec.revision_history_limit,
                now,
            );
            if history != application.status.history {
                self.write(application, &json!({"status": {"history": history}}))
                    .await?;
            }
        }
        if !state.is_over() {
            self.write_state(application, &state).await?;
            return Ok(RoundResult::Again(Reason::Changed));
        }
        let patch = json!({"operation": null, "status": {"operationState": reset(&application.status, &state)}});
        self.write(application, &patch).await?;
        self.report(application, &completed(&state)).await;
        Ok(RoundResult::Again(Reason::Latest))
    }

    async fn write_state(
        &self,
        application: &Application,
        state: &OperationState,
    ) -> Result<Application, ClusterError> {
        if application.status.operation_state.as_ref() == Some(state) {
            return Ok(application.clone());
        }
        let patch = json!({"status": {"operationState": reset(&application.status, state)}});
        self.write(application, &patch).await
    }
}

fn failed(message: &str) -> AttemptResult {
    AttemptResult {
        phase: Phase::Failed,
        message: message.to_owned(),
    }
}

/// Result of a task in a dry run.
fn tried(task: &Task) -> ResourceResult {
    let (status, what) = match (task.work, &task.target, &task.live) {
        (Work::Prune, _, _) => (ResultCode::Pruned, "pruned".to_owned()),
        (Work::SkipPrune, _, _) => (
            ResultCode::PruneSkipped,
            "ignored (requires pruning)".to_owned(),
        ),
        (Work::Apply | Work::Hook, Some(target), Some(live)) => {
            let same = predict(target, last_applied(live).as_ref(), live) == *live;
            let verb = if same { "unchanged" } else { "configured" };
            (ResultCode::Synced, described(&task.key, verb))
        }
        (Work::Apply | Work::Hook, _, _) => (ResultCode::Synced, described(&task.key, "created")),
    };
    task.result(status, format!("{what} (dry run)"))
}

/// Message of a failed comparison.
fn broken(comparison: &Comparison) -> Option<String> {
    let mut conditions = comparison.conditions.iter();
    let (kind, message) = conditions.find(|(kind, _)| *kind == "ComparisonError")?;
    Some(format!("{kind}: {message}"))
}

fn completed(state: &OperationState) -> EventKind {
    let sync = state.operation.sync.as_ref();
    let partial = sync.is_some_and(|sync| !sync.resources.is_empty());
    let what = if partial {
        "Partial sync operation"
    } else {
        "Sync operation"
    };
    let revisions = state.revisions(",");
    if state.phase == Some(Phase::Succeeded) {
        EventKind::OperationSucceeded(format!("{what} to {revisions} succeeded"))
    } else {
        let message = &state.message;
        EventKind::OperationFailed(format!("{what} to {revisions} failed: {message}"))
    }
}
