#include "egress.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/require.h"
#include "frame.h"
#include "metric/metric.h"
#include "record/json_memory.h"
#include "sandboxed.h"

#include <text/utf8.h>

enum {
	START_MS = 20 * 1000,
	SILENCE_MS = 12 * 1000, /* a fetch takes 5 s */
	/* The egress ends a download whose server sends nothing for 30 s. */
	DOWNLOAD_SILENCE_MS = 60 * 1000,
	/* Limits, as in subprojects/egress. */
	ASKED_HEAD_MAX = 256 * 1024,
	ASKED_BODY_MAX = 1024 * 1024,
	/* Limit of the bytes queued for writing; an account may hold as much of them as it leaves
	 * free. */
	QUEUED_MAX = 16 * 1024 * 1024,
	/* Cost of a frame in addition to its bytes. */
	FRAME_COST = 4 * 1024,
};

static const char no_network[] = "apps have no network on this server";
static const char lost[] = "the network is unavailable at the moment";
static const char no_request[] = "the request is too large, or not UTF-8";
static const char queue_is_full[] = "too many requests of apps are waiting for the network";

/* Frame that is not written yet, even if nobody waits for its answer any more. */
struct queued {
	struct list node;
	struct id account;
	size_t cost;
	uint64_t end; /* position of its end in all bytes given */
};

struct egress {
	struct loop *loop;
	struct host_link *host;
	struct sandboxed *link; /* NULL: no requests */
	bool is_ready;		/* the egress has greeted */
	bool owes_answer;	/* an answer is due since the deadline was set */
	bool has_greeted;	/* it has greeted once, and its layers are in the log */
	struct buffer waiting;	/* frames, until it is ready */
	struct list queued;	/* of struct queued, in order */
	size_t queued_cost;	/* cost of all queued frames */
	uint64_t given;		/* bytes given to the socket, or to the buffer waiting for it */
	struct list asked;	/* of struct egress_fetch */
	struct list downloads;	/* of struct egress_fetch */
	int64_t last_id;
	struct deadline deadline; /* for the start, or for idleness */
	struct later later;	  /* answers that need no socket */
	struct list refused;	  /* of struct egress_fetch */
};

/* ---- answers ---- */

/* Writes the head with another ID and, for a request, the members that only displayd sets. Returns
 * a text for free(); NULL: no memory. Texts may be invalid UTF-8, since they were not checked.
 * asker: NULL in an answer. */
static char *write_head(yyjson_val *fetch, int64_t id, const struct egress_asker *asker,
			size_t *ret_length)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(&json_memory);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *copy = yyjson_val_mut_copy(doc, fetch);
	struct str scope = asker ? asker->scope : (struct str){0};
	char account[ID_TEXT_LENGTH + 1];
	char *text;

	yyjson_mut_doc_set_root(doc, root);
	yyjson_mut_obj_add_val(doc, root, "fetch", copy);
	yyjson_mut_obj_put(copy, yyjson_mut_str(doc, "id"), yyjson_mut_sint(doc, id));
	yyjson_mut_obj_put(copy, yyjson_mut_str(doc, "scope"),
			   scope.length ? yyjson_mut_strn(doc, scope.data, scope.length) : NULL);
	if (asker)
		id_format(asker->account, account);
	yyjson_mut_obj_put(copy, yyjson_mut_str(doc, "account"),
			   asker && !id_is_none(asker->account) ? yyjson_mut_str(doc, account)
								: NULL);
	yyjson_mut_obj_put(copy, yyjson_mut_str(doc, "public"),
			   asker && asker->why_public ? yyjson_mut_str(doc, asker->why_public)
						      : NULL);
	/* Scripts set none of these. */
	yyjson_mut_obj_put(copy, yyjson_mut_str(doc, "stays"),
			   asker && asker->is_own ? yyjson_mut_true(doc) : NULL);
	yyjson_mut_obj_put(copy, yyjson_mut_str(doc, "paced"),
			   asker && (asker->is_own || asker->is_paced) ? yyjson_mut_true(doc)
								       : NULL);
	yyjson_mut_obj_put(
	    copy, yyjson_mut_str(doc, "download"),
	    asker && asker->download_bytes ? yyjson_mut_uint(doc, asker->download_bytes) : NULL);
	text = yyjson_mut_write_opts(doc, YYJSON_WRITE_NOFLAG, &json_memory, ret_length, NULL);
	yyjson_mut_doc_free(doc);
	return text;
}

