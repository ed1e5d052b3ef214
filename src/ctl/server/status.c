/* displayctl status: asks the running server of the state directory for its state, over the socket
 * that only its user can reach. */
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/exchange/new_file.h"
#include "ctl/server/server_socket.h"
#include "ctl/server/status_line.h"
#include "ctl/server/status_view.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SAMPLE_MS = 1000, WATCH_MS = 2000 };

/* An answer and its time. */
struct sample {
	yyjson_doc *document; /* NULL: no answer */
	uint64_t at_ms;
};

static void status_finish(struct sample *sample)
{
	yyjson_doc_free(sample->document);
	*sample = (struct sample){0};
}

/* Asks the server. Returns 0, or -1 with a reason; then ret needs no status_finish(). */
static int status_take(const struct ctl *ctl, struct sample *ret, struct reason *reterr)
{
	const struct server_target target = {.state_dir = ctl->config.state_dir};
	const struct server_request request = {.method = "GET", .path = STR("/status")};
	struct server_answer answer;
	enum server_result result = server_socket_ask(&target, &request, &answer, reterr);
	struct str body = buffer_view(&answer.body);

	*ret = (struct sample){.at_ms = clock_monotonic_ms()};
	if (result == SERVER_ANSWERED && answer.status != 200) {
		reason_set(reterr, "the server rejected the request: status %d", answer.status);
	} else if (result == SERVER_ANSWERED) {
		ret->document = body.length ? yyjson_read(body.data, body.length, 0) : NULL;
		reason_set(reterr, "the server's answer is not valid JSON");
	}
	server_answer_finish(&answer);
	return ret->document ? 0 : -1;
}

static enum ctl_exit show_json(const struct ctl *ctl)
{
	struct buffer out = {0};
	struct sample sample;
	struct reason why;
	char *line;

	if (status_take(ctl, &sample, &why) < 0)
		return ctl_fail(CTL_DATABASE, "%s", why.text);
	line = yyjson_write(sample.document, 0, NULL);
	buffer_printf(&out, "%s\n", line);
	free(line);
	status_finish(&sample);
	return ctl_print(&out);
}

/* ---- the terminal ---- */

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
	(void)number;
	is_over = 1;
}

/* https://no-color.org */
static bool has_colours(void)
{
	const char *terminal = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && no[0]) && terminal && strcmp(terminal, "dumb") != 0;
}

static struct status_page look_at_terminal(bool is_live)
{
	struct ctl_size size = ctl_terminal_size();

	return (struct status_page){.width = size.width,
				    .height = is_live ? size.height : 0,
				    .has_colours = has_colours(),
				    .is_over = is_live};
}

/* ---- for people ---- */

static void put_status(const struct sample *before, const struct sample *now, bool is_live,
		       struct buffer *out)
{
	const struct status_view view = {
	    .before = yyjson_doc_get_root(before->document ? before->document : now->document),
	    .now = yyjson_doc_get_root(now->document),
	    .passed_ms = before->document ? now->at_ms - before->at_ms : 0,
	    .page = look_at_terminal(is_live),
	};

	status_view_write(&view, out);
}

static void put_failure(const char *why, struct buffer *out)
{
	const struct status_page page = look_at_terminal(true);
	struct buffer text = {0};

	buffer_printf(&text, "%c%s%c\nRetrying every %d s; Ctrl-C stops.\n", STATUS_RED, why,
		      STATUS_PLAIN, WATCH_MS / 1000);
	status_page_write(&page, buffer_view(&text), out);
	buffer_finish(&text);
}

static enum ctl_exit show_once(const struct ctl *ctl)
{
	struct sample before, now;
	struct buffer out = {0};
	struct reason why;

	if (status_take(ctl, &before, &why) < 0)
		return ctl_fail(CTL_DATABASE, "%s", why.text);
	poll(NULL, 0, SAMPLE_MS);
	if (status_take(ctl, &now, &why) < 0) {
		status_finish(&before);
		return ctl_fail(CTL_DATABASE, "%s", why.text);
	}
	put_status(&before, &now, false, &out);
	status_finish(&before);
	status_finish(&now);
	return ctl_print(&out);
}

/* Repeats until a signal. Continues without an answer: the server may be restarting. */
static enum ctl_exit watch(const struct ctl *ctl)
{
	bool is_terminal = isatty(STDOUT_FILENO);
	struct sample before = {0}, now;
	enum ctl_exit code = CTL_DONE;
	struct reason why;

	ctl_catch_signals(on_signal); /* to restore the cursor */
	/* Take a sample first, so that the first page has rates. */
	if (status_take(ctl, &before, &why) == 0)
		poll(NULL, 0, SAMPLE_MS);
	if (is_terminal)
		fputs("\x1b[H\x1b[2J\x1b[?25l", stdout);
	while (code == CTL_DONE && !is_over) {
		struct buffer out = {0};
		bool is_there = status_take(ctl, &now, &why) == 0;

		if (is_terminal)
			buffer_append_str(&out, STR("\x1b[H"));
		if (is_there)
			put_status(&before, &now, is_terminal, &out);
		else
			put_failure(why.text, &out);
		status_finish(&before);
		before = now;
		if (!is_terminal)
			buffer_append_char(&out, '\n');
		code = ctl_print(&out);
		poll(NULL, 0, WATCH_MS);
	}
	status_finish(&before);
	if (is_terminal)
		fputs("\x1b[?25h\n", stdout);
	return code;
}

enum ctl_exit ctl_status(struct ctl *ctl)
{
	bool watches = ctl_value(ctl, "watch").data;
	enum ctl_exit code;

	if (!ctl->json)
		return watches ? watch(ctl) : show_once(ctl);
	do
		code = show_json(ctl);
	while (watches && code == CTL_DONE && poll(NULL, 0, WATCH_MS) == 0);
	return code;
}
