//! One suite for every provider, on stand-ins that serve each provider's API over real bare repositories.
//!
//! A stand-in is no proof that a provider behaves so: it shows that the calls, the JSON and the decisions fit the published API.
#![cfg(test)]

mod answers;
mod app;
mod gitea_program;
mod recorded;
mod stand_in;
mod suite;

/// Generates a module with a test of each behaviour.
macro_rules! on {
    ($personality:ident: $($behaviour:ident,)+) => {
        mod $personality {
            $(#[tokio::test]
            async fn $behaviour() {
                let subject = crate::stand_in::start(crate::stand_in::Personality::$personality()).await;
                crate::suite::$behaviour(&subject).await;
            })+
        }
    };
}

macro_rules! every_behaviour_on {
    ($($personality:ident),+) => { $(
        on! { $personality:
            the_user_of_the_credential_is_named,
            a_wrong_credential_is_refused_without_being_shown,
            a_weak_credential_reads_and_may_not_write,
            another_program_behind_the_url_is_named,
            repositories_are_listed_in_pages_and_searched,
            branches_are_listed_with_their_heads,
            files_are_listed_and_read,
            a_comparison_has_commits_and_files,
            a_pull_request_that_is_opened_twice_is_one,
            a_merge_right_after_opening_waits_until_it_is_possible,
            a_merge_that_is_repeated_returns_the_first_commit,
            a_head_that_moved_is_not_merged,
            a_conflict_is_never_merged,
            a_closed_pull_request_is_not_merged,
            pull_requests_are_listed_by_their_state,
            a_protected_branch_refuses_until_its_rules_are_met,
            a_scheduled_merge_happens_when_the_rules_are_met,
            statuses_are_written_and_read,
            comments_are_written_and_read,
            webhooks_are_created_listed_and_deleted,
            deliveries_are_listed_and_repeated_where_the_provider_can,
        }
    )+ };
}

every_behaviour_on!(
    gitea,
    github,
    gitlab,
    bitbucket_cloud,
    bitbucket_data_center,
    azure_devops
);

/// The same on Gitea itself, where it is built.
mod real {
    macro_rules! real {
        ($($behaviour:ident,)+) => { $(
            #[test]
            fn $behaviour() {
                crate::gitea_program::on_gitea(crate::suite::$behaviour);
            }
        )+ };
    }
    real! {
        the_user_of_the_credential_is_named,
        a_wrong_credential_is_refused_without_being_shown,
        a_weak_credential_reads_and_may_not_write,
        another_program_behind_the_url_is_named,
        repositories_are_listed_in_pages_and_searched,
        branches_are_listed_with_their_heads,
        files_are_listed_and_read,
        a_comparison_has_commits_and_files,
        a_pull_request_that_is_opened_twice_is_one,
        a_merge_right_after_opening_waits_until_it_is_possible,
        a_merge_that_is_repeated_returns_the_first_commit,
        a_head_that_moved_is_not_merged,
        a_conflict_is_never_merged,
        a_closed_pull_request_is_not_merged,
        pull_requests_are_listed_by_their_state,
        a_protected_branch_refuses_until_its_rules_are_met,
        a_scheduled_merge_happens_when_the_rules_are_met,
        own_approvals_are_refused,
        statuses_are_written_and_read,
        comments_are_written_and_read,
        webhooks_are_created_listed_and_deleted,
        deliveries_are_listed_and_repeated_where_the_provider_can,
    }
}

/// Bitbucket Cloud and Azure DevOps let authors approve.
mod own_approvals_are_refused {
    use crate::{
        stand_in::{Personality, start},
        suite::own_approvals_are_refused,
    };

    #[tokio::test]
    async fn by_the_other_four() {
        for personality in [
            Personality::Gitea,
            Personality::GitHub,
            Personality::GitLab,
            Personality::BitbucketDataCenter,
        ] {
            own_approvals_are_refused(&start(personality).await).await;
        }
    }
}