static void answer(struct egress_fetch *fetch, struct str head, struct str body)
{
	list_remove(&fetch->node);
	metric_add(METRIC_RENDER_FETCHES,
		   fetch->why_refused ? METRIC_FETCH_REFUSED : METRIC_FETCH_ANSWERED, 1);
	fetch->answered(fetch, head, body);
}

static void answer_error(struct egress_fetch *fetch, const char *words)
{
	char head[160];
	int length = snprintf(head, sizeof(head), "{\"fetch\":{\"id\":%lld,\"error\":\"%s\"}}",
			      (long long)fetch->asked_id, words);

	answer(fetch, (struct str){head, (size_t)length}, (struct str){0});
}

static void answer_lost(struct list *fetches, const char *words)
{
	struct list taken;

	list_init(&taken);
	list_move_all(&taken, fetches);
	for (struct list *node; (node = list_take_first(&taken));) {
		struct egress_fetch *fetch = container_of(node, struct egress_fetch, node);

		fetch->is_lost = true;
		answer_error(fetch, words);
	}
}

static void answer_refused(struct later *later)
{
	struct egress *egress = container_of(later, struct egress, later);
	struct list taken;

	list_init(&taken);
	list_move_all(&taken, &egress->refused);
	for (struct list *node; (node = list_take_first(&taken));) {
		struct egress_fetch *fetch = container_of(node, struct egress_fetch, node);

		answer_error(fetch, fetch->why_refused);
	}
}

static struct egress_fetch *find_in(struct list *fetches, int64_t id)
{
	list_for_each (node, fetches) {
		struct egress_fetch *fetch = container_of(node, struct egress_fetch, node);

		if (fetch->id == id)
			return fetch;
	}
	return NULL;
}

static struct egress_fetch *find(struct egress *egress, int64_t id)
{
	struct egress_fetch *fetch = find_in(&egress->asked, id);

	return fetch ? fetch : find_in(&egress->downloads, id);
}

/* ---- queued frames ---- */

static void drop_queued(struct egress *egress, struct queued *queued)
{
	egress->queued_cost -= queued->cost;
	list_remove(&queued->node);
	free(queued);
}

static void drop_written(struct egress *egress)
{
	size_t left = buffer_length(&egress->waiting) +
		      (egress->link ? sandboxed_unwritten(egress->link) : 0);

	list_for_each (node, &egress->queued) {
		struct queued *queued = container_of(node, struct queued, node);

		if (queued->end > egress->given - left)
			return;
		drop_queued(egress, queued);
	}
}

/* Queues a frame of the account, if it may be queued. */
static bool take_slot(struct egress *egress, struct id account, size_t length)
{
	size_t cost = length + FRAME_COST, own = 0;
	struct queued *queued;

	drop_written(egress);
	list_for_each (node, &egress->queued) {
		queued = container_of(node, struct queued, node);
		if (id_equal(queued->account, account))
			own += queued->cost;
	}
	if (own + cost > QUEUED_MAX - egress->queued_cost)
		return false;
	queued = memory_zalloc(sizeof(*queued));
	queued->account = account;
	queued->cost = cost;
	queued->end = egress->given += length;
	egress->queued_cost += cost;
	list_init(&queued->node);
	list_append(&egress->queued, &queued->node);
	return true;
}

/* ---- the link ---- */

/* Sets the deadline: the socket is closed if it is not used, or does not answer. */
static void wait_from_now(struct egress *egress)
{
	egress->owes_answer = !list_is_empty(&egress->asked);
	deadline_set(egress->loop, &egress->deadline,
		     egress->owes_answer		 ? SILENCE_MS
		     : list_is_empty(&egress->downloads) ? LIMIT_EGRESS_IDLE_MS
							 : DOWNLOAD_SILENCE_MS);
}

static void forget_link(struct egress *egress)
{
	egress->link = NULL;
	egress->is_ready = egress->owes_answer = false;
	buffer_finish(&egress->waiting);
	list_for_each (node, &egress->queued)
		drop_queued(egress, container_of(node, struct queued, node));
	egress->given = 0;
	deadline_clear(egress->loop, &egress->deadline);
}

