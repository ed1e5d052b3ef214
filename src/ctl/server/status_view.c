#include "ctl/server/status_view.h"
#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LAG_US = 200 * 1000, /* longer loop turns are marked, as in the alert */
	ERRORS_SHOWN = 10,
	LATE_S = 10,	 /* as in displayd_renders_late_total */
	LINES_LEAST = 3, /* least lines of a list, with its head */
	/* Thresholds of the alerts in share/prometheus. */
	DISK_SHORT_PART = 10,
	BACKUP_OLD_S = 2 * 24 * 60 * 60,
	CERTIFICATE_SHORT_S = 14 * 24 * 60 * 60,
};

/* ---- reading answers: missing members read as 0, "" or false ---- */

static yyjson_val *member_of(const yyjson_val *object, const char *name)
{
	return yyjson_obj_get((yyjson_val *)(uintptr_t)object, name);
}

static int64_t number_of(const yyjson_val *object, const char *name)
{
	return yyjson_get_sint(member_of(object, name));
}

static const char *text_of(const yyjson_val *object, const char *name)
{
	const char *found = yyjson_get_str(member_of(object, name));

	return found ? found : "";
}

static bool is_true(const yyjson_val *object, const char *name)
{
	return yyjson_get_bool(member_of(object, name));
}

/* Finds the element of the previous answer with the same members (second may be NULL). Returns NULL
 * if there is none. */
static const yyjson_val *find_before(const struct status_view *view, const char *list,
				     const char *first, const char *second, const yyjson_val *one)
{
	yyjson_val *all = member_of(view->before, list), *other;

	for (size_t i = 0; i < yyjson_arr_size(all); i++) {
		other = yyjson_arr_get(all, i);
		if (yyjson_equals(member_of(other, first), member_of(one, first)) &&
		    (!second || yyjson_equals(member_of(other, second), member_of(one, second))))
			return other;
	}
	return NULL;
}

/* Returns the growth of a counter; a restarted server counts from 0. */
static int64_t growth(const yyjson_val *before, const yyjson_val *now, const char *name)
{
	int64_t grown = number_of(now, name) - number_of(before, name);

	return grown < 0 ? number_of(now, name) : grown;
}

static double a_second(const struct status_view *view, int64_t grown)
{
	return (double)grown * 1000 / (double)(view->passed_ms ? view->passed_ms : 1);
}

/* ---- the whole server ---- */

static int64_t count_alive(const struct status_view *view)
{
	yyjson_val *list = member_of(view->now, "workers"), *one;
	int64_t alive = 0;
	size_t i, count;

	yyjson_arr_foreach(list, i, count, one) alive += is_true(one, "isAlive");
	return alive;
}

static void put_database(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *database = member_of(view->now, "database");
	int64_t up = number_of(database, "workersUp"), workers = count_alive(view);
	const char *away = text_of(database, "away");

	buffer_printf(out, "database  ");
	if (is_true(database, "isFull"))
		status_put(out, STATUS_RED, "its disk is full, nothing can be stored");
	else if (up < workers)
		status_put(out, STATUS_RED, "unavailable to %" PRId64 " of %" PRId64 " workers%s%s",
			   workers - up, workers, away[0] ? ": " : "", away);
	else
		buffer_printf(out, "connected");
	buffer_printf(out,
		      ", %" PRId64 " connections; statements: %" PRId64 " wait, %" PRId64 " sent\n",
		      number_of(database, "connections"), number_of(database, "waiting"),
		      number_of(database, "sent"));
}

/* Writes a line, unless problem is empty. */
static void put_problem(struct buffer *out, const char *title, const char *problem)
{
	if (!problem[0])
		return;
	buffer_printf(out, "%-10s", title);
	status_put(out, STATUS_RED, "%s", problem);
	buffer_append_char(out, '\n');
}

/* Writes nothing if apps are rendered in time. */
static void put_apps(const struct status_view *view, struct buffer *out)
{
	const char *problem = text_of(view->now, "renderingProblem");
	int64_t late_s = number_of(view->now, "renderLatenessSeconds");

	put_problem(out, "apps", problem);
	if (problem[0] || late_s < LATE_S)
		return;
	buffer_append_str(out, STR("apps      "));
	status_put(out, STATUS_YELLOW, "rendered %" PRId64 " s late: the processors are busy\n",
		   late_s);
}

static void put_storage(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *database = member_of(view->now, "database");
	int64_t all = number_of(database, "diskBytes"), left = number_of(database, "diskFreeBytes");
	const char *backup = text_of(database, "lastBackupAt");
	int64_t backup_s = status_time(backup);

	buffer_printf(out, "storage   %s, ", status_size(number_of(database, "bytes")).text);
	if (all > 0) {
		status_put(out, left < all / DISK_SHORT_PART ? STATUS_YELLOW : STATUS_PLAIN,
			   "%s of the disk left", status_size(left).text);
		buffer_append_str(out, STR(", "));
	}
	if (backup_s == 0)
		status_put(out, STATUS_YELLOW, "never backed up");
	else
		status_put(out,
			   backup_s < status_now_s() - BACKUP_OLD_S ? STATUS_YELLOW : STATUS_PLAIN,
			   "backed up %s ago", status_age(backup, false).text);
	buffer_append_char(out, '\n');
}

