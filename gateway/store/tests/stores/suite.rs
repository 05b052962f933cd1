//! The contract of the store port: functions over any implementation, given an empty store.

pub(crate) mod contexts;
pub(crate) mod filters;
pub(crate) mod lessons;
pub(crate) mod outcomes;
pub(crate) mod push;
pub(crate) mod records;
pub(crate) mod samples;

/// Makes a test of each function of the contract. `$open` returns an empty store and what keeps it alive.
macro_rules! contract {
    ($open:path) => {
        $crate::suite::contract! { $open:
            contexts::context_is_remembered_per_caller,
            contexts::context_moves_to_the_agent_it_was_last_given_to,
            filters::agent_matches_whatever_became_of_it,
            filters::verdict_is_the_one_of_the_agent,
            filters::verdict_alone_matches_any_candidate,
            filters::since_includes_its_own_instant,
            filters::caller_matches_the_subject,
            filters::outcome_matches_the_state_and_open_the_absence_of_one,
            filters::pages_are_newest_first_and_without_gaps,
            filters::filters_combine,
            filters::an_agent_is_found_however_far_apart_its_decisions_are,
            lessons::the_end_of_a_task_is_counted_once_for_the_skill_it_was_chosen_for,
            lessons::kinds_of_ends_are_counted_apart,
            lessons::a_cancellation_that_was_asked_for_teaches_nothing,
            lessons::feedback_takes_the_place_of_what_the_task_said,
            lessons::what_continues_a_task_is_counted_with_its_beginning,
            lessons::known_costs_are_summed,
            lessons::a_running_task_can_become_dearer,
            lessons::lessons_are_read_by_revision,
            lessons::what_was_forgotten_teaches_no_more_and_new_decisions_do,
            lessons::one_skill_is_forgotten_alone,
            lessons::the_decision_that_a_task_began_with_is_found,
            outcomes::c057_outcome_follows_the_task_to_its_end,
            outcomes::ended_task_never_changes_again,
            outcomes::repeated_state_keeps_the_time_it_was_first_seen,
            outcomes::all_decisions_of_a_task_follow_it,
            outcomes::equal_task_ids_of_two_agents_never_mix,
            outcomes::running_task_under_an_ended_id_is_another_task,
            outcomes::state_of_an_unknown_task_changes_nothing,
            outcomes::decision_without_task_ends_for_good,
            outcomes::broken_stream_is_recorded_until_the_task_is_seen_to_end,
            push::unconfirmed_webhook_has_a_callback_and_is_not_listed,
            push::confirmed_webhook_comes_back_unchanged,
            push::webhook_without_id_gets_the_default,
            push::webhooks_are_listed_per_task_and_caller,
            push::webhook_with_the_same_id_is_replaced_and_its_notifications_stay,
            push::notifications_leave_one_by_one_in_order,
            push::claimed_notification_comes_back_when_the_claim_lapses,
            push::failed_notification_holds_up_those_behind_it,
            push::notification_without_task_waits_and_its_state_is_told,
            push::removed_webhook_takes_its_notifications_along,
            push::webhooks_expire_after_their_task,
            records::recorded_decision_comes_back_unchanged,
            records::unknown_decision_is_absent,
            records::concurrent_records_are_all_kept,
            records::bad_record_fails_alone,
            records::bad_note_fails_alone,
            records::settle_takes_what_came_before_along,
            records::settle_says_what_could_not_be_written,
            records::record_nobody_is_in_a_hurry_for_is_written,
            records::notes_are_applied_in_order_after_their_record,
            records::an_attempt_told_again_keeps_what_it_lost,
            records::decision_with_a_thousand_candidates_is_kept,
            records::closed_store_refuses_and_closes_again,
        }
    };
    ($open:path: $($module:ident::$name:ident,)+) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            let (store, _kept) = $open().await;
            $crate::suite::$module::$name(&store).await;
        }
    )+};
}

pub(crate) use contract;