static void lose_link(struct egress *egress, const char *words)
{
	forget_link(egress);
	answer_lost(&egress->asked, words);
	answer_lost(&egress->downloads, words);
}

static void drop_link(struct egress *egress, const char *words)
{
	sandboxed_end(egress->link);
	lose_link(egress, words);
}

static void on_deadline(struct deadline *deadline)
{
	drop_link(container_of(deadline, struct egress, deadline), lost);
}

static void on_gone(struct sandboxed *link, enum sandboxed_end end, int status)
{
	struct egress *egress = sandboxed_context(link);

	if (end == SANDBOXED_ENDED)
		log_error("render", "egress ended", LOG_INT("status", status));
	lose_link(egress, end == SANDBOXED_NOT_STARTED ? no_network : lost);
}

static void on_greeting(struct egress *egress, yyjson_val *head)
{
	const char *library = yyjson_get_str(yyjson_obj_get(head, "library"));
	const char *layers = yyjson_get_str(yyjson_obj_get(head, "layers"));

	if (!egress->has_greeted)
		log_info("render", "egress runs in a sandbox",
			 LOG_TEXT("library", library ? library : ""),
			 LOG_TEXT("layers", layers ? layers : ""));
	egress->has_greeted = true;
	egress->is_ready = true;
	sandboxed_note_ready(egress->link);
	sandboxed_write(egress->link, &egress->waiting);
	wait_from_now(egress);
}

/* Returns false if it is not an answer. */
static bool on_answer(struct egress *egress, yyjson_val *answered, struct str body)
{
	struct egress_fetch *fetch = find(egress, yyjson_get_sint(yyjson_obj_get(answered, "id")));
	size_t length;
	char *text;

	if (!yyjson_is_obj(answered))
		return false;
	if (!fetch) { /* nobody waits for this answer any more */
		wait_from_now(egress);
		return true;
	}
	text = write_head(answered, fetch->asked_id, NULL, &length);
	/* Invalid UTF-8 from outside fails only this fetch. */
	if (text && utf8_is_valid((struct str){text, length}))
		answer(fetch, (struct str){text, length}, body);
	else
		answer_error(fetch, lost);
	free(text);
	wait_from_now(egress);
	return true;
}

/* Returns false if it is not a part of a file. */
static bool on_part(struct egress *egress, yyjson_val *part, struct str data)
{
	struct egress_fetch *fetch =
	    find_in(&egress->downloads, yyjson_get_sint(yyjson_obj_get(part, "id")));

	if (!yyjson_is_obj(part))
		return false;
	if (fetch)
		fetch->on_part(fetch, yyjson_get_sint(yyjson_obj_get(part, "size")), data);
	wait_from_now(egress);
	return true;
}

/* Takes ownership of the document. Returns false if it is not a frame of the egress. */
static bool on_frame(struct egress *egress, yyjson_doc *doc, struct str body)
{
	yyjson_val *head = yyjson_doc_get_root(doc);
	bool fits = yyjson_is_obj(head);

	if (fits && !egress->is_ready)
		on_greeting(egress, head);
	else if (fits)
		fits = yyjson_obj_get(head, "part")
			   ? on_part(egress, yyjson_obj_get(head, "part"), body)
			   : on_answer(egress, yyjson_obj_get(head, "fetch"), body);
	yyjson_doc_free(doc);
	return fits;
}

static void on_bytes(struct sandboxed *link, struct buffer *input)
{
	struct egress *egress = sandboxed_context(link);
	enum frame_state state;
	struct frame frame;

	while ((state = frame_read(buffer_view(input), &frame)) == FRAME_IS_WHOLE) {
		yyjson_doc *doc =
		    yyjson_read_opts((char *)frame.head.data, frame.head.length,
				     YYJSON_READ_ALLOW_INVALID_UNICODE, &json_memory, NULL);

		if (!on_frame(egress, doc, frame.blob)) {
			state = FRAME_IS_WRONG;
			break;
		}
		buffer_consume(input, frame.size);
	}
	if (state == FRAME_IS_WRONG)
		drop_link(egress, lost);
}

static void on_started(struct sandboxed *link)
{
	(void)link; /* wait for its greeting */
}