static void put_certificate(const struct status_view *view, struct buffer *out)
{
	const char *end = text_of(view->now, "certificateEndsAt");
	int64_t end_s = status_time(end);

	if (end_s == 0)
		return;
	buffer_append_str(out, STR("TLS       "));
	status_put(out, end_s < status_now_s() + CERTIFICATE_SHORT_S ? STATUS_RED : STATUS_PLAIN,
		   "certificate %s %.10s\n", end_s < status_now_s() ? "ended on" : "ends on", end);
}

/* Omits lines of connections that no account uses. */
static void put_homes(const struct status_view *view, struct buffer *out)
{
	const yyjson_val *mqtt = member_of(view->now, "mqtt"),
			 *webhooks = member_of(view->now, "webhooks");
	int64_t connected = number_of(mqtt, "connected"), failed = number_of(mqtt, "failed"),
		streams = number_of(view->now, "eventStreams"),
		waiting = number_of(webhooks, "waiting"),
		delivered = number_of(webhooks, "delivered"),
		undelivered = number_of(webhooks, "failed");

	if (connected || failed)
		buffer_printf(out,
			      "mqtt      %" PRId64 " connected, %" PRId64
			      " not, of at most %" PRId64 "\n",
			      connected, failed, number_of(mqtt, "limit"));
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
	const yyjson_val *panels = member_of(view->now, "panels");
	int64_t alive = count_alive(view), wanted = number_of(view->now, "configuredWorkers");
	const time_t now = (time_t)status_now_s();
	char clock[64] = "";
	struct tm local;

	status_put(out, STATUS_BOLD, "displayd %s", text_of(view->now, "version"));
	if (view->page.is_over)
		strftime(clock, sizeof(clock), ", at %H:%M:%S (Ctrl-C ends)",
			 localtime_r(&now, &local));
	buffer_printf(out, ", up %s%s\n", status_age(text_of(view->now, "startedAt"), true).text,
		      clock);
	if (alive < wanted) {
		buffer_append_str(out, STR("workers   "));
		status_put(out, STATUS_RED, "%" PRId64 " of %" PRId64 " answer\n", alive, wanted);
	}
	put_database(view, out);
	put_apps(view, out);
	put_problem(out, "disk", text_of(view->now, "storageProblem"));
	put_storage(view, out);
	put_certificate(view, out);
	buffer_printf(
	    out, "panels    %" PRId64 " by WebSocket, %" PRId64 " polling, %" PRId64 " in memory\n",
	    number_of(panels, "links"), number_of(panels, "polling"),
	    number_of(panels, "inMemory"));
	put_homes(view, out);
}

