#include "access.h"
#include "endpoints.h"
#include "streams.h"

/* GET /web/events - what changes, as it happens. */

enum { FULL_RETRY_S = 10 };

static struct verdict begin(struct task *task)
{
	struct streams *streams = web_service_of(task)->streams;
	struct page_stream *page;

	if (!streams_have_room(streams, task_account_id(task)))
		return task_fail_busy(task, FULL_RETRY_S,
				      "too many pages of this account are open, try again");
	page = streams_open(streams, web_person(task), web_session_id(task));
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	/* nginx would keep events until it has a buffer full of them. */
	task_add_field(task, STR("X-Accel-Buffering"), STR("no"));
	return task_hand_over(task, STR("text/event-stream"), &page_stream_source, page,
			      &page->stream);
}

const struct endpoint endpoint_events = {
    .name = "events",
    .handler = begin,
    .access = &access_session,
};
