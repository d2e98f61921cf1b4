//! The suites that every adapter of a port passes, one case per promise.
//!
//! A store calls [`store_conformance!`](crate::store_conformance) once, with a function that makes a
//! [`StoreFixture`](crate::StoreFixture) on an empty database, and gets one test per case.

pub mod blobs;
pub mod calibration;
pub mod claiming;
pub mod confidence;
pub mod constraints;
pub mod credentials;
pub mod document_lists;
pub mod documents;
pub mod fencing;
pub mod governance;
pub mod history;
pub mod language;
pub mod leases;
pub mod migrations;
pub mod recovery;
pub mod repeated_uploads;
pub mod retries;
pub mod reviews;
pub mod schema_files;
pub mod search;
pub mod sessions;

/// One test for each case, against the fixture that `$fixture` makes.
#[macro_export]
macro_rules! store_conformance {
    ($fixture:path) => {
        $crate::conformance_cases! { $fixture, claiming:
            a_run_is_accepted_once_however_often_it_is_asked_for,
            a_run_of_a_busy_subject_is_accepted_and_waits,
            runs_of_a_subject_start_oldest_first_and_one_at_a_time,
            a_head_that_waits_blocks_its_subject_and_no_other,
            high_priority_goes_first_then_the_longest_queued,
            claimers_at_the_same_time_never_share_a_run_or_a_subject,
            the_database_itself_refuses_a_second_running_run,
            a_claim_takes_only_the_pipelines_it_names,
            runs_enqueued_at_the_same_time_are_all_kept_in_one_line,
        }
        $crate::conformance_cases! { $fixture, fencing:
            a_write_by_the_owner_is_stored_whole,
            a_late_write_is_refused_and_leaves_only_the_event_that_says_so,
            a_write_that_is_repeated_is_stored_once,
            an_ended_document_run_cannot_be_changed_even_by_hand,
            a_withdrawn_run_gives_its_turn_away,
        }
        $crate::conformance_cases! { $fixture, recovery:
            recovery_as_failure_touches_orphans_and_nothing_else,
            recovery_by_requeue_resumes_at_the_first_unfinished_step,
            an_orphan_is_failed_when_its_claims_are_spent,
            a_run_without_an_owner_is_recovered_only_past_the_threshold,
            a_living_owner_is_timed_out_and_a_gone_one_is_not,
            runs_that_their_owner_knows_nothing_of_are_given_back,
        }
        $crate::conformance_cases! { $fixture, leases:
            a_lease_that_has_ended_is_not_renewed_and_claims_nothing,
            an_exclusive_worker_ends_every_other_lease,
            workers_long_gone_are_forgotten_unless_they_own_something,
        }
        $crate::conformance_cases! { $fixture, retries:
            a_failed_proposal_goes_back_to_the_queue_after_its_delay,
            a_retried_run_takes_its_old_place_in_its_subject,
            only_failed_runs_of_a_pipeline_that_allows_it_are_retried,
            an_automatic_requeue_shows_in_the_job_view,
        }
        $crate::conformance_cases! { $fixture, history:
            step_records_are_appended_and_the_projection_follows,
            the_projection_keeps_stamps_and_clears_errors,
            a_reprocess_leaves_earlier_runs_and_artifacts_alone,
            the_job_view_shows_the_same_runs_in_its_own_words,
            the_monitoring_questions_have_answers,
            figures_add_up_by_the_minute,
            events_can_be_paged_without_gaps,
            the_newest_event_is_known,
            the_history_cannot_be_rewritten,
            purging_a_subject_takes_everything_with_it_but_the_trace,
            a_document_and_its_first_run_are_added_together_or_not_at_all,
        }
        $crate::conformance_cases! { $fixture, documents:
            documents_are_listed_newest_first_and_each_place_leads_on,
            counting_documents_ends_where_it_is_told,
            a_document_is_shown_with_its_latest_run_and_that_runs_text,
            asking_for_another_run_is_told_with_the_run_and_changes_nothing_else,
            the_history_of_a_document_has_its_newest_runs_with_their_steps,
        }
        $crate::conformance_cases! { $fixture, repeated_uploads:
            a_wish_that_is_repeated_under_its_key_is_fulfilled_once,
            an_added_document_answers_its_run_as_it_is_stored,
            of_many_under_the_same_key_at_the_same_time_one_is_taken_in,
            a_key_that_has_had_its_time_is_as_good_as_new_and_goes,
            a_document_that_is_purged_takes_its_key_with_it,
            documents_with_the_same_content_name_each_other,
            no_column_of_a_document_holds_where_its_processing_stands,
        }
        $crate::conformance_cases! { $fixture, document_lists:
            every_list_is_what_the_whole_list_has_of_it,
            a_document_is_listed_once_however_many_ask_for_its_runs_at_once,
            a_run_that_is_withdrawn_as_the_next_one_comes_leaves_the_list,
            a_place_in_the_list_is_all_that_changes_on_a_run_that_has_ended,
        }
        $crate::conformance_cases! { $fixture, confidence:
            the_least_certain_come_first_whatever_happened,
            a_document_that_many_change_at_once_is_listed_as_it_is,
        }
        $crate::conformance_cases! { $fixture, language:
            a_run_keeps_the_language_that_was_set_when_it_was_created,
            only_runs_of_documents_have_the_language_of_a_document,
            changing_the_language_is_told_and_creates_no_run,
            the_database_itself_refuses_to_change_the_language_of_a_run,
            runs_that_wait_have_their_language_after_the_schema_is_brought_up_to_date,
        }
        $crate::conformance_cases! { $fixture, reviews:
            the_first_version_comes_with_the_success_of_its_step,
            a_review_is_of_the_latest_run_that_completed,
            an_edit_adds_a_version_and_leaves_one_active,
            an_edit_that_cannot_be_made_says_why_and_changes_nothing,
            of_edits_at_the_same_time_one_is_stored,
            a_document_is_marked_once_and_an_edit_reopens_it,
            versions_cannot_be_rewritten,
            the_tokens_of_models_are_summed_from_a_moment_on,
            versions_are_found_by_number_and_by_the_run_that_came_after,
        }
        $crate::conformance_cases! { $fixture, calibration:
            a_mark_counts_once_and_reopening_takes_exactly_that_back,
            an_edit_takes_back_what_a_document_taught_and_the_next_mark_teaches_the_edit,
            what_was_learnt_under_another_policy_is_taken_back_there,
            what_is_known_follows_the_counts_and_is_left_late,
            marks_and_edits_at_the_same_time_count_once,
            any_sequence_leaves_the_sum_of_what_still_counts,
            what_was_learnt_stays_when_a_document_is_purged,
            what_was_learnt_cannot_be_rewritten,
            what_was_learnt_is_found_exactly_and_listed_in_parts,
        }
        $crate::conformance_cases! { $fixture, search:
            a_document_is_found_by_what_its_active_version_says,
            only_the_latest_run_that_completed_is_looked_at,
        }
        $crate::conformance_cases! { $fixture, governance:
            a_run_keeps_the_schema_version_it_was_created_with,
            the_same_edit_again_is_the_same_candidate,
            decisions_are_kept_in_order_and_touch_nothing_else,
            a_decision_about_what_has_changed_meanwhile_is_refused,
            the_trail_tells_what_was_decided_about,
        }
        $crate::conformance_cases! { $fixture, schema_files:
            a_file_that_changes_is_the_next_version_of_its_schema,
            what_people_decided_is_kept_when_a_file_changes,
            a_schema_from_before_there_were_files_is_brought_up_to_date,
            of_programs_that_start_at_once_one_adds_the_schema,
            a_document_keeps_its_schema_and_its_runs_go_by_it,
        }
        $crate::conformance_cases! { $fixture, credentials:
            a_key_is_found_by_its_id_and_its_name_is_given_once,
            a_key_is_revoked_once_by_name_or_id_and_never_forgotten,
            the_database_itself_refuses_to_forget_or_change_a_key,
        }
        $crate::conformance_cases! { $fixture, sessions:
            a_session_is_found_with_its_key_until_it_is_over,
            a_session_that_is_used_goes_on,
            a_key_that_is_revoked_ends_its_sessions_at_once,
            a_session_that_begins_replaces_one_and_clears_up,
        }
        $crate::conformance_cases! { $fixture, constraints:
            the_database_refuses_what_no_run_can_be,
            unknown_steps_are_refused,
            what_is_not_there_is_said_to_be_missing,
        }
        $crate::conformance_cases! { $fixture, migrations:
            migrating_down_and_up_again_restores_the_schema_and_keeps_the_runs,
            migrating_twice_does_nothing_the_second_time,
        }
    };
}

/// The tests of one module.
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