static void send_frame(struct egress *egress, struct buffer *frame)
{
	static const struct sandboxed_events events = {
	    .on_started = on_started, .on_bytes = on_bytes, .on_gone = on_gone};

	if (egress->link && egress->is_ready) {
		sandboxed_write(egress->link, frame);
		return;
	}
	buffer_append_str(&egress->waiting, buffer_view(frame));
	buffer_finish(frame);
	if (egress->link)
		return;
	deadline_set(egress->loop, &egress->deadline, START_MS);
	egress->link = sandboxed_start(egress->loop, egress->host, RENDER_EGRESS, &events, egress);
}

/* ---- requests ---- */

static void refuse(struct egress *egress, struct egress_fetch *fetch, const char *why)
{
	fetch->why_refused = why;
	list_append(&egress->refused, &fetch->node);
	loop_later(egress->loop, &egress->later);
}

void egress_ask(struct egress *egress, struct egress_fetch *fetch, yyjson_val *asked,
		struct str body, const struct egress_asker *asker)
{
	struct buffer frame = {0};
	size_t length = 0;
	char *text;

	fetch->egress = egress;
	fetch->id = ++egress->last_id;
	fetch->asked_id = yyjson_get_sint(yyjson_obj_get(asked, "id"));
	list_init(&fetch->node);
	text = write_head(asked, fetch->id, asker, &length);
	if (!text || length > ASKED_HEAD_MAX || body.length > ASKED_BODY_MAX ||
	    !frame_append(&frame, (struct str){text, length}, body)) {
		refuse(egress, fetch, no_request);
	} else if (!egress->link &&
		   !render_health_has(host_link_health(egress->host), RENDER_EGRESS)) {
		refuse(egress, fetch, no_network);
	} else if (!take_slot(egress, asker->account, buffer_length(&frame))) {
		refuse(egress, fetch, queue_is_full);
	} else {
		list_append(asker->download_bytes ? &egress->downloads : &egress->asked,
			    &fetch->node);
		send_frame(egress, &frame);
		/* Further requests do not give a hanging egress more time, nor do forgotten ones.
		 */
		if (egress->is_ready && !egress->owes_answer)
			wait_from_now(egress);
	}
	buffer_finish(&frame);
	free(text);
}

/* Sends an order about a download, if it can still be obeyed. */
static void send_order(const struct egress_fetch *fetch, const char *format, ...)
{
	struct egress *egress = fetch->egress;
	struct buffer frame = {0};
	char head[96];
	va_list arguments;
	int length;

	if (!egress->link || !egress->is_ready)
		return;
	va_start(arguments, format);
	length = vsnprintf(head, sizeof(head), format, arguments);
	va_end(arguments);
	require(frame_append(&frame, (struct str){head, (size_t)length}, (struct str){0}));
	egress->given += buffer_length(&frame);
	sandboxed_write(egress->link, &frame);
	buffer_finish(&frame);
}

void egress_take(struct egress_fetch *fetch, size_t bytes)
{
	send_order(fetch, "{\"take\":{\"id\":%lld,\"bytes\":%zu}}", (long long)fetch->id, bytes);
}

void egress_forget(struct egress_fetch *fetch)
{
	list_remove(&fetch->node);
	if (fetch->on_part)
		send_order(fetch, "{\"drop\":{\"id\":%lld}}", (long long)fetch->id);
}

struct egress *egress_create(struct loop *loop, struct host_link *host)
{
	struct egress *egress = memory_zalloc(sizeof(*egress));

	egress->loop = loop;
	egress->host = host;
	list_init(&egress->asked);
	list_init(&egress->downloads);
	list_init(&egress->refused);
	list_init(&egress->queued);
	loop_later_init(&egress->later, answer_refused);
	deadline_init(&egress->deadline, on_deadline);
	return egress;
}

void egress_destroy(struct egress *egress)
{
	struct list dropped;

	list_init(&dropped);
	list_move_all(&dropped, &egress->asked);
	list_move_all(&dropped, &egress->downloads);
	while (list_take_first(&dropped))
		;
	list_move_all(&dropped, &egress->refused);
	while (list_take_first(&dropped))
		;
	loop_later_cancel(&egress->later);
	if (egress->link)
		sandboxed_end(egress->link);
	forget_link(egress);
	free(egress);
}
