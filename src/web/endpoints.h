/* All endpoints of the pages, sorted by name, and what they share. */
#pragma once

#include "task/task.h"

extern const struct endpoint endpoint_app_device_list;
extern const struct endpoint endpoint_app_form;
extern const struct endpoint endpoint_app_handler;
extern const struct endpoint endpoint_app_install;
extern const struct endpoint endpoint_app_preview;
extern const struct endpoint endpoint_audit_list;
extern const struct endpoint endpoint_catalogue_get;
extern const struct endpoint endpoint_catalogue_list;
extern const struct endpoint endpoint_challenge_create;
extern const struct endpoint endpoint_draft_get;
extern const struct endpoint endpoint_draft_handler;
extern const struct endpoint endpoint_draft_preview;
extern const struct endpoint endpoint_draft_save;
extern const struct endpoint endpoint_entry_settings_get;
extern const struct endpoint endpoint_entry_settings_set;
extern const struct endpoint endpoint_events;
extern const struct endpoint endpoint_heir_clear;
extern const struct endpoint endpoint_heir_set;
extern const struct endpoint endpoint_instance_get;
extern const struct endpoint endpoint_invitation_create;
extern const struct endpoint endpoint_invitation_list;
extern const struct endpoint endpoint_invitation_revoke;
extern const struct endpoint endpoint_key_create;
extern const struct endpoint endpoint_key_list;
extern const struct endpoint endpoint_key_revoke;
extern const struct endpoint endpoint_link_look;
extern const struct endpoint endpoint_link_use;
extern const struct endpoint endpoint_member_list;
extern const struct endpoint endpoint_member_sessions_end;
extern const struct endpoint endpoint_member_update;
extern const struct endpoint endpoint_night_update;
extern const struct endpoint endpoint_own_app_create;
extern const struct endpoint endpoint_own_app_get;
extern const struct endpoint endpoint_own_app_list;
extern const struct endpoint endpoint_own_app_update;
extern const struct endpoint endpoint_own_version_deploy;
extern const struct endpoint endpoint_own_version_list;
extern const struct endpoint endpoint_own_version_script;
extern const struct endpoint endpoint_own_version_submit;
extern const struct endpoint endpoint_passkey_create;
extern const struct endpoint endpoint_passkey_list;
extern const struct endpoint endpoint_passkey_removal;
extern const struct endpoint endpoint_passkey_update;
extern const struct endpoint endpoint_own_device_create;
extern const struct endpoint endpoint_own_device_disable;
extern const struct endpoint endpoint_own_device_enable;
extern const struct endpoint endpoint_own_device_get;
extern const struct endpoint endpoint_own_device_key;
extern const struct endpoint endpoint_own_device_list;
extern const struct endpoint endpoint_own_device_remove;
extern const struct endpoint endpoint_own_device_update;
extern const struct endpoint endpoint_own_push;
extern const struct endpoint endpoint_password_change;
extern const struct endpoint endpoint_password_link_create;
extern const struct endpoint endpoint_person_get;
extern const struct endpoint endpoint_person_removal;
extern const struct endpoint endpoint_person_removal_preview;
extern const struct endpoint endpoint_person_update;
extern const struct endpoint endpoint_picture_get;
extern const struct endpoint endpoint_place_list;
extern const struct endpoint endpoint_register;
extern const struct endpoint endpoint_review_decide;
extern const struct endpoint endpoint_review_get;
extern const struct endpoint endpoint_review_handler;
extern const struct endpoint endpoint_review_list;
extern const struct endpoint endpoint_review_preview;
extern const struct endpoint endpoint_review_scripts;
extern const struct endpoint endpoint_rotation_get;
extern const struct endpoint endpoint_rotation_order;
extern const struct endpoint endpoint_rotation_remove;
extern const struct endpoint endpoint_rotation_show;
extern const struct endpoint endpoint_rotation_update;
extern const struct endpoint endpoint_session_create;
extern const struct endpoint endpoint_session_delete;
extern const struct endpoint endpoint_session_end;
extern const struct endpoint endpoint_session_end_others;
extern const struct endpoint endpoint_session_list;
extern const struct endpoint endpoint_session_passkey;
extern const struct endpoint endpoint_start;

/* Answers a refusal of the database in the pages' words. */
task_step web_fail_refusal;
/* 404 for a link that is worth nothing (any more). */
task_step web_fail_link;
