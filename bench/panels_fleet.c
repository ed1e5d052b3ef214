#include "base/clock.h"
#include "base/memory.h"
#include "panels.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	TURN_MS = 10,
	LOOK_MS = 250,	   /* interval of the checks of every panel: pings, dwells */
	SHAKING_MAX = 256, /* less than the backlog of a listening socket */
	EVENTS_MAX = 512,
};

static void update_clock(struct fleet *fleet)
{
	fleet->now_ms = (uint32_t)((clock_monotonic_us() * 1000 - fleet->start_ns) / 1000000);
}

static void look_at(struct fleet *fleet, unsigned number)
{
	struct panel *panel = &fleet->panels[number];
	bool is_due = panel->due_ms && panel->due_ms <= fleet->now_ms;

	if (panel->state == PANEL_OPEN && is_due)
		panel_display(fleet, panel);
	if (panel->state == PANEL_OPEN && panel->ping_ms <= fleet->now_ms)
		panel_ping(fleet, panel);
}

/* Connects as many panels as the rate allows by now; next is the first that never connected. */
static void open_some(struct fleet *fleet, unsigned *next)
{
	uint64_t allowed = (uint64_t)fleet->now_ms * fleet->rate / 1000 + 1;

	while (*next < fleet->urls->count && *next < allowed && fleet->shaking < SHAKING_MAX) {
		if (!panel_connect(fleet, *next))
			return;
		(*next)++;
	}
}

static void run_turns(struct fleet *fleet)
{
	struct epoll_event events[EVENTS_MAX];
	uint32_t looked_ms = 0;
	unsigned next = 0;

	while (!fleet->shared->ends) {
		int timeout = next < fleet->urls->count ? TURN_MS : LOOK_MS;
		int count = epoll_wait(fleet->epoll, events, EVENTS_MAX, timeout);

		update_clock(fleet);
		for (int i = 0; i < count; i++)
			panel_on_event(fleet, events[i].data.ptr, events[i].events);
		open_some(fleet, &next);
		if (fleet->now_ms - looked_ms < LOOK_MS)
			continue;
		looked_ms = fleet->now_ms;
		for (unsigned i = 0; i < next; i++)
			look_at(fleet, i);
	}
}

void fleet_run(unsigned rate, const struct urls *urls, struct shared *shared)
{
	struct fleet *fleet = memory_zalloc(sizeof(*fleet));

	/* No process remains if the first one is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fleet->rate = rate;
	fleet->urls = urls;
	fleet->shared = shared;
	fleet->epoll = epoll_create1(EPOLL_CLOEXEC);
	fleet->start_ns = clock_monotonic_us() * 1000;
	if (fleet->epoll < 0) {
		perror("panels: epoll");
		exit(1);
	}
	fleet->panels = memory_zalloc(urls->count * sizeof(fleet->panels[0]));
	run_turns(fleet);
	exit(0);
}
