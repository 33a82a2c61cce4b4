//! Argo CD as watchers of an Application and callers of the REST API see it.
//!
//! Both targets must match `expected/argocd/<behaviour>.txt`, recorded from the real Argo CD.
//! The list is complete: a behaviour outside it is dead code, which the compiler refuses.

/// Generates a test for each behaviour; `on_target` of [`world`] selects the target.
macro_rules! behaviours {
    ($on_target:ident) => {
        crate::argocd::suite! { $on_target {
            lifecycle {
                created_and_left_out_of_sync,
                synced_by_hand,
                synced_by_itself,
                healed,
                pruned,
                prune_refused,
                rolled_back,
                terminated,
                deleted_with_resources,
                deleted_alone,
                refreshed,
            }
            phases {
                hooks_end,
                waves_wait,
                two_at_once,
                part_of_it,
                only_tried,
            }
            deletions {
                by_the_api_with_resources,
                by_the_api_alone,
                of_an_owner,
            }
            failures {
                sync_fails,
                all_fails,
                kind_is_unknown,
                destination_is_unknown,
                path_is_missing,
                revision_is_bad,
                project_is_missing,
            }
            answers {
                about_resources,
                about_revisions,
                to_unauthenticated_callers,
                to_what_makes_no_sense,
                about_actions,
                about_permissions,
            }
            sources {
                several,
                make_applications,
            }
            health {
                of_a_deployment,
                of_a_paused_deployment,
                of_a_pod_that_fails,
                of_a_pod_that_ends,
            }
        } }
    };
}
macro_rules! suite {
    ($on_target:ident { $($topic:ident { $($behaviour:ident,)+ })+ }) => {
        mod argocd {
            $(mod $topic {
                $(#[test]
                fn $behaviour() {
                    crate::argocd::world::$on_target(crate::argocd::$topic::$behaviour);
                })+
            })+
        }
    };
}
pub(crate) use {behaviours, suite};

pub(crate) mod answers;
mod application;
mod cluster;
pub(crate) mod deletions;
mod expected;
pub(crate) mod failures;
pub(crate) mod health;
pub(crate) mod lifecycle;
pub(crate) mod phases;
mod plain;
pub(crate) mod sources;
mod track;
pub(crate) mod world;
