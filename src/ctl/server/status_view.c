#include "ctl/server/status_view.h"
#include "base/clock.h"
#include "base/memory.h"
#include "ctl/server/status_cell.h"
#include "ctl/server/status_json.h"
#include "ctl/server/status_line.h"
#include "ctl/server/status_storage.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum {
	LAG_US = 200 * 1000, /* longer turns are marked; as in the alert */
	ERRORS_SHOWN = 10,
	LINES_LEAST = 3, /* of a list, with its head */
};

/* ---- the answers ---- */

/* Finds the old element with the same members; NULL: there was none. */
static const yyjson_val *find_before(const struct status_view *view, const char *list,
				     const char *const names[2], const yyjson_val *one)
{
	yyjson_val *all = status_member(view->before, list), *other;
	size_t i, count;

	yyjson_arr_foreach(all, i, count, other)
	{
		if (yyjson_equals(status_member(other, names[0]),
				  (yyjson_val *)(uintptr_t)status_member(one, names[0])) &&
		    (!names[1] ||
		     yyjson_equals(status_member(other, names[1]), status_member(one, names[1]))))
			return other;
	}
	return NULL;
}

/* Returns the growth of a counter; a restarted server counts from 0. */
static int64_t growth(const yyjson_val *before, const yyjson_val *now, const char *name)
{
	int64_t grown = status_number(now, name) - status_number(before, name);

	return grown < 0 ? status_number(now, name) : grown;
}

static double a_second(const struct status_view *view, int64_t grown)
{
	return (double)grown * 1000 / (double)(view->passed_ms ? view->passed_ms : 1);
}

/* ---- parts of lines ---- */

static void begin_style(struct buffer *out, enum status_style style)
{
	buffer_append_char(out, (char)style);
}

static void end_style(struct buffer *out)
{
	buffer_append_char(out, STATUS_PLAIN);
}

static void put_head(struct buffer *out, const char *line)
{
	begin_style(out, STATUS_BOLD);
	buffer_printf(out, "%s", line);
	end_style(out);
	buffer_append_char(out, '\n');
}

/* ---- the whole server ---- */

static int64_t count_alive(const struct status_view *view)
{
	yyjson_val *list = status_member(view->now, "workers"), *one;
	int64_t alive = 0;
	size_t i, count;

	yyjson_arr_foreach(list, i, count, one) alive += status_is_true(one, "isAlive");
	return alive;
}

/* Only if some are missing; those that run are listed. */
static void put_missing(const struct status_view *view, struct buffer *out)
{
	int64_t alive = count_alive(view), wanted = status_number(view->now, "configuredWorkers");

	if (alive >= wanted)
		return;
	buffer_printf(out, "workers   ");
	begin_style(out, STATUS_RED);
	buffer_printf(out, "%" PRId64 " of %" PRId64 " answer", alive, wanted);
	end_style(out);
	buffer_append_char(out, '\n');
}

static void put_database(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *database = status_member(view->now, "database");
	int64_t up = status_number(database, "workersUp");
	int64_t workers = count_alive(view);

	buffer_printf(out, "database  ");
	if (status_is_true(database, "isFull")) {
		begin_style(out, STATUS_RED);
		buffer_append_str(out, STR("its disk is full, nothing can be stored"));
		end_style(out);
	} else if (up < workers) {
		begin_style(out, STATUS_RED);
		buffer_printf(out, "unavailable to %" PRId64 " of %" PRId64 " workers",
			      workers - up, workers);
		if (status_text(database, "away")[0])
			buffer_printf(out, ": %s", status_text(database, "away"));
		end_style(out);
	} else {
		buffer_printf(out, "connected");
	}
	buffer_printf(out,
		      ", %" PRId64 " connections; statements: %" PRId64 " wait, %" PRId64 " sent\n",
		      status_number(database, "connections"), status_number(database, "waiting"),
		      status_number(database, "sent"));
}

/* A line that is there only if something is wrong. */
static void put_problem(const struct status_view *view, const char *title, const char *name,
			struct buffer *out)
{
	const char *problem = status_text(view->now, name);

	if (!problem[0])
		return;
	buffer_printf(out, "%-10s", title);
	begin_style(out, STATUS_RED);
	buffer_printf(out, "%s", problem);
	end_style(out);
	buffer_append_char(out, '\n');
}

