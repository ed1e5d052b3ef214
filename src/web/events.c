#include "access.h"
#include "api/device_choice.h"
#include "endpoints.h"
#include "page_views.h"
#include "streams.h"

/* GET /web/events?devices=ID,ID - stream of what panels show, and of changes. */

enum { FULL_RETRY_S = 10 };

struct events {
	struct device_choice chosen;
	struct device_owners_row owners;
};

static struct step_result fail_full(struct task *task, const char *what)
{
	return task_fail_busy(task, PROBLEM_STREAMS_TOO_MANY, FULL_RETRY_S,
			      "too many %s, try again", what);
}

static struct step_result open_stream(struct task *task)
{
	const struct web_service *web = web_service_of(task);
	const struct events *events = task_state(task);
	struct page_stream *page;

	if (streams_are_full(web->streams))
		return fail_full(task, "pages of all accounts are open");
	if (!streams_have_room(web->streams, task_account_id(task)))
		return fail_full(task, "pages of this account are open");
	page = streams_open(web->streams, web_person(task), web_session_id(task));
	if (!page_views_subscribe(page, web->api.delivery, events->chosen.ids, events->chosen.count,
				  task_account_id(task))) {
		streams_leave(page);
		return fail_full(task, "devices are shown on pages");
	}
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	/* nginx would otherwise hold events until its buffer is full. */
	task_add_field(task, STR("X-Accel-Buffering"), STR("no"));
	return task_hand_over(task, STR("text/event-stream"), &page_stream_source, page,
			      &page->stream.http);
}

static struct step_result events_found(struct task *task)
{
	const struct events *events = task_state(task);

	if (events->owners.own + events->owners.others < events->chosen.count)
		return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
	if (events->owners.others)
		return task_fail(task, PROBLEM_OF_OTHER_ACCOUNT,
				 "the device belongs to another account");
	return open_stream(task);
}

static struct step_result events_begin(struct task *task)
{
	struct events *events = task_state(task);
	struct step_result answer;

	if (!api_read_devices(task, &events->chosen, DEVICE_CHOICE_MAX, &answer))
		return answer;
	if (events->chosen.count == 0)
		return open_stream(task);
	statement_device_owners(task_new_query(task),
				&(struct device_owners_parameters){
				    .ids = {events->chosen.ids, events->chosen.count},
				    .account_id = task_account_id(task),
				},
				&events->owners);
	return task_query(task, events_found);
}

ENDPOINT_EVENTS(.handler = events_begin, .state_size = sizeof(struct events));
