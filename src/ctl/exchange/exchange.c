#include "exchange.h"

#include "base/clock.h"
#include "render/frame.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum { PIECE = 64 * 1024 };

/* A socket, and what is read from it and waits to be written. */
struct side {
	int link;
	struct buffer *input, *output;
	bool has_ended;
};

struct exchange {
	struct side renderer, egress;
	struct app_network *network;
	struct renderer_answer *answer;
};

static void move_bytes(struct side *side, short events)
{
	struct str waiting = buffer_view(side->output);
	ssize_t length;

	if (events & POLLOUT && waiting.length > 0) {
		length =
		    send(side->link, waiting.data, waiting.length, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (length > 0)
			buffer_consume(side->output, (size_t)length);
	}
	if (!(events & (POLLIN | POLLHUP | POLLERR)))
		return;
	length = recv(side->link, buffer_reserve(side->input, PIECE), PIECE, MSG_DONTWAIT);
	if (length > 0)
		buffer_commit(side->input, (size_t)length);
	else if (length == 0 || (errno != EAGAIN && errno != EINTR))
		side->has_ended = true;
}

/* Whether the renderer's frame is about the network: it goes on to the egress. */
static bool pass_on(struct exchange *exchange, yyjson_val *head, struct str frame)
{
	yyjson_val *fetch = yyjson_obj_get(head, "fetch");
	const char *why = "no network here";
	struct buffer words = {0};

	if (!yyjson_is_obj(fetch))
		return false;
	if (exchange->network)
		why = app_network_ask(exchange->network, frame);
	if (why) {
		buffer_printf(&words, "{\"fetch\":{\"id\":%lld,\"error\":\"%s\"}}",
			      (long long)yyjson_get_sint(yyjson_obj_get(fetch, "id")), why);
		(void)!frame_append(exchange->renderer.output, buffer_view(&words),
				    (struct str){0});
		buffer_finish(&words);
	}
	return true;
}

/* Takes the renderer's frames. 1 with the answer; 0: there is none yet; -1: this is none. */
static int take_frames(struct exchange *exchange)
{
	struct buffer *input = exchange->renderer.input;
	enum frame_state state;
	struct frame frame;

	while ((state = frame_read(buffer_view(input), &frame)) == FRAME_IS_WHOLE) {
		yyjson_doc *doc = yyjson_read(frame.head.data, frame.head.length, 0);
		yyjson_val *head = yyjson_doc_get_root(doc);
		struct str whole = {buffer_view(input).data, frame.size};

		if (pass_on(exchange, head, whole)) {
			yyjson_doc_free(doc);
			buffer_consume(input, frame.size);
			continue;
		}
		if (!yyjson_is_obj(head)) {
			yyjson_doc_free(doc);
			return -1;
		}
		*exchange->answer = (struct renderer_answer){.head = doc};
		buffer_append_str(&exchange->answer->blob, frame.blob);
		return 1;
	}
	return state == FRAME_IS_WRONG ? -1 : 0;
}

/* Passes the egress's answers on; the first frame is its greeting. */
static void take_answers(struct exchange *exchange)
{
	struct buffer *input = exchange->egress.input;
	struct frame frame;

	while (frame_read(buffer_view(input), &frame) == FRAME_IS_WHOLE) {
		struct str whole = {buffer_view(input).data, frame.size};

		if (exchange->network->has_greeted)
			buffer_append_str(exchange->renderer.output, whole);
		exchange->network->has_greeted = true;
		buffer_consume(input, frame.size);
	}
}

static struct pollfd wait_for(const struct side *side)
{
	bool writes = buffer_length(side->output) > 0;

	return (struct pollfd){.fd = side->has_ended ? -1 : side->link,
			       .events = (short)(POLLIN | (writes ? POLLOUT : 0))};
}

/* Waits for input, and returns what take_frames() does. */
static int go_on(struct exchange *exchange, int timeout_ms)
{
	struct pollfd waits[2];
	unsigned count = 1;

	waits[0] = wait_for(&exchange->renderer);
	if (exchange->network) {
		exchange->egress.link = exchange->network->link;
		waits[count++] = wait_for(&exchange->egress);
	}
	if (poll(waits, count, timeout_ms) <= 0)
		return 0;
	if (count > 1 && waits[1].revents) {
		move_bytes(&exchange->egress, waits[1].revents);
		take_answers(exchange);
	}
	if (waits[0].revents)
		move_bytes(&exchange->renderer, waits[0].revents);
	return take_frames(exchange);
}

bool exchange_frames(int link, struct app_network *network, struct str frame, int64_t timeout_ms,
		     struct renderer_answer *ret_answer)
{
	uint64_t deadline_ms = clock_monotonic_ms() + (uint64_t)timeout_ms, now_ms;
	struct buffer input = {0}, output = {0};
	struct exchange exchange = {
	    .renderer = {.link = link, .input = &input, .output = &output},
	    .network = network,
	    .answer = ret_answer,
	};
	int status = 0;

	if (network) {
		exchange.egress.input = &network->input;
		exchange.egress.output = &network->output;
	}
	buffer_append_str(&output, frame);
	while (status == 0 && !exchange.renderer.has_ended &&
	       (now_ms = clock_monotonic_ms()) < deadline_ms)
		status = go_on(&exchange, (int)(deadline_ms - now_ms));
	buffer_finish(&input);
	buffer_finish(&output);
	return status == 1;
}