/* Omits lines of connections that no account uses. */
static void put_homes(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *mqtt = status_member(view->now, "mqtt"),
			 *webhooks = status_member(view->now, "webhooks");
	int64_t connected = status_number(mqtt, "connected"),
		failed = status_number(mqtt, "failed"),
		streams = status_number(view->now, "eventStreams"),
		waiting = status_number(webhooks, "waiting"),
		delivered = status_number(webhooks, "delivered"),
		undelivered = status_number(webhooks, "failed");

	if (connected || failed)
		buffer_printf(out,
			      "mqtt      %" PRId64 " connected, %" PRId64
			      " not, of at most %" PRId64 "\n",
			      connected, failed, status_number(mqtt, "limit"));
	if (waiting || delivered || undelivered)
		buffer_printf(out,
			      "webhooks  %" PRId64 " with waiting events; messages: %" PRId64
			      " delivered, %" PRId64 " failed\n",
			      waiting, delivered, undelivered);
	if (streams)
		buffer_printf(out, "events    %" PRId64 " open streams\n", streams);
}

static void put_server(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *panels = status_member(view->now, "panels");

	begin_style(out, STATUS_BOLD);
	buffer_printf(out, "displayd %s", status_text(view->now, "version"));
	end_style(out);
	buffer_printf(out, ", up ");
	status_put_age(out, status_text(view->now, "startedAt"), true);
	if (view->is_live) {
		time_t now = (time_t)(clock_wall_us() / 1000000);
		struct tm local;

		localtime_r(&now, &local);
		buffer_printf(out, ", at %02d:%02d:%02d (Ctrl-C ends)", local.tm_hour, local.tm_min,
			      local.tm_sec);
	}
	buffer_append_char(out, '\n');
	put_missing(view, out);
	put_database(view, out);
	put_problem(view, "apps", "renderingProblem", out);
	put_problem(view, "disk", "storageProblem", out);
	status_put_storage(out, view->now);
	status_put_certificate(out, view->now);
	buffer_printf(
	    out, "panels    %" PRId64 " by WebSocket, %" PRId64 " polling, %" PRId64 " in memory\n",
	    status_number(panels, "links"), status_number(panels, "polling"),
	    status_number(panels, "inMemory"));
	put_homes(view, out);
}

static const struct {
	const char *name;
	const char *head;
	bool is_bad;
} rates[] = {
    {"requests", "requests", false},	 {"serverErrors", "5xx", true},
    {"pushes", "pushes", false},	 {"pictures", "pictures", false},
    {"statements", "statements", false}, {"renders", "renders", false},
};

enum { RATE_WIDTH = 9 };

static void put_rates(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *before = status_member(view->before, "counters");
	const yyjson_val *now = status_member(view->now, "counters");
	struct buffer head = {0};

	buffer_append_str(&head, STR("        "));
	for (size_t i = 0; i < array_length(rates); i++)
		buffer_printf(&head, "  %*s", RATE_WIDTH, rates[i].head);
	buffer_append_char(&head, '\0');
	put_head(out, buffer_view(&head).data);
	buffer_finish(&head);
	buffer_append_str(out, STR("a second"));
	for (size_t i = 0; i < array_length(rates); i++) {
		int64_t grown = growth(before, now, rates[i].name);

		if (rates[i].is_bad && grown > 0)
			begin_style(out, STATUS_RED);
		status_put_rate(out, a_second(view, grown), RATE_WIDTH);
		end_style(out);
	}
	buffer_append_str(out, STR("\nso far  "));
	for (size_t i = 0; i < array_length(rates); i++)
		status_put_number(out, status_number(now, rates[i].name), RATE_WIDTH);
	buffer_append_char(out, '\n');
}

/* Lists the problems since the start. */
static void put_troubles(const struct status_view *view, struct buffer *out)
{
	static const struct {
		const char *name;
		const char *one, *several;
	} troubles[] = {
	    {"processesFailed", "process ended unexpectedly", "processes ended unexpectedly"},
	    {"databaseFull", "statement refused by a full disk",
	     "statements refused by a full disk"},
	    {"databaseFailures", "statement not executed", "statements not executed"},
	    {"unauthenticated", "caller without a valid key", "callers without a valid key"},
	    {"rateLimited", "request over a limit", "requests over a limit"},
	    {"logLinesLost", "log line lost", "log lines lost"},
	};
	const yyjson_val *counters = status_member(view->now, "counters");
	size_t begin = buffer_length(out), column = 0;

	for (size_t i = 0; i < array_length(troubles); i++) {
		int64_t count = status_number(counters, troubles[i].name);
		struct buffer one = {0};

		if (count == 0)
			continue;
		buffer_printf(&one, "%" PRId64 " %s", count,
			      count == 1 ? troubles[i].one : troubles[i].several);
		if (column == 0 ||
		    (view->width && column + buffer_length(&one) + 2 > view->width)) {
			buffer_append_str(out,
					  column == 0 ? STR("trouble   ") : STR(",\n          "));
			column = 10;
		} else {
			buffer_append_str(out, STR(", "));
			column += 2;
		}
		buffer_append_str(out, buffer_view(&one));
		column += buffer_length(&one);
		buffer_finish(&one);
	}
	if (buffer_length(out) > begin)
		buffer_append_char(out, '\n');
}

