#include "events/events.h"
#include "api/device_choice.h"
#include "base/limits.h"
#include "endpoints.h"

#include <string.h>

/* GET /v1/events?devices=ID,ID - stream of events of devices.
 *
 *   begin --devices named-----> owned --.
 *     `-----all of the account> listed --+-> listen --workers know of it--> open */

enum { FULL_RETRY_S = 10, FULL_OF_KEY_RETRY_S = 1 };

struct listening {
	struct device_choice chosen;
	struct device_owners_row owners;
	struct push_devices_row all;
	bool has_last_id;
	uint8_t last_id[EVENT_ID_BYTES];
	struct event_wait wait;
	struct task *task;
};

static bool is_for_chosen_devices(struct task *task)
{
	return task_key_devices(task).count > 0;
}

static struct event_wish wish_of(struct task *task)
{
	const struct listening *listening = task_state(task);
	bool is_named = listening->chosen.count > 0;
	struct str all = listening->all.ids;

	return (struct event_wish){
	    .account_id = task_account_id(task),
	    .key_hash = task_key_hash(task),
	    .has_no_key = task_is_of_bridge(task),
	    .scope = task_key_scope(task),
	    .ids = is_named ? listening->chosen.ids : (const struct id *)(const void *)all.data,
	    .count = is_named ? listening->chosen.count : (unsigned)(all.length / ID_BYTES),
	    .is_all = !is_named && !is_for_chosen_devices(task),
	    .last_id = listening->has_last_id ? listening->last_id : NULL,
	};
}

static struct step_result events_fail(struct task *task, enum event_refusal constraint_error)
{
	char retry_after[12];

	if (constraint_error == EVENTS_FULL_OF_DEVICES)
		return task_fail_busy(
		    task, PROBLEM_STREAMS_TOO_MANY, FULL_RETRY_S,
		    "the server watches too many devices for all accounts, try again");
	if (constraint_error == EVENTS_FULL)
		return task_fail_busy(
		    task, PROBLEM_STREAMS_TOO_MANY, FULL_RETRY_S,
		    "the server has too many open streams of all accounts, try again");
	if (constraint_error == EVENTS_FULL_OF_ACCOUNT)
		return task_fail_busy(task, PROBLEM_STREAMS_TOO_MANY, FULL_RETRY_S,
				      "%d streams of the account are open, the maximum; close one",
				      LIMIT_EVENT_STREAMS_OF_ACCOUNT);
	snprintf(retry_after, sizeof(retry_after), "%d", FULL_OF_KEY_RETRY_S);
	task_add_field(task, STR("Retry-After"),
		       arena_copy(task_arena(task), str_from(retry_after)));
	return task_fail(task, PROBLEM_STREAMS_OF_KEY_TOO_MANY,
			 "%d streams are open with this key, the maximum; close one",
			 LIMIT_EVENT_STREAMS_OF_KEY);
}

static struct step_result open_stream(struct task *task)
{
	struct event_wish wish = wish_of(task);
	struct key_stream *stream;
	enum event_refusal constraint_error =
	    events_open(api_service(task)->events, &wish, &stream);

	if (constraint_error)
		return events_fail(task, constraint_error);
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	/* nginx would otherwise hold events until its buffer is full. */
	task_add_field(task, STR("X-Accel-Buffering"), STR("no"));
	return task_hand_over(task, STR("text/event-stream"), &key_stream_source, stream,
			      events_http_stream(stream));
}

static void on_heard(struct event_wait *wait)
{
	task_resume(container_of(wait, struct listening, wait)->task);
}

static struct step_result listen_to_account(struct task *task)
{
	struct listening *listening = task_state(task);

	listening->task = task;
	listening->wait.done = on_heard;
	if (events_listen(api_service(task)->events, task_account_id(task), &listening->wait))
		return open_stream(task);
	return task_wait(task, open_stream);
}

static struct step_result listed(struct task *task)
{
	const struct listening *listening = task_state(task);

	if (listening->all.ids.length / ID_BYTES > LIMIT_EVENT_ALL_DEVICES)
		return task_fail(
		    task, PROBLEM_DEVICES_TOO_MANY,
		    "the account has more than %d devices; choose up to %d of them with devices",
		    LIMIT_EVENT_ALL_DEVICES, LIMIT_EVENT_DEVICES);
	return listen_to_account(task);
}

static struct step_result owned(struct task *task)
{
	const struct listening *listening = task_state(task);

	if (listening->owners.own + listening->owners.others < listening->chosen.count)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	if (listening->owners.others)
		return task_fail(task, PROBLEM_OF_OTHER_ACCOUNT,
				 "a device belongs to another account");
	for (unsigned i = 0; i < listening->chosen.count; i++) {
		if (!key_scope_has_device(task_key_scope(task), listening->chosen.ids[i]))
			return task_fail(task, PROBLEM_KEY_FOR_OTHER_DEVICES,
					 "the API key is for other devices of the account");
	}
	return listen_to_account(task);
}

/* Reads the ID of the last event that the client received: from its field, else from the query. An
 * empty one means that it has received none. A text that is not an ID of an event counts as an ID
 * that is no longer kept, so the client gets "reset": after an error an EventSource would never
 * come back. */
static void read_last_id(struct task *task)
{
	struct listening *listening = task_state(task);
	struct str text = http_request_field(task_request(task), STR("last-event-id"));

	if (!text.length && http_request_query(task_request(task), STR("lastEventId")).data)
		text = http_request_query(task_request(task), STR("lastEventId"));
	listening->has_last_id = text.length > 0;
	if (text.length && !event_id_read(text, listening->last_id))
		memset(listening->last_id, 0, sizeof(listening->last_id));
}

static struct step_result events_begin(struct task *task)
{
	struct listening *listening = task_state(task);
	struct step_result answer;

	if (!api_read_devices(task, &listening->chosen, LIMIT_EVENT_DEVICES, &answer))
		return answer;
	read_last_id(task);
	if (listening->chosen.count) {
		statement_device_owners(task_new_query(task),
					&(struct device_owners_parameters){
					    .ids = {listening->chosen.ids, listening->chosen.count},
					    .account_id = task_account_id(task),
					},
					&listening->owners);
		return task_query(task, owned);
	}
	statement_push_devices(
	    task_new_query(task),
	    &(struct push_devices_parameters){task_account_id(task), task_key_devices(task)},
	    &listening->all);
	return task_query(task, listed);
}

ENDPOINT_KEY_EVENTS(.handler = events_begin, .state_size = sizeof(struct listening));
