#include "api/account_bytes.h"
#include "api/entries.h"
#include "api/operator_note.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/installation.h"
#include "endpoints.h"
#include "push_steps.h"

/* POST /v1/devices/{deviceId}/installations/{installationId}/copy - copies an entry to another
 * device of the account, or within its device.
 *
 *   entry_copy_begin -> target_found -> read_entry -> entry_read -> expire -> copy -> copied
 *                                           ^                          ^         |
 *                                           | the entry was changed    '---------| room was made
 *                                           '------------------------------------'
 *
 * Secret settings are decrypted for the entry and encrypted for its copy. */

/* Limit of attempts while others change the entry: each failed attempt means that another change
 * succeeded. */
enum { COPY_TRIES = 8 };

struct copying {
	struct entry_target body; /* first: the pre-handler checks read the request into it */
	struct id source_id;	  /* device of the path */
	struct entry_copy_source_row entry;
	struct device_expire_row expired;
	struct entry_copy_row row;
	struct account_room room;
	char id[ID_TEXT_LENGTH + 1];
	unsigned tries;
};

static task_step read_entry;

static struct step_result entry_copy_reply(struct task *task)
{
	const struct copying *copying = task_state(task);

	return task_reply_record(task, 201, &installation_record, &copying->row.installation);
}

static struct step_result bytes_found(struct task *task)
{
	const struct copying *copying = task_state(task);

	return api_fail_account_bytes(task, &copying->room);
}

static struct step_result copy(struct task *task);

static struct step_result made_room(struct task *task)
{
	struct copying *copying = task_state(task);

	return api_account_room_was_made(task, &copying->room)
		   ? copy(task)
		   : api_ask_account_bytes(task, &copying->room, bytes_found);
}

static struct step_result copied(struct task *task)
{
	struct copying *copying = task_state(task);

	if (task_row_count(task) == 0 && ++copying->tries == COPY_TRIES)
		return task_fail(task, PROBLEM_INSTALLATION_CHANGED,
				 "the installation has changed in the meantime, try again");
	if (task_row_count(task) == 0)
		return task_continue(task, read_entry);
	if (copying->row.is_full)
		return api_make_account_room(task, &copying->room, made_room);
	delivery_device_changed(api_delivery(task), task_device(task)->id, copying->row.generation);
	return api_note_change(task, "entry.copy", copying->row.installation.id, entry_copy_reply);
}

/* Encrypts the settings for the copy. Returns false if the secret ones cannot be decrypted. */
static bool seal(struct task *task, struct stored_settings *ret_stored)
{
	struct copying *copying = task_state(task);
	const struct entry_copy_source_row *entry = &copying->entry;
	const struct settings_key *key = api_service(task)->settings_key;
	struct settings open, secret = {0};
	struct str json;

	*ret_stored =
	    (struct stored_settings){.open = entry->settings, .hash = entry->settings_hash};
	if (entry->secret_settings.length == 0)
		return true;
	if (!settings_decrypt(key, copying->source_id, task_path_parameter(task, 1),
			      entry->secret_settings, task_arena(task), &json))
		return false;
	settings_parse(entry->settings, task_arena(task), &open);
	settings_parse(json, task_arena(task), &secret);
	stored_settings_make(key, task_device(task)->id, str_from(copying->id), &open, &secret,
			     task_arena(task), ret_stored);
	return true;
}

static struct step_result copy(struct task *task)
{
	struct copying *copying = task_state(task);
	struct stored_settings stored;

	id_format(id_new(), copying->id);
	if (!seal(task, &stored))
		return task_fail(task, PROBLEM_SECRET_UNREADABLE, "%s", settings_open_failed);
	statement_entry_copy(task_new_query(task),
			     &(struct entry_copy_parameters){
				 .source_id = copying->source_id,
				 .source_entry = task_path_parameter(task, 1),
				 .device_id = task_device(task)->id,
				 .id = str_from(copying->id),
				 .settings = stored.open,
				 .secret_settings = stored.encrypted,
				 .settings_hash = stored.hash,
				 .seen_hash = copying->entry.settings_hash,
			     },
			     &copying->row);
	return task_query(task, copied);
}

static struct step_result expired(struct task *task)
{
	const struct copying *copying = task_state(task);

	if (task_row_count(task))
		delivery_device_changed(api_delivery(task), task_device(task)->id,
					copying->expired.generation);
	return copy(task);
}

/* Removes expired entries, which must not count for the device's limit, and whose IDs are free. */
static struct step_result expire(struct task *task)
{
	struct copying *copying = task_state(task);

	statement_device_expire(task_new_query(task),
				&(struct device_expire_parameters){task_device(task)->id},
				&copying->expired);
	return task_query(task, expired);
}

static struct step_result entry_read(struct task *task)
{
	const struct copying *copying = task_state(task);
	const struct entry_copy_source_row *entry = &copying->entry;
	struct step_result answer;

	if (task_row_count(task) == 0)
		return api_fail_no_entry(task);
	if (!entry->is_pushed)
		return entry->is_installable
			   ? expire(task)
			   : task_fail(task, PROBLEM_APP_NOT_FOUND,
				       "the entry's app is not available for installation");
	if (push_lacks_disk(task, &answer))
		return answer;
	if (entry->bytes > task_device(task)->picture_limit_bytes)
		return task_fail_field_as(
		    task, PROBLEM_PICTURE_TOO_LARGE, "device",
		    "has a board that accepts pictures of %lld bytes; the entry's has %lld",
		    (long long)task_device(task)->picture_limit_bytes, (long long)entry->bytes);
	return expire(task);
}

static struct step_result read_entry(struct task *task)
{
	struct copying *copying = task_state(task);

	statement_entry_copy_source(task_new_query(task),
				    &(struct entry_copy_source_parameters){
					copying->source_id, task_path_parameter(task, 1)},
				    &copying->entry);
	return task_query(task, entry_read);
}

static struct step_result target_found(struct task *task)
{
	struct step_result answer;

	return task_may_use_device(task, &answer) ? read_entry(task) : answer;
}

static struct step_result entry_copy_begin(struct task *task)
{
	struct copying *copying = task_state(task);

	copying->source_id = task_device(task)->id;
	return copying->body.device.data
		   ? task_find_device(task, copying->body.device, target_found)
		   : read_entry(task);
}

ENDPOINT_ENTRY_COPY(.handler = entry_copy_begin, .state_size = sizeof(struct copying),
		    .refused = api_entry_refused);