/* ---- lists ---- */

static const char worker_head[] =
    "worker      up   CPU  requests  clients  panels       lag      memory  database";

static void put_worker(const struct status_view *view, const yyjson_val *worker, struct buffer *out)
{
	static const char *const names[2] = {"number", "startedAt"};
	const yyjson_val *before = find_before(view, "workers", names, worker);
	bool is_up = status_is_true(worker, "isDatabaseUp"),
	     lags = status_number(worker, "lagUs") > LAG_US;
	struct buffer cell = {0};

	buffer_printf(out, "%-6" PRId64, status_number(worker, "number"));
	if (!status_is_true(worker, "isAlive")) {
		begin_style(out, STATUS_RED);
		buffer_append_str(out, STR("  does not answer"));
		end_style(out);
		buffer_append_char(out, '\n');
		return;
	}
	status_put_age(&cell, status_text(worker, "startedAt"), false);
	status_put_cell(out, &cell, 6);
	buffer_printf(&cell, "%.0f%%",
		      a_second(view, before ? growth(before, worker, "cpuUs") : 0) / 10000);
	status_put_cell(out, &cell, 4);
	status_put_number(out, status_number(worker, "requests"), 8);
	status_put_number(
	    out, status_number(worker, "connections") + status_number(worker, "websockets"), 7);
	status_put_number(out, status_number(worker, "connectedPanels"), 6);
	begin_style(out, lags ? STATUS_YELLOW : STATUS_PLAIN);
	status_put_duration(out, status_number(worker, "lagUs"), 8);
	end_style(out);
	buffer_printf(&cell, "%.1f MiB", (double)status_number(worker, "residentBytes") / 1048576);
	status_put_cell(out, &cell, 10);
	begin_style(out, is_up ? STATUS_PLAIN : STATUS_RED);
	buffer_append_str(out, is_up ? STR("  connected") : STR("  away"));
	end_style(out);
	buffer_append_char(out, '\n');
	buffer_finish(&cell);
}

static const char queue_head[] = "queue      waiting  running   a second     so far    refused";

/* Shows a queue, unless it was never used. */
static void put_queue(const struct status_view *view, const yyjson_val *queue, struct buffer *out)
{
	static const char *const names[2] = {"lane", NULL};
	const yyjson_val *before = find_before(view, "queues", names, queue);
	int64_t refused = status_number(queue, "refused");

	if (status_number(queue, "begun") + status_number(queue, "waiting") + refused == 0)
		return;
	buffer_printf(out, "%-9s", status_text(queue, "lane"));
	status_put_number(out, status_number(queue, "waiting"), 7);
	status_put_number(out, status_number(queue, "running"), 7);
	status_put_rate(out, a_second(view, growth(before, queue, "begun")), 9);
	status_put_number(out, status_number(queue, "begun"), 9);
	begin_style(out, growth(before, queue, "refused") > 0 ? STATUS_YELLOW : STATUS_PLAIN);
	status_put_number(out, refused, 9);
	end_style(out);
	buffer_append_char(out, '\n');
}

static const char route_head[] = "99 of 100      mean       now   requests  slowest routes";

static void put_route(const struct status_view *view, const yyjson_val *route, struct buffer *out)
{
	static const char *const names[2] = {"method", "route"};
	const yyjson_val *before = find_before(view, "slowest", names, route);
	int64_t requests = status_number(route, "requests"),
		mean_us = status_number(route, "meanUs");
	int64_t grown = before ? requests - status_number(before, "requests") : 0;
	struct buffer cell = {0};

	status_put_us(&cell, status_number(route, "p99Us"));
	status_put_cell(out, &cell, 7);
	status_put_duration(out, mean_us, 8);
	if (grown > 0)
		status_put_us(&cell, (requests * mean_us - status_number(before, "requests") *
							       status_number(before, "meanUs")) /
					 grown);
	else
		buffer_append_char(&cell, '-');
	status_put_cell(out, &cell, 8);
	status_put_number(out, requests, 9);
	buffer_printf(out, "  %s %s\n", status_text(route, "method"), status_text(route, "route"));
	buffer_finish(&cell);
}

