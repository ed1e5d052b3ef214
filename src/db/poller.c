#include "poller.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

/* Allocated separately: a uv handle lives until its close callback, and libpq may open another
 * socket while it connects. */
struct poller {
	uv_poll_t poll;
	void (*ready)(void *context); /* NULL once it is dropped */
	void *context;
	int events;
};

static void on_closed(uv_handle_t *handle)
{
	free(container_of((uv_poll_t *)handle, struct poller, poll));
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct poller *poller = container_of(poll, struct poller, poll);

	(void)events;
	if (status < 0)
		poller->events = 0;
	if (poller->ready)
		poller->ready(poller->context);
}

int poller_watch(struct poller **poller, uv_loop_t *loop, int socket, int events,
		 void (*ready)(void *context), void *context)
{
	struct poller *made;
	int error;

	if (*poller && (*poller)->events == events)
		return 0;
	if (!*poller) {
		made = memory_zalloc(sizeof(*made));
		error = uv_poll_init(loop, &made->poll, socket);
		if (error) {
			free(made);
			return error;
		}
		made->ready = ready;
		made->context = context;
		*poller = made;
	}
	(*poller)->events = events;
	require(uv_poll_start(&(*poller)->poll, events, on_ready) == 0);
	return 0;
}

void poller_drop(struct poller **poller)
{
	struct poller *dropped = *poller;

	if (!dropped)
		return;
	*poller = NULL;
	dropped->ready = NULL;
	uv_close((uv_handle_t *)&dropped->poll, on_closed);
}
