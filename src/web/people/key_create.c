#include "base/limits.h"
#include "domain/api_key.h"
#include "domain/key.h"
#include "web/access.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/keys - makes an API key. It is shown only once: its hash is stored. */

struct creation {
	struct key_creation body; /* first: the pre-handler checks read the request into it */
	char key[API_KEY_LENGTH + 1];
	uint8_t hash[KEY_HASH_BYTES];
	struct key_entry entry;
};

static struct step_result created(struct task *task)
{
	struct creation *creation = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_ACCOUNT_HAS_NO_DEVICE,
				 "an account must own at least one device before it can create a "
				 "key: add a device first");
	web_changed(task, task_account_id(task), "keys");
	web_changed(task, (struct id){0}, "admin");
	creation->entry.key = str_from(creation->key);
	return task_reply_record(task, 201, &new_key_record, &creation->entry);
}

static struct step_result key_create_begin(struct task *task)
{
	struct creation *creation = task_state(task);

	api_key_new(creation->key);
	key_hash(str_from(creation->key), creation->hash);
	statement_own_key_create(
	    task_new_query(task),
	    &(struct own_key_create_parameters){
		.account_id = task_account_id(task),
		.id = id_new(),
		.name = creation->body.name,
		.secret_hash = {(const char *)creation->hash, KEY_HASH_BYTES},
		.first_characters = {creation->key, API_KEY_SHOWN_LENGTH},
		.scope = creation->body.scope,
		.device_ids = {creation->body.device_ids, creation->body.device_count},
		.ends_at = creation->body.ends_at_us,
		.address = web_address(task),
		.session_id = web_session_id(task),
	    },
	    &creation->entry);
	return task_query(task, created);
}

ENDPOINT_KEY_CREATE(.handler = key_create_begin, .state_size = sizeof(struct creation),
		    .refused = web_fail_constraint);
