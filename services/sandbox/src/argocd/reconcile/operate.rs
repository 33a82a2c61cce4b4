//! Carrying an operation on: each call takes it as far as it goes without waiting.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Next, Reason, Reconciler, reset, until};
use crate::argocd::{
    application::{Application, Source},
    cluster::ClusterError,
    compare::Comparison,
    operation::{
        Ending, OperationState, Phase, ResourceResult, ResultCode, SUCCEEDED, SyncOperation,
        TERMINATED, deployed,
    },
    plan::{self, Step, Task, Work},
};

impl Reconciler {
    pub(super) async fn operate(&self, application: &Application) -> Result<Next, ClusterError> {
        let Some(operation) = &application.operation else {
            return Ok(Next::Rest);
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
            return Ok(Next::Again(Reason::Changed));
        };
        if state.phase == Some(Phase::Terminating) {
            let ending = Ending {
                phase: Phase::Failed,
                message: TERMINATED.to_owned(),
            };
            return self.end(application, state.clone(), ending).await;
        }
        match state.next_attempt() {
            Some(at) if at > now => Ok(Next::After(until(at, now))),
            Some(_) => {
                self.write_state(application, &state.retried()).await?;
                Ok(Next::Again(Reason::Changed))
            }
            None => self.advance(application, state.clone()).await,
        }
    }

    async fn advance(
        &self,
        application: &Application,
        mut state: OperationState,
    ) -> Result<Next, ClusterError> {
        let Some(sync) = state.operation.sync.clone() else {
            let ending = Ending {
                phase: Phase::Failed,
                message: "Invalid operation request: no operation specified".to_owned(),
            };
            return self.end(application, state, ending).await;
        };
        let comparison = match self.wanted(application, &sync, &mut state).await? {
            Ok(comparison) => comparison,
            Err(message) => {
                return self
                    .end(
                        application,
                        state,
                        Ending {
                            phase: Phase::Error,
                            message,
                        },
                    )
                    .await;
            }
        };
        if let Err(error) = self.make_namespace(application, &sync).await {
            return self
                .end(
                    application,
                    state,
                    Ending {
                        phase: Phase::Failed,
                        message: error.to_string(),
                    },
                )
                .await;
        }
        let tasks = plan::tasks(&comparison, &sync);
        loop {
            let results = state.sync_result.get_or_insert_default();
            match plan::next(&tasks, &results.resources, |key| self.live.get(key)) {
                Step::Run(turn) => {
                    for task in turn {
                        results.resources.push(self.run(task, &sync).await);
                    }
                }
                Step::Wait(_) if sync.dry_run => {
                    let ending = Ending {
                        phase: Phase::Succeeded,
                        message: SUCCEEDED.to_owned(),
                    };
                    return self.end(application, state, ending).await;
                }
                Step::Wait(message) => {
                    state.message = message;
                    self.write_state(application, &state).await?;
                    return Ok(Next::Rest);
                }
                Step::End(ending) => return self.end(application, state, ending).await,
            }
        }
    }

    /// What the operation is to bring about. The outer error is the cluster's, the inner one the operation's.
    async fn wanted(
        &self,
        application: &Application,
        sync: &SyncOperation,
        state: &mut OperationState,
    ) -> Result<Result<Comparison, String>, ClusterError> {
        let (source, raw) = match chosen_source(application, sync) {
            Ok(chosen) => chosen,
            Err(message) => return Ok(Err(message)),
        };
        let revision = if sync.revision.is_empty() {
            &source.target_revision
        } else {
            &sync.revision
        };
        let commit = match self.sources.resolve(&source, revision).await {
            Ok(commit) => commit,
            Err(error) => {
                return Ok(Err(format!(
                    "ComparisonError: Failed to load target state: {error}"
                )));
            }
        };
        let result = state.sync_result.get_or_insert_default();
        (result.revision, result.source) = (commit.to_string(), raw);
        let comparison = self.compare_with(application, &source, &commit).await?;
        let broken = comparison
            .conditions
            .iter()
            .find(|(kind, _)| *kind == "ComparisonError");
        Ok(match broken {
            Some((kind, message)) => Err(format!("{kind}: {message}")),
            None => Ok(comparison),
        })
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
            return task.result(ResultCode::Synced, format!("{} (dry run)", task.key));
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
        ending: Ending,
    ) -> Result<Next, ClusterError> {
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
            return Ok(Next::Again(Reason::Changed));
        }
        let patch = json!({"operation": null, "status": {"operationState": reset(&application.status, &state)}});
        self.write(application, &patch).await?;
        Ok(Next::Again(Reason::Latest))
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

/// The source of the operation, when it names one (a rollback does), or the application's.
fn chosen_source(
    application: &Application,
    sync: &SyncOperation,
) -> Result<(Source, Value), String> {
    application
        .check_destination()
        .map_err(|error| error.to_string())?;
    if let Some(raw) = &sync.source {
        let source =
            Source::deserialize(raw).map_err(|error| format!("operation.sync.source: {error}"))?;
        return Ok((source, raw.clone()));
    }
    let (source, raw) = application.source().map_err(|error| error.to_string())?;
    Ok((source.clone(), raw.clone()))
}