/* Joins errors that differ only in their time into one line. */
static void put_errors(const struct status_view *view, struct buffer *out)
{
	yyjson_val *list = status_member(view->now, "errors");
	size_t count = yyjson_arr_size(list);
	unsigned times = 1;

	if (count == 0)
		return;
	buffer_append_char(out, '\n');
	put_head(out, "recent errors");
	for (size_t i = 0; i < count; i++, times++) {
		struct str line = str_from(yyjson_get_str(yyjson_arr_get(list, i)));

		if (i + 1 < count && status_line_is_again(line, str_from(yyjson_get_str(
								    yyjson_arr_get(list, i + 1)))))
			continue;
		status_line_error(line, out);
		if (times > 1)
			buffer_printf(out, " (%u times)", times);
		buffer_append_char(out, '\n');
		times = 0;
	}
}

/* Without its head if nothing is in it. */
static void put_list(const struct status_view *view, const char *name, const char *head,
		     void (*put)(const struct status_view *view, const yyjson_val *one,
				 struct buffer *out),
		     struct buffer *out)
{
	yyjson_val *list = status_member(view->now, name), *one;
	size_t begin, i, count;

	buffer_append_char(out, '\n');
	put_head(out, head);
	begin = buffer_length(out);
	yyjson_arr_foreach(list, i, count, one) put(view, one, out);
	if (buffer_length(out) == begin)
		buffer_clear(out);
}

/* ---- what fits ---- */

enum section { SECTION_FIXED, SECTION_QUEUES, SECTION_SLOWEST, SECTION_ERRORS, SECTIONS };

static void count_lines(const struct status_view *view, const struct buffer sections[SECTIONS],
			size_t ret_lines[SECTIONS])
{
	size_t all = 0;

	for (unsigned i = 0; i < SECTIONS; i++)
		all += ret_lines[i] = status_lines(buffer_view(&sections[i]));
	if (ret_lines[SECTION_ERRORS] > ERRORS_SHOWN + 2) {
		all -= ret_lines[SECTION_ERRORS] - ERRORS_SHOWN - 2;
		ret_lines[SECTION_ERRORS] = ERRORS_SHOWN + 2;
	}
	/* The longest list gives way first. */
	while (view->height && all > view->height) {
		unsigned longest = SECTION_ERRORS;

		for (unsigned i = SECTION_QUEUES; i < SECTIONS; i++)
			if (ret_lines[i] > ret_lines[longest])
				longest = i;
		if (ret_lines[longest] <= LINES_LEAST)
			break;
		ret_lines[longest]--;
		all--;
	}
}

void status_view_write(const struct status_view *view, struct buffer *out)
{
	const struct status_page page = {view->width, view->height, view->has_colours,
					 view->is_live};
	struct buffer sections[SECTIONS] = {0}, all = {0};
	yyjson_val *list = status_member(view->now, "workers"), *one;
	size_t lines[SECTIONS], i, count;

	put_server(view, &sections[SECTION_FIXED]);
	put_troubles(view, &sections[SECTION_FIXED]);
	buffer_append_char(&sections[SECTION_FIXED], '\n');
	put_rates(view, &sections[SECTION_FIXED]);
	buffer_append_char(&sections[SECTION_FIXED], '\n');
	put_head(&sections[SECTION_FIXED], worker_head);
	yyjson_arr_foreach(list, i, count, one) put_worker(view, one, &sections[SECTION_FIXED]);
	put_list(view, "queues", queue_head, put_queue, &sections[SECTION_QUEUES]);
	put_list(view, "slowest", route_head, put_route, &sections[SECTION_SLOWEST]);
	put_errors(view, &sections[SECTION_ERRORS]);
	count_lines(view, sections, lines);
	for (i = 0; i < SECTIONS; i++) {
		struct str section = buffer_view(&sections[i]);

		if (i == SECTION_ERRORS) /* the last ones, below blank line and head */
			status_take_ends(section, 2, lines[i], &all);
		else
			status_take_ends(section, lines[i], lines[i], &all);
		buffer_finish(&sections[i]);
	}
	status_page_write(&page, buffer_view(&all), out);
	buffer_finish(&all);
}
