//! The rules that users rely on, and the test that holds each one.

use std::{fs, path::Path};

/// A rule, and the name of its test.
const RULES: &[(&str, &str)] = &[
    // Where skills come from.
    ("folders count in a fixed order", "every_folder_of_the_table_is_looked_at_in_its_order"),
    ("a folder belongs to its agent", "a_folder_belongs_to_its_agent"),
    (
        "parents up to the checkout's root count, nearest first",
        "inside_a_checkout_each_parent_up_to_its_root_is_looked_at_nearest_first",
    ),
    ("a missing folder is skipped in silence", "a_missing_folder_is_skipped_in_silence"),
    (
        "an unreadable folder is a problem, and the scan goes on",
        "what_cannot_be_read_is_a_problem_and_the_scan_goes_on",
    ),
    ("flags choose the sources", "flags_choose_the_sources"),
    ("--user-dir stands in for the home everywhere", "another_home_stands_in_everywhere"),
    ("a skill lies at any depth", "a_skill_may_lie_at_any_depth_and_inside_another"),
    ("a source may itself be a skill", "a_source_that_holds_a_skill_file_is_one_skill"),
    (".SKILL.md is a disabled skill", "a_disabled_skill_is_no_skill"),
    (
        "another spelling counts only alone, with a warning",
        "another_spelling_beside_the_right_one_is_ignored",
    ),
    ("walks skip other people's folders", "folders_of_other_people_are_not_walked"),
    ("links are followed without cycles", "links_that_go_round_in_circles_end"),
    ("the same real folder counts once", "the_same_real_folder_counts_once_for_the_higher_source"),
    ("depth is bounded, and told", "a_folder_too_deep_is_a_problem"),
    ("folders are bounded, and told", "more_folders_than_the_bound_are_a_problem"),
    ("bytes are bounded, and told", "a_file_over_the_bound_is_a_problem"),
    // Reading.
    ("a BOM and CRLF are fine", "a_byte_order_mark_and_other_line_ends_change_nothing"),
    (
        "name and description are required",
        "a_skill_without_name_or_description_is_left_out_with_its_reason",
    ),
    ("all other fields are kept", "every_other_field_is_kept_in_the_order_of_the_file"),
    ("an unquoted colon is repaired", "a_colon_inside_an_unquoted_value_is_text"),
    (
        "numbers and booleans keep their spelling",
        "numbers_and_booleans_as_name_or_description_keep_their_spelling",
    ),
    ("anchors and aliases cannot blow up", "aliases_and_depth_are_bounded"),
    ("invalid UTF-8 is a problem", "a_file_that_is_not_utf8_is_a_problem_with_its_line"),
    ("the file's bytes are served exactly", "a_skill_reads_back_byte_for_byte"),
    (
        "validate agrees with the published validator",
        "skills_ref_judges_every_case_as_the_table_says",
    ),
    // Names.
    ("names are matched without case", "names_are_matched_without_regard_to_case"),
    ("a prefix names one provider or plugin", "a_prefix_names_one_provider_or_plugin"),
    ("a custom skill wins", "a_custom_skill_wins_over_all_others"),
    (
        "a universal skill wins over agents",
        "a_universal_skill_wins_over_agents_and_a_project_over_the_user",
    ),
    ("an agent's project copy wins", "of_one_agent_the_project_copy_wins"),
    ("a name of several agents is ambiguous", "a_name_of_several_agents_is_ambiguous"),
    (
        "a name of several plugins is ambiguous",
        "a_name_of_one_plugin_is_found_and_of_several_ambiguous",
    ),
    ("a local skill beats a plugin's", "a_local_skill_beats_a_plugin"),
    ("up to five similar names are offered", "there_are_at_most_five"),
    ("an ambiguous name answers with every id", "show_of_an_ambiguous_name_lists_every_id"),
    ("shadowed copies are shown with their winner", "list_all_says_who_won_and_what_is_disabled"),
    ("every listed name loads that very skill", "every_name_that_is_listed_loads_that_very_skill"),
    (
        "a plugin's skill is listed as plugin:name",
        "a_plugin_skill_is_always_listed_with_its_plugin",
    ),
    ("x:x is x", "a_plugin_skill_that_repeats_the_plugin_says_it_once"),
    ("names are never turned into paths", "names_are_never_turned_into_paths"),
    // Filters.
    ("exclude wins", "exclude_wins_over_include"),
    ("patterns match groups", "groups_select_by_place"),
    ("a filtered skill does not exist", "a_filtered_skill_is_not_found_and_not_suggested"),
    ("an empty pattern is wrong usage", "an_empty_pattern_is_wrong_usage"),
    // Plugins.
    ("flags choose the plugins", "flags_choose_the_plugins"),
    ("links may not leave a plugin", "links_of_a_plugin_may_not_leave_it"),
    ("a stale, disabled or broken plugin is told", "doctor_knows_the_state_of_plugins"),
    // Rescans.
    ("nothing is read twice", "nothing_is_read_twice"),
    ("a rescan equals a full scan", "a_rescan_after_any_edits_equals_a_full_scan"),
    // Configuration.
    ("configuration adds folders and filters", "the_configuration_adds_folders_and_filters"),
    ("a bad entry costs only itself", "a_bad_pattern_in_a_configuration_file_costs_only_itself"),
    // Servers.
    (
        "a later file replaces an entry whole",
        "a_later_file_replaces_an_entry_whole_or_switches_it_off",
    ),
    ("every spelling of a type counts", "every_spelling_of_a_type_counts"),
    ("variables are replaced in every string", "variables_are_replaced_everywhere"),
    ("an unset variable costs one server", "an_unset_variable_costs_one_server_alone"),
    ("no complaint shows a value", "no_complaint_repeats_a_value"),
    ("no output shows a secret", "no_output_holds_a_secret"),
    ("a project is trusted by content", "a_project_is_trusted_by_path_and_content"),
    ("a changed file asks again", "trust_is_remembered_until_the_file_changes"),
    ("a half-written file keeps the last good state", "a_broken_file_keeps_its_last_good_state"),
    ("an edit keeps comments", "comments_permissions_and_links_survive_an_edit"),
    ("a broken file is not edited", "a_broken_file_is_not_touched"),
    // The command line.
    ("list gives skills and problems", "list_gives_skills_and_problems"),
    ("show gives files and content", "show_gives_the_skill_with_files_and_content"),
    ("search gives query, limit, total and results", "search_gives_query_limit_total_and_results"),
    ("validate gives errors and warnings", "validate_gives_errors_and_warnings_of_each_skill"),
    ("doctor gives ok and findings", "doctor_gives_ok_and_findings"),
    ("colour only if wanted", "no_color_wins_over_a_wish_for_colour"),
    ("not found ends with 3", "show_says_what_an_unknown_name_could_mean"),
    ("wrong usage ends with 2", "an_unknown_flag_is_wrong_usage"),
    ("control characters never reach the terminal", "nothing_of_a_file_steers_a_terminal"),
    ("a new skill is valid", "a_new_skill_lies_in_the_project_and_is_valid"),
    ("nothing is overwritten", "a_skill_that_is_there_is_never_overwritten"),
    ("nothing is lost when a skill is switched", "a_file_in_the_way_is_not_overwritten"),
    // Refresh.
    (
        "the first catalog is published also if it is empty",
        "the_first_catalog_is_published_even_if_it_is_empty",
    ),
    (
        "the interval finds what no watcher sees",
        "where_nothing_can_be_watched_the_interval_finds_changes",
    ),
    ("the last change of a burst is never lost", "a_burst_ends_in_the_last_state"),
    (
        "folders that appear later are noticed",
        "a_source_that_appears_later_is_heard_of_and_then_its_changes",
    ),
    (
        "folders that are replaced are noticed",
        "a_source_that_is_deleted_and_made_again_is_heard_of_and_then_its_changes",
    ),
    (
        "without refresh lists look first",
        "without_refresh_lists_and_searches_still_see_the_disk_as_it_is",
    ),
    ("requests during a refresh are right", "loads_are_right_while_files_churn"),
    (
        "list_changed once, after initialized",
        "list_changed_comes_once_per_change_and_only_after_initialized",
    ),
    ("list_changed only if clients would see it", "an_offer_differs_only_if_a_client_would_see_it"),
    (
        "list_changed on every transport",
        "a_new_skill_is_announced_listed_and_loadable_on_every_transport",
    ),
    (
        "list_changed to subscribers",
        "a_new_skill_is_announced_to_subscribers_of_2026_07_28_on_every_transport",
    ),
    // The tools.
    ("either name of a tool works", "a_call_by_either_name_works"),
    ("--tools chooses the tools", "flags_choose_what_clients_see"),
    ("a wrong argument is named", "an_argument_of_the_wrong_type_is_named"),
    ("output schemas hold", "what_is_declared_of_an_output_holds"),
    ("the description lists every skill", "every_skill_is_listed_with_what_tells_more"),
    ("an empty catalog shows one entry", "an_empty_catalog_shows_none"),
    ("the catalog keeps to its budget", "ten_thousand_skills_stay_within_the_usual_budget"),
    ("a skill comes with its head and byte for byte", "a_skill_is_headed_by_where_it_comes_from"),
    ("not found comes with suggestions", "a_name_that_means_nothing_gets_suggestions_and_the_list"),
    ("ambiguous comes with every id", "an_ambiguous_name_answers_with_every_full_id"),
    ("an unreadable file is told", "a_file_that_cannot_be_read_is_an_error_with_its_reason"),
    ("files of a skill stay within it", "a_path_that_leads_out_is_refused"),
    // The wire.
    ("ids are kept as sent", "a_request_keeps_its_id_and_its_parameters_as_they_were_sent"),
    ("what is not JSON is a parse error", "what_is_not_json_is_a_parse_error_without_id"),
    (
        "an invalid request keeps its id",
        "what_is_no_message_is_an_invalid_request_with_its_id_where_there_is_one",
    ),
    ("transports answer alike", "transcripts_hold_over_legacy_sse"),
    ("batches where the revision has them", "a_batch_is_answered_where_the_revision_has_batches"),
    ("no batches elsewhere", "a_batch_is_refused_where_the_revision_has_none"),
    ("a panic costs one request", "a_panic_answers_its_request_and_costs_nobody_else"),
    ("cancelling stops work", "a_cancelled_request_stops_and_gets_no_answer"),
    ("hanging up stops work", "who_hangs_up_cancels_a_request_of_2026_07_28"),
    // stdio.
    ("pipes, sockets and files serve alike", "sockets_serve_as_well_as_pipes"),
    ("lines are bounded", "a_line_beyond_the_limit_is_refused_and_the_next_one_served"),
    ("a last line needs no end", "a_last_line_without_its_end_is_served"),
    (
        "the end of input ends the server",
        "the_end_of_input_ends_the_server_also_with_an_open_subscription",
    ),
    ("who does not read holds up no end", "the_end_of_input_ends_the_server_though_nobody_reads"),
    ("signals end the server with 0", "signals_end_the_server_with_success_on_every_transport"),
    // HTTP.
    ("headers and body agree", "a_request_of_2026_07_28_must_say_the_same_in_headers_and_body"),
    ("streams are resumed", "an_interrupted_stream_is_resumed_where_it_broke"),
    ("open streams are bounded", "streams_of_answers_count_among_the_requests_at_a_time"),
    ("large streams are let go", "a_large_stream_is_let_go_when_it_is_taken_to_its_end"),
    ("idle sessions end", "a_session_ends_when_it_is_idle_but_not_while_a_stream_is_open"),
    ("DELETE ends a session", "delete_ends_a_session"),
    (
        "Host and Origin are checked everywhere",
        "only_expected_hosts_and_origins_are_served_on_every_route",
    ),
    ("a token is asked for", "a_token_is_asked_for_everywhere_but_at_the_probes"),
    ("no open door without a token", "a_server_for_other_machines_needs_a_token"),
    ("bodies are bounded", "what_is_no_message_is_bad_and_says_why"),
    (
        "legacy SSE names its address",
        "a_session_lives_on_a_stream_and_takes_messages_at_its_address",
    ),
    (
        "legacy SSE refuses unknown sessions",
        "a_message_without_session_is_bad_and_one_for_an_unknown_session_not_found",
    ),
    // MCP clients.
    (
        "clients of both eras are served over every transport",
        "the_second_typescript_sdk_is_served_over_every_transport_in_both_eras",
    ),
    (
        "clients of legacy SSE are served beside the others",
        "a_client_of_legacy_sse_is_served_beside_those_of_streamable_http",
    ),
    (
        "an open stream does not keep the server",
        "the_rust_sdk_is_served_over_http_without_a_handshake",
    ),
    (
        "the protocol is kept as its authors check it",
        "the_coming_suite_finds_no_new_failure_in_2026",
    ),
    // Servers, tools, calls.
    (
        "a dead server costs only itself",
        "servers_are_shown_with_phase_tools_and_reason_and_a_dead_one_costs_only_itself",
    ),
    (
        "untrusted servers name the command that trusts them",
        "servers_of_a_project_wait_for_trust_and_name_the_command",
    ),
    ("secrets are never shown", "servers_give_a_document_without_secrets"),
    (
        "no program outlives a command",
        "watching_tells_each_change_and_an_interrupt_leaves_no_program",
    ),
    ("arguments are checked before a call", "arguments_are_checked_before_they_are_sent"),
    ("a tool's own error is exit 5", "a_tool_that_says_it_failed_is_exit_5"),
    (
        "authentication needed is exit 4",
        "a_server_that_does_not_let_us_in_is_exit_4_with_the_header_to_set",
    ),
    (
        "an error of the protocol keeps code and data",
        "an_error_of_the_protocol_keeps_code_and_data",
    ),
    ("a call starts only the server it needs", "a_call_starts_only_the_server_that_has_the_tool"),
    ("a call has a deadline", "a_call_that_stays_silent_ends_at_its_deadline"),
    ("schemas are passed through", "tools_give_a_document_with_raw_schemas"),
    ("a schema that makes no sense is no obstacle", "a_schema_that_makes_no_sense_is_no_obstacle"),
    (
        "a resource is read from the server that has it",
        "a_resource_is_read_from_the_server_that_lists_it_or_has_a_template_for_it",
    ),
    // Skills of servers.
    (
        "a file is what was listed, or its skill does not come",
        "a_file_that_is_not_what_was_listed_refuses_its_skill_whole_and_no_other",
    ),
    (
        "frontmatter is what was listed",
        "frontmatter_that_is_not_what_was_listed_refuses_the_skill_before_anything_else_is_read",
    ),
    ("nothing is fetched ahead of need", "nothing_is_fetched_that_nobody_asked_for"),
    ("a file stays in its skill", "a_path_stays_in_the_skill_however_it_is_written"),
    (
        "a pulled skill is whole or not there",
        "what_cannot_be_written_whole_leaves_everything_as_it_was",
    ),
    ("an interrupt leaves no half skill", "an_interrupt_leaves_nothing_behind"),
    (
        "a list that breaks off is no list of all skills",
        "a_server_whose_list_cannot_be_read_whole_is_pulled_one_skill_at_a_time",
    ),
    ("pulls at once lose nothing", "two_who_pull_the_same_both_succeed"),
    (
        "a pull that was killed loses nothing",
        "what_a_pull_that_was_killed_had_set_aside_comes_back_also_if_the_server_is_gone",
    ),
    (
        "a name is no proof of a server",
        "another_server_that_took_over_a_name_replaces_nothing_unless_forced",
    ),
    ("pull gives what came of each skill", "pull_gives_a_document"),
    ("edits are spared", "what_was_edited_or_is_of_someone_else_is_spared_unless_forced"),
    (
        "a pulled skill shadows no other in silence",
        "people_are_told_what_a_skill_wants_what_it_brings_and_whose_name_it_takes",
    ),
    ("pulling is judged by the protocol's authors", "the_coming_suite_passes_pull"),
    // The gateway.
    (
        "what works directly works through",
        "what_the_everything_server_does_directly_it_does_through_the_gateway",
    ),
    (
        "the protocol is kept through the gateway as its authors check it",
        "what_the_coming_suite_passes_directly_in_2026_passes_through_the_gateway",
    ),
    (
        "a dead server costs clients only its own calls",
        "a_server_that_is_killed_costs_busy_clients_only_calls_of_its_own",
    ),
    ("gateways can be chained", "a_gateway_behind_a_gateway_shows_its_skills_and_its_servers"),
    ("a circle is noticed", "a_gateway_behind_itself_is_not_used_and_that_is_told_once"),
    ("a circle of two comes to rest", "gateways_that_name_each_other_come_to_rest"),
    (
        "an edit of the configuration is followed",
        "servers_that_an_edit_adds_or_removes_come_and_go_while_clients_are_connected",
    ),
    ("no server outlives us", "no_server_outlives_the_gateway_however_it_ends"),
    // Skills as the protocol's own.
    (
        "every skill that can be loaded has a URI of its own",
        "no_two_skills_share_a_place_or_a_prompt",
    ),
    (
        "no server has the URI of a skill of this machine",
        "no_server_takes_a_uri_of_a_skill_of_this_machine",
    ),
    (
        "an entry has the frontmatter as it is and every file with its digest",
        "an_entry_has_the_frontmatter_as_it_is_and_every_file_with_its_digest",
    ),
    (
        "frontmatter is typed as any reader of YAML 1.2 types it",
        "words_are_typed_by_the_core_schema_and_nothing_else",
    ),
    (
        "a skill that cannot be published costs only itself",
        "a_skill_that_cannot_be_published_costs_only_itself",
    ),
    (
        "doctor names skills that cannot be published",
        "doctor_names_the_skills_that_cannot_be_published_and_why",
    ),
    (
        "files and bytes of a published skill are bounded",
        "more_files_or_bytes_than_the_protocol_allows_are_not_published",
    ),
    ("skills come by pages, and each once", "many_skills_come_by_pages_and_each_once"),
    (
        "a malformed or stale cursor is refused",
        "a_cursor_that_is_malformed_or_whose_skill_has_gone_is_refused",
    ),
    (
        "a file that changes changes its digest",
        "a_file_that_changes_is_read_again_and_one_that_does_not_is_not",
    ),
    ("a notification is never answered", "a_notification_is_never_answered"),
    (
        "a folder has its direct children",
        "a_folder_has_its_direct_children_and_says_which_are_folders",
    ),
    ("links out of a skill are not followed", "a_link_that_leaves_the_folder_is_not_followed"),
    (
        "a resource that is not there is refused by the code of the revision",
        "what_is_not_there_is_refused_by_the_code_of_the_revision",
    ),
    (
        "subscribers hear of changed files",
        "a_changed_file_is_told_to_its_subscribers_on_every_transport",
    ),
    ("every skill is a prompt", "every_skill_is_a_prompt_that_takes_a_task"),
    ("--no-prompts leaves prompts out", "no_prompts_leaves_the_prompts_of_skills_out"),
    (
        "no prompt of a server hides one of a skill",
        "a_prompt_of_a_server_never_takes_the_name_of_a_skill",
    ),
    ("places and paths are completed", "places_and_paths_are_completed"),
    (
        "skills of servers are listed after ours, with rewritten URIs",
        "skills_of_servers_are_listed_after_ours_with_rewritten_uris_and_nothing_else_changed",
    ),
    (
        "a file of a server's skill is held to its digest however it is asked for",
        "a_file_of_a_listed_skill_is_held_to_its_digest_however_it_is_asked_for",
    ),
];

#[test]
fn every_rule_has_its_test() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut text = String::new();
    let mut folders = vec![crates.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let lost = RULES.iter().filter(|(_, test)| !text.contains(&format!("fn {test}(")));
    let lost: Vec<_> = lost.map(|(rule, test)| format!("`{rule}`: no test `{test}`")).collect();
    assert!(lost.is_empty(), "\n{}\n", lost.join("\n"));
}