static void put_rates(const struct status_view *view, struct buffer *out)
{
	static const char *const names[] = {"requests", "serverErrors", "pushes",
					    "pictures", "statements",	"renders"};
	const yyjson_val *before = member_of(view->before, "counters");
	const yyjson_val *now = member_of(view->now, "counters");

	status_put(out, STATUS_BOLD, "%19s%11s%11s%11s%12s%11s", "requests", "5xx", "pushes",
		   "pictures", "statements", "renders");
	buffer_append_str(out, STR("\na second"));
	for (size_t i = 0; i < array_length(names); i++) {
		int64_t grown = growth(before, now, names[i]);

		status_put(out, i == 1 && grown > 0 ? STATUS_RED : STATUS_PLAIN, "%11.1f",
			   a_second(view, grown));
	}
	buffer_append_str(out, STR("\nso far  "));
	for (size_t i = 0; i < array_length(names); i++)
		buffer_printf(out, "%11" PRId64, number_of(now, names[i]));
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
	const yyjson_val *counters = member_of(view->now, "counters");
	size_t begin = buffer_length(out), column = 0;

	for (size_t i = 0; i < array_length(troubles); i++) {
		int64_t count = number_of(counters, troubles[i].name);
		struct buffer one = {0};

		if (count == 0)
			continue;
		buffer_printf(&one, "%" PRId64 " %s", count,
			      count == 1 ? troubles[i].one : troubles[i].several);
		if (column == 0 ||
		    (view->page.width && column + buffer_length(&one) + 2 > view->page.width)) {
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
	const yyjson_val *before = find_before(view, "workers", "number", "startedAt", worker);
	bool is_up = is_true(worker, "isDatabaseUp");
	int64_t lag_us = number_of(worker, "lagUs"),
		cpu_us = before ? growth(before, worker, "cpuUs") : 0;

	buffer_printf(out, "%-6" PRId64, number_of(worker, "number"));
	if (!is_true(worker, "isAlive")) {
		status_put(out, STATUS_RED, "  does not answer\n");
		return;
	}
	buffer_printf(out, "%8s%5.0f%%%10" PRId64 "%9" PRId64 "%8" PRId64,
		      status_age(text_of(worker, "startedAt"), false).text,
		      a_second(view, cpu_us) / 10000, number_of(worker, "requests"),
		      number_of(worker, "connections") + number_of(worker, "websockets"),
		      number_of(worker, "connectedPanels"));
	status_put(out, lag_us > LAG_US ? STATUS_YELLOW : STATUS_PLAIN, "%10s",
		   status_lasting(lag_us).text);
	buffer_printf(out, "%8.1f MiB", (double)number_of(worker, "residentBytes") / 1048576);
	status_put(out, is_up ? STATUS_PLAIN : STATUS_RED, "  %s\n", is_up ? "connected" : "away");
}

static const char queue_head[] = "queue      waiting  running   a second     so far    refused";

/* Shows a queue, unless it was never used. */
static void put_queue(const struct status_view *view, const yyjson_val *queue, struct buffer *out)
{
	const yyjson_val *before = find_before(view, "queues", "lane", NULL, queue);
	int64_t waiting = number_of(queue, "waiting"), begun = number_of(queue, "begun"),
		refused = number_of(queue, "refused");

	if (begun + waiting + refused == 0)
		return;
	buffer_printf(out, "%-9s%9" PRId64 "%9" PRId64 "%11.1f%11" PRId64, text_of(queue, "lane"),
		      waiting, number_of(queue, "running"),
		      a_second(view, growth(before, queue, "begun")), begun);
	status_put(out, growth(before, queue, "refused") > 0 ? STATUS_YELLOW : STATUS_PLAIN,
		   "%11" PRId64 "\n", refused);
}

static const char route_head[] = "99 of 100      mean       now   requests  slowest routes";

static void put_route(const struct status_view *view, const yyjson_val *route, struct buffer *out)
{
	const yyjson_val *before = find_before(view, "slowest", "method", "route", route);
	int64_t requests = number_of(route, "requests"), mean_us = number_of(route, "meanUs"),
		earlier = number_of(before, "requests");
	struct status_words recently = {"-"};

	if (before && requests > earlier)
		recently =
		    status_lasting((requests * mean_us - earlier * number_of(before, "meanUs")) /
				   (requests - earlier));
	buffer_printf(out, "%9s%10s%10s%11" PRId64 "  %s %s\n",
		      status_lasting(number_of(route, "p99Us")).text, status_lasting(mean_us).text,
		      recently.text, requests, text_of(route, "method"), text_of(route, "route"));
}

/* Joins errors that differ only in their time into one line. */
static void put_errors(const struct status_view *view, struct buffer *out)
{
	yyjson_val *list = member_of(view->now, "errors");
	size_t count = yyjson_arr_size(list);
	unsigned times = 1;

	if (count == 0)
		return;
	buffer_append_char(out, '\n');
	status_put(out, STATUS_BOLD, "recent errors\n");
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

/* Writes a list with its head, or nothing if the list is empty. */
static void put_list(const struct status_view *view, const char *name, const char *head,
		     void (*put_row)(const struct status_view *view, const yyjson_val *one,
				     struct buffer *out),
		     struct buffer *out)
{
	yyjson_val *list = member_of(view->now, name), *one;
	size_t begin, i, count;

	buffer_append_char(out, '\n');
	status_put(out, STATUS_BOLD, "%s\n", head);
	begin = buffer_length(out);
	yyjson_arr_foreach(list, i, count, one) put_row(view, one, out);
	if (buffer_length(out) == begin)
		buffer_clear(out);
}

/* ---- fitting the terminal ---- */

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
	/* Shorten the longest list first. */
	while (view->page.height && all > view->page.height) {
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
	struct buffer sections[SECTIONS] = {0}, all = {0};
	yyjson_val *list = member_of(view->now, "workers"), *one;
	size_t lines[SECTIONS], i, count;

	put_server(view, &sections[SECTION_FIXED]);
	put_troubles(view, &sections[SECTION_FIXED]);
	buffer_append_char(&sections[SECTION_FIXED], '\n');
	put_rates(view, &sections[SECTION_FIXED]);
	buffer_append_char(&sections[SECTION_FIXED], '\n');
	status_put(&sections[SECTION_FIXED], STATUS_BOLD, "%s\n", worker_head);
	yyjson_arr_foreach(list, i, count, one) put_worker(view, one, &sections[SECTION_FIXED]);
	put_list(view, "queues", queue_head, put_queue, &sections[SECTION_QUEUES]);
	put_list(view, "slowest", route_head, put_route, &sections[SECTION_SLOWEST]);
	put_errors(view, &sections[SECTION_ERRORS]);
	count_lines(view, sections, lines);
	for (i = 0; i < SECTIONS; i++) {
		struct str section = buffer_view(&sections[i]);

		if (i == SECTION_ERRORS) /* keep the newest errors, below blank line and head */
			status_take_ends(section, 2, lines[i], &all);
		else
			status_take_ends(section, lines[i], lines[i], &all);
		buffer_finish(&sections[i]);
	}
	status_page_write(&view->page, buffer_view(&all), out);
	buffer_finish(&all);
}
