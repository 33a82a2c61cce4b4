//! The Kubernetes API. The list is complete: a behaviour outside it is dead code, which the compiler refuses.

macro_rules! behaviours {
    () => {
        crate::suite! { kubernetes {
            lists {
                a_list_has_its_kind_and_revision_and_items_have_no_kind_of_their_own,
                items_of_a_custom_kind_carry_their_kind,
                an_empty_list_has_an_empty_list_of_items,
                labels_select,
                fields_select_by_what_the_kind_allows,
                a_custom_kind_is_selected_by_its_name_only,
                a_selector_that_cannot_be_read_is_refused,
                pages_show_one_revision_whatever_is_written_between_them,
                a_page_of_a_selection_does_not_say_how_many_are_left,
                a_limit_does_not_hold_where_any_revision_will_do,
                an_unreadable_continue_token_is_refused,
                an_exact_revision_that_is_forgotten_is_gone,
                an_exact_old_revision_is_shown_as_it_was,
                a_future_revision_times_out,
                numbers_that_are_none_are_refused,
                a_kind_is_listed_across_namespaces,
            }
            watches {
                a_watch_from_a_revision_gives_exactly_what_came_after,
                a_watch_from_nothing_begins_with_what_is_there,
                a_watch_sees_what_is_written_while_it_is_open,
                a_write_that_changes_nothing_is_no_event,
                entering_and_leaving_a_selection_are_additions_and_deletions,
                one_object_is_watched_by_its_name,
                a_deletion_carries_the_last_state_at_a_revision_of_its_own,
                a_held_object_is_seen_to_be_deleting_first,
                a_bookmark_comes_before_the_end_where_it_was_asked_for,
                a_watch_ends_after_its_timeout_without_a_word,
                a_forgotten_revision_is_gone_as_an_event,
                a_watch_from_the_future_waits,
                a_watch_from_what_is_no_revision_fails,
                a_watch_of_a_table_sends_its_columns_once,
                a_watch_of_an_unknown_kind_is_not_found,
                the_watcher_of_the_client_library_keeps_up,
            }
            creation {
                a_new_object_gets_its_identity,
                the_manager_of_a_write_is_named_by_the_client_or_the_request,
                an_object_that_is_there_already_is_refused,
                a_name_is_made_where_only_its_beginning_is_given,
                names_are_checked,
                the_body_must_speak_of_the_path,
                a_body_that_cannot_be_read_is_refused,
                a_revision_is_not_for_new_objects,
                a_namespace_must_be_there,
            }
            writes {
                a_stale_writer_gets_a_conflict,
                a_write_that_changes_nothing_keeps_the_revision,
                what_is_absent_cannot_be_changed,
                a_secret_is_written_in_plain_text_and_kept_encoded,
                generation_counts_changes_of_what_is_desired,
                status_is_written_by_its_subresource_only,
            }
            patches {
                a_merge_patch_sets_and_removes,
                a_json_patch_does_all_of_it_or_nothing,
                a_json_patch_replaces_also_what_is_not_there_yet,
                a_body_of_another_kind_is_unsupported,
            }
            apply {
                applying_makes_an_object_and_the_same_again_changes_nothing,
                a_field_of_another_manager_is_a_conflict,
                a_field_that_was_written_otherwise_is_a_conflict_too,
                the_same_value_is_shared_without_a_conflict,
                force_takes_a_field_over_and_what_is_left_out_goes,
                what_others_wrote_stays,
                a_map_that_a_writer_makes_is_a_field_too,
                an_apply_says_who_and_what,
                yaml_is_applied_as_it_is,
                items_of_a_keyed_list_are_owned_one_by_one,
                status_is_applied_by_its_subresource,
            }
            lifecycle {
                a_delete_answers_what_is_gone,
                a_finalizer_holds_an_object_until_it_is_taken_off,
                a_name_is_free_again_with_another_identity,
                preconditions_guard_a_delete,
                how_dependents_go_is_one_of_three,
                waiting_for_dependents_is_a_finalizer,
                a_new_namespace_is_active_and_labelled_by_its_name,
                an_ending_namespace_takes_nothing_new,
                a_namespace_is_never_gone_at_once,
            }
            definitions {
                a_definition_is_established_and_then_served,
                a_custom_kind_is_in_discovery,
                a_custom_object_says_its_kind,
                status_and_generation_are_apart_where_the_definition_says_so,
                status_is_a_field_like_others_where_the_definition_says_nothing,
                a_second_version_shows_the_same_objects,
                a_cluster_wide_kind_has_no_namespace,
                a_definition_that_contradicts_itself_is_refused,
                a_kind_goes_with_its_definition,
                an_unknown_endpoint_of_an_object_is_not_found,
                definitions_are_listed_and_the_kind_is_empty_at_first,
            }
            refusals {
                a_wrong_token_is_unauthorized,
                anonymous_callers_read_health_and_no_objects,
                what_is_not_served_is_not_found,
                a_missing_object_is_named_with_its_group,
                a_method_that_is_not_for_the_path_is_named,
                a_form_that_cannot_be_written_is_not_acceptable,
                throttled_requests_get_a_retry_time,
                a_log_is_of_one_container_that_there_is,
                the_client_library_reads_the_refusals,
            }
            discovery {
                the_version_is_one_that_clients_can_read,
                the_core_group_has_one_version,
                groups_list_their_versions,
                kinds_list_names_scope_and_verbs,
                subresources_are_listed_with_their_kind,
                the_client_library_finds_kinds,
                schemas_are_listed_by_group_and_version,
            }
            tables {
                a_table_has_columns_and_a_row_for_each_object,
                a_row_carries_as_much_of_its_object_as_is_asked_for,
                one_object_is_a_table_of_one_row,
                columns_of_a_custom_kind_come_from_its_definition,
                a_custom_kind_without_columns_has_name_and_age,
            }
            reviews {
                an_administrator_may_do_everything,
            }
            kubectl {
                applications_are_applied_and_shown,
                an_application_is_printed_in_full,
                applications_are_watched,
                built_in_objects_are_applied_and_deleted,
                mistakes_are_reported_in_one_line,
                a_client_finds_its_way,
            }
        } }
    };
}
pub(crate) use behaviours;

pub(crate) mod widgets;

pub(crate) mod apply;
pub(crate) mod creation;
pub(crate) mod definitions;
pub(crate) mod discovery;
pub(crate) mod kubectl;
pub(crate) mod lifecycle;
pub(crate) mod lists;
pub(crate) mod patches;
pub(crate) mod refusals;
pub(crate) mod reviews;
pub(crate) mod tables;
pub(crate) mod watches;
pub(crate) mod writes;
