//! Conformance suites. Every implementation of a port passes the same cases, one for each promise of the port.
//!
//! A store calls [`store_conformance!`](crate::store_conformance) once, with a function that returns a
//! [`StoreFixture`](crate::StoreFixture) on an empty database. The macro makes one test for each case.

pub mod blobs;
pub mod calibration;
pub mod cancelling;
pub mod claiming;
pub mod confidence;
pub mod constraints;
pub mod credentials;
pub mod document_fields;
pub mod document_lists;
pub mod documents;
pub mod fencing;
pub mod filled_tables;
pub mod governance;
pub mod hiding;
pub mod history;
mod interpretations;
pub mod lanes;
pub mod language;
pub mod large_blobs;
pub mod leases;
pub mod links;
pub mod migrations;
pub mod model_calls;
pub mod proposals;
mod random_history;
pub mod recovery;
pub mod repeated_uploads;
pub mod retries;
pub mod review_marks;
pub mod reviews;
pub mod schema_files;
pub mod search;
pub mod search_bounds;
pub mod search_state;
pub mod sessions;
pub mod step_groups;
pub mod waiting;
mod writes;

/// Makes one test for each case of a store. `$fixture` is the path of a function that returns a fixture.
#[macro_export]
macro_rules! store_conformance {
    ($fixture:path) => {
        $crate::conformance_cases! { $fixture, claiming:
            enqueueing_the_same_run_again_changes_nothing,
            a_run_of_a_busy_subject_is_queued,
            runs_of_a_subject_start_oldest_first_and_one_at_a_time,
            a_delayed_run_blocks_its_subject_and_no_other,
            runs_start_by_priority_then_by_time_in_the_queue,
            concurrent_claims_never_share_a_run_or_a_subject,
            the_database_refuses_a_second_running_run_of_a_subject,
            a_claim_takes_only_the_pipelines_it_names,
            runs_enqueued_concurrently_for_a_subject_run_one_at_a_time,
        }
        $crate::conformance_cases! { $fixture, fencing:
            a_write_by_the_owner_is_stored_completely,
            a_late_write_is_refused_and_only_the_refusal_is_recorded,
            a_repeated_write_is_stored_once,
            only_queued_runs_start_and_only_running_runs_end,
            an_ended_document_run_cannot_be_changed_even_with_sql,
            a_withdrawn_run_passes_its_turn_to_the_next_run,
        }
        $crate::conformance_cases! { $fixture, cancelling:
            a_cancelled_run_ends_at_once_and_its_worker_loses_it,
            a_cancelled_run_that_is_retried_resumes_at_its_first_unfinished_step,
        }
        $crate::conformance_cases! { $fixture, recovery:
            recovery_fails_orphaned_runs_and_no_others,
            a_requeued_run_resumes_at_its_first_unfinished_step,
            an_orphaned_run_fails_when_its_claims_are_used_up,
            a_run_without_an_owner_is_recovered_only_past_the_threshold,
            a_run_without_an_owner_is_recovered_at_once_without_a_threshold,
            an_overdue_run_is_timed_out_only_if_its_owner_is_alive,
            deadlines_move_by_the_time_in_which_their_owner_slept,
            runs_orphaned_together_are_not_blamed_and_are_claimed_alone,
            a_timed_out_run_is_continued_by_a_linked_run,
            runs_that_their_owner_does_not_know_are_handed_back,
            runs_that_wait_behind_no_front_get_one,
        }
        $crate::conformance_cases! { $fixture, leases:
            an_expired_lease_claims_nothing_until_its_worker_renews_it,
            a_lease_whose_runs_were_recovered_cannot_be_renewed,
            an_exclusive_worker_ends_every_other_lease,
            a_server_without_slots_is_registered_beside_workers,
            old_workers_are_deleted_unless_they_own_a_run,
        }
        $crate::conformance_cases! { $fixture, retries:
            a_retried_proposal_waits_for_its_delay,
            a_retried_run_keeps_its_place_among_the_runs_of_its_subject,
            only_failed_runs_of_pipelines_with_manual_retry_are_retried,
            an_automatic_requeue_shows_in_the_job_view,
        }
        $crate::conformance_cases! { $fixture, waiting:
            a_waiting_run_keeps_its_counters_and_goes_on_with_its_next_attempt,
            a_waiting_run_blocks_its_subject_and_no_other,
            a_postponed_attempt_keeps_its_number_and_its_failure_is_logged,
            a_requeue_forgets_the_waits_before_it,
        }
        $crate::conformance_cases! { $fixture, lanes:
            a_run_that_waits_in_a_lane_goes_on_when_it_is_woken_and_loses_nothing,
            runs_are_woken_in_the_order_of_the_queue,
            resuming_a_lane_wakes_every_run_that_waits_in_it,
            a_closed_lane_stays_closed_for_the_longest_time_that_was_asked_for,
            a_host_is_forgotten_when_it_is_open_again,
            lanes_are_paused_and_resumed_by_name_and_each_change_is_recorded_once,
            only_a_queued_run_waits_in_a_lane,
            a_worker_of_a_lane_claims_what_waits_in_it_and_nothing_else,
        }
        $crate::conformance_cases! { $fixture, step_groups:
            a_crash_in_a_group_keeps_its_successes_and_each_other_step_goes_on,
            the_steps_of_a_group_go_on_with_their_own_attempts_after_a_wait,
        }
        $crate::conformance_cases! { $fixture, history:
            step_records_are_appended_and_step_progress_is_updated,
            step_progress_keeps_timestamps_and_clears_errors,
            reprocessing_leaves_earlier_runs_and_artifacts_unchanged,
            the_job_view_shows_each_document_run_with_a_job_status,
            queue_depth_and_step_failures_are_reported,
            metrics_are_summed_by_minute,
            events_can_be_paged_without_gaps,
            events_of_an_unknown_type_are_left_out_of_every_page,
            the_newest_event_id_is_returned,
            events_and_artifacts_cannot_be_changed,
            purging_a_subject_deletes_its_rows_and_keeps_the_purge_event,
            a_document_and_its_first_run_are_added_together_or_not_at_all,
            a_purged_subject_stays_purged,
        }
        $crate::conformance_cases! { $fixture, proposals:
            what_was_asked_is_kept_and_a_repeated_request_changes_nothing,
            results_are_stored_once_with_their_step_and_in_order,
            a_late_write_stores_no_result_of_a_proposal,
            a_completed_proposal_run_that_is_delivered_again_is_skipped,
            proposals_are_listed_newest_first_and_by_every_filter,
            deleting_a_proposal_run_deletes_its_results_and_its_revisions,
            what_was_asked_made_and_decided_cannot_be_changed,
        }
        $crate::conformance_cases! { $fixture, links:
            what_was_asked_of_a_link_is_kept_and_a_repeated_request_changes_nothing,
            a_page_is_requested_once_until_its_request_fails_or_its_summary_is_deleted,
            concurrent_requests_for_the_same_page_make_one_run,
            a_request_gets_one_summary_with_the_success_of_its_step,
            a_late_write_stores_no_summary,
            summaries_are_listed_by_every_filter,
            a_summary_is_marked_and_deleted_and_its_content_never_changes,
            purging_a_link_deletes_its_request_and_its_summary,
        }
        $crate::conformance_cases! { $fixture, documents:
            documents_are_listed_newest_first_by_cursor_and_by_offset,
            counting_documents_stops_at_the_limit,
            a_document_overview_has_the_latest_run_and_its_text,
            a_reprocess_request_is_recorded_with_its_run,
            the_processing_history_has_the_newest_runs_with_their_steps,
        }
        $crate::conformance_cases! { $fixture, repeated_uploads:
            an_upload_repeated_with_its_idempotency_key_is_added_once,
            an_added_document_returns_its_run_as_stored,
            concurrent_uploads_with_the_same_key_add_one_document,
            an_expired_idempotency_key_can_be_used_again,
            purging_a_document_deletes_its_idempotency_key,
            documents_with_the_same_content_are_listed_as_duplicates,
            no_column_of_documents_stores_a_processing_status,
        }
        $crate::conformance_cases! { $fixture, document_lists:
            every_filtered_list_equals_the_filtered_full_list,
            a_document_is_listed_once_despite_concurrent_reprocess_requests,
            a_run_withdrawn_while_the_next_is_enqueued_leaves_the_list,
            only_the_list_position_of_an_ended_run_can_change,
        }
        $crate::conformance_cases! { $fixture, confidence:
            documents_are_listed_by_lowest_confidence_after_any_history,
            concurrent_changes_leave_the_list_correct,
        }
        $crate::conformance_cases! { $fixture, document_fields:
            the_fields_of_the_shown_version_stand_in_columns,
            document_fields_equal_the_active_versions_after_any_history,
            an_edit_while_a_run_completes_leaves_the_fields_of_one_version,
        }
        $crate::conformance_cases! { $fixture, language:
            a_run_keeps_the_language_that_was_set_when_it_was_created,
            only_document_runs_get_the_language_of_a_document,
            changing_the_language_is_recorded_and_creates_no_run,
            the_database_refuses_to_change_the_language_of_a_run,
            queued_runs_get_their_language_when_the_database_is_migrated,
        }
        $crate::conformance_cases! { $fixture, reviews:
            the_first_version_is_stored_with_the_success_of_its_step,
            a_review_shows_the_latest_completed_run,
            an_edit_adds_a_version_and_makes_it_the_only_active_one,
            a_refused_edit_returns_its_reason_and_changes_nothing,
            only_one_of_several_concurrent_edits_is_stored,
            a_structural_edit_flags_its_version_and_a_correction_does_not,
            versions_and_changes_are_append_only,
            versions_are_found_by_number_and_by_the_following_run,
        }
        $crate::conformance_cases! { $fixture, model_calls:
            calls_to_models_are_summed_by_run_day_credential_and_model,
            calls_to_models_cannot_be_changed_and_survive_a_purge,
        }
        $crate::conformance_cases! { $fixture, review_marks:
            marking_reviewed_is_idempotent_and_an_edit_reopens_the_document,
            only_the_active_version_can_be_marked_as_reviewed,
            a_newer_run_that_completes_ends_the_review,
            a_completion_tells_whether_it_ended_a_review,
            marks_that_a_newer_run_has_ended_are_removed_by_the_migration,
        }
        $crate::conformance_cases! { $fixture, calibration:
            marking_reviewed_counts_once_and_reopening_reverts_it,
            an_edit_reverts_the_counts_of_its_document_and_the_next_mark_counts_the_edit,
            a_newer_run_keeps_the_counts_of_a_review_until_the_next_mark,
            counts_are_reverted_under_the_policy_that_added_them,
            the_calibration_state_follows_the_counts_with_hysteresis,
            concurrent_marks_and_edits_count_once,
            any_sequence_of_reviews_leaves_the_sum_of_the_reviewed_documents,
            calibration_counts_stay_when_a_document_is_purged,
            calibration_snapshots_cannot_be_changed,
            calibration_counts_are_looked_up_exactly_and_listed_by_page,
        }
        $crate::conformance_cases! { $fixture, search:
            a_document_is_found_by_the_values_of_its_active_version,
            only_the_latest_completed_run_is_searched,
            words_may_stand_in_different_chunks_of_a_document,
            results_are_ordered_and_filtered_by_properties,
            the_vocabulary_knows_forms_and_slips_and_forgets_what_was_purged,
            outdated_entries_are_found_and_written_again,
            near_vectors_are_found_and_follow_their_documents,
        }
        $crate::conformance_cases! { $fixture, search_bounds:
            numbers_are_found_by_ranges,
            vectors_are_found_among_given_documents,
            documents_are_found_once_among_given_ones,
            hostile_queries_get_an_answer,
        }
        $crate::conformance_cases! { $fixture, search_state:
            words_that_left_every_document_leave_the_vocabulary,
            search_follows_reviews_and_failed_runs,
            documents_with_almost_the_same_text_are_found,
        }
        $crate::conformance_cases! { $fixture, hiding:
            hiding_is_recorded_once_and_undone,
            a_hidden_document_is_found_nowhere_and_comes_back_at_once,
            every_list_leaves_out_hidden_documents_after_any_history,
        }
        $crate::conformance_cases! { $fixture, governance:
            a_run_keeps_the_schema_version_it_was_created_with,
            the_same_edit_on_several_documents_is_one_candidate,
            decisions_are_listed_in_order_and_change_nothing_else,
            a_decision_on_a_changed_candidate_is_refused,
            the_audit_trail_shows_what_each_decision_was_about,
        }
        $crate::conformance_cases! { $fixture, schema_files:
            a_changed_file_becomes_the_next_version_of_its_schema,
            a_changed_file_does_not_override_governance_decisions,
            a_schema_older_than_the_schema_files_table_is_updated,
            only_one_of_several_concurrent_starts_adds_the_schema,
            a_document_keeps_its_schema_and_its_runs_use_it,
            a_chosen_schema_binds_the_run_and_its_document_once,
            reprocessing_with_a_schema_binds_the_document_to_it,
        }
        $crate::conformance_cases! { $fixture, credentials:
            a_key_is_found_by_id_and_its_name_is_unique,
            a_key_is_revoked_by_name_or_id_and_never_deleted,
            a_rotation_replaces_a_secret_once_and_keeps_the_holder,
            the_last_use_of_a_key_is_recorded,
            the_database_refuses_to_delete_or_change_a_key,
        }
        $crate::conformance_cases! { $fixture, sessions:
            a_session_is_found_with_its_key_until_it_expires,
            using_a_session_extends_it,
            a_session_comes_with_the_current_state_of_its_key,
            a_new_session_replaces_the_old_one_and_deletes_expired_ones,
        }
        $crate::conformance_cases! { $fixture, constraints:
            the_database_refuses_impossible_runs,
            the_database_refuses_unknown_steps,
            missing_rows_are_reported_as_not_found,
        }
        $crate::conformance_cases! { $fixture, migrations:
            every_version_goes_down_and_up_again_with_rows_in_every_table,
            an_interrupted_migration_continues_where_it_was,
            a_migration_that_was_changed_is_refused,
            a_newer_database_is_used_if_its_migrations_allow_this_program,
            migrating_twice_does_nothing_the_second_time,
            migrating_over_renamed_tables_keeps_their_rows,
        }
    };
}

/// Makes one test for each case of a module.
#[macro_export]
macro_rules! conformance_cases {
    ($fixture:path, $module:ident: $($case:ident),+ $(,)?) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let fixture = $fixture().await;
                    $crate::conformance::$module::$case(&fixture).await;
                }
            )+
        }
    };
}
