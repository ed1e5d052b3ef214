#include "resolve.h"

#include <stdio.h>
#include <stdlib.h>

struct resolution {
	uv_getaddrinfo_t request;
	const struct hosts *hosts;
	bool is_running; /* uv owns the request */
	bool is_freed;	 /* resolve_free() was called: freed when uv gives the request back */
	void (*done)(void *context, const struct host_addresses *addresses, const char *error);
	void *context;
	char name[NI_MAXHOST];
	struct later failed; /* set if uv did not take the request */
};

static void resolve_fail(const struct resolution *r, const char *why)
{
	char error[NI_MAXHOST + 200];

	snprintf(error, sizeof(error), "cannot resolve %s: %s", r->name, why);
	r->done(r->context, NULL, error);
}

static void on_failed(struct later *later)
{
	resolve_fail(container_of(later, struct resolution, failed), "no thread is available");
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
	struct resolution *r = container_of(request, struct resolution, request);
	struct host_addresses addresses = {.count = 0};

	r->is_running = false;
	if (r->is_freed) {
		uv_freeaddrinfo(found);
		resolve_free(r);
		return;
	}
	if (status == 0)
		hosts_take_addresses(r->hosts, found, &addresses);
	uv_freeaddrinfo(found);
	if (status)
		resolve_fail(r, uv_strerror(status));
	else if (addresses.count == 0)
		resolve_fail(r, "it has no address");
	else
		r->done(r->context, &addresses, NULL);
}

struct resolution *resolve_start(struct loop *loop, const struct hosts *hosts, const char *name,
				 void (*done)(void *context, const struct host_addresses *addresses,
					      const char *error),
				 void *context)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct resolution *r = memory_zalloc(sizeof(*r));

	r->hosts = hosts;
	r->done = done;
	r->context = context;
	loop_later_init(&r->failed, on_failed);
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->is_running =
	    uv_getaddrinfo(&loop->uv, &r->request, on_resolved, r->name, NULL, &hints) == 0;
	if (!r->is_running)
		loop_later(loop, &r->failed);
	return r;
}

void resolve_free(struct resolution *r)
{
	if (!r)
		return;
	loop_later_cancel(&r->failed);
	if (r->is_running) {
		r->is_freed = true;
		uv_cancel((uv_req_t *)&r->request);
		return;
	}
	free(r);
}
