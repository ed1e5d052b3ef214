#include "renderer.h"
#include "base/clock.h"
#include "base/log.h"
#include "frame.h"
#include "record/json_memory.h"
#include "sandboxed.h"

enum {
	START_MS = 20 * 1000, /* time until the greeting, also on a busy machine */
	/* The time of a request is CPU time; renderers also limit its wall time, by this factor. */
	WALL_TIMES = 3,
	WALL_MS = 5 * 1000,
	/* Additional time: renderers report by themselves that they are late. */
	EXTRA_MS = 2 * 1000,
	FETCHES_MAX = 64,	 /* requests to the network in one request, refused ones included */
	WAITS_MAX = FETCHES_MAX, /* each ends with an answer, or asks for a turn */
	NOT_AN_ANSWER = -1,
};

struct renderers {
	struct loop *loop;
	struct host_link *host;
	unsigned idle_ms;
	struct list all;			   /* of struct renderer */
	struct buffer about[RENDER_PROGRAM_COUNT]; /* library and layers; empty: unknown */
};

struct renderer {
	struct list node;
	struct renderers *renderers;
	struct sandboxed *process;
	enum render_program program;
	struct renderer_request *request; /* in flight, or waits for the greeting */
	struct deadline deadline;
	bool is_ready;	 /* the process has greeted */
	bool is_hurried; /* it was started while renderers have a higher priority */
	unsigned fetches, waits;
};

/* ---- the end of a request, and of a process ---- */

/* Forgets the request, without ending the process. */
static void forget(struct renderer *renderer)
{
	deadline_clear(renderer->renderers->loop, &renderer->deadline);
	list_remove(&renderer->node);
	free(renderer);
}

static struct renderer_request *take_request(struct renderer *renderer)
{
	struct renderer_request *request = renderer->request;

	renderer->request = NULL;
	if (request)
		request->renderer = NULL;
	return request;
}

/* Discards a process that cannot be used any more. */
static void discard(struct renderer *renderer, enum renderer_outcome outcome)
{
	struct renderer_request *request = take_request(renderer);
	struct renderer_answer answer = {.outcome = outcome, .status = NOT_AN_ANSWER};

	sandboxed_end(renderer->process);
	forget(renderer);
	if (request)
		request->done(request, &answer);
}

static void on_deadline(struct deadline *deadline)
{
	struct renderer *renderer = container_of(deadline, struct renderer, deadline);

	discard(renderer, renderer->is_ready ? RENDERER_LATE : RENDERER_LOST);
}

/* Whether a script ran: not if the request was not read to its end. */
static bool was_at_work(const struct renderer *renderer)
{
	return renderer->is_ready &&
	       (renderer->fetches > 0 || !sandboxed_is_deaf(renderer->process));
}

static void on_gone(struct sandboxed *process, enum sandboxed_end end, int status)
{
	struct renderer *renderer = sandboxed_context(process);
	struct renderer_request *request = take_request(renderer);
	bool is_crash = end == SANDBOXED_ENDED && was_at_work(renderer);
	struct renderer_answer answer = {.outcome = is_crash ? RENDERER_CRASHED : RENDERER_LOST,
					 .status = status};

	forget(renderer);
	if (request)
		request->done(request, &answer);
}

/* ---- frames ---- */

static void send_request(struct renderer *renderer)
{
	deadline_set(renderer->renderers->loop, &renderer->deadline,
		     WALL_TIMES * renderer->request->timeout_ms + WALL_MS +
			 renderer->request->network_ms + renderer->request->wall_extra_ms +
			 EXTRA_MS);
	renderer->fetches = renderer->waits = 0;
	sandboxed_write(renderer->process, &renderer->request->frame);
}

static void be_idle(struct renderer *renderer)
{
	deadline_set(renderer->renderers->loop, &renderer->deadline, renderer->renderers->idle_ms);
}

static const char *get_text(yyjson_val *object, const char *name)
{
	const char *text = yyjson_get_str(yyjson_obj_get(object, name));

	return text ? text : "";
}

static void on_greeting(struct renderer *renderer, yyjson_val *head)
{
	struct renderers *renderers = renderer->renderers;
	struct buffer *about = &renderers->about[renderer->program];

	if (buffer_length(about) == 0) {
		buffer_printf(about, "%s in a sandbox of: %s\n", get_text(head, "library"),
			      get_text(head, "layers"));
		log_info("render", "renderers run in a sandbox",
			 LOG_TEXT("engine", get_text(head, "library")),
			 LOG_TEXT("layers", get_text(head, "layers")));
	}
	renderer->is_ready = true;
	sandboxed_note_ready(renderer->process);
	if (renderer->request)
		send_request(renderer);
	else
		be_idle(renderer);
}

/* Takes an answer. The document goes to the requester. */
static void on_answer(struct renderer *renderer, yyjson_doc *head, const struct frame *frame)
{
	struct renderer_request *request = take_request(renderer);
	struct renderer_answer answer = {
	    .outcome = RENDERER_ANSWERED, .head = head, .blob = frame->blob};
	struct buffer *input = sandboxed_input(renderer->process);
	struct buffer bytes = *input; /* the blob lies in it */
	bool is_last = yyjson_get_bool(yyjson_obj_get(yyjson_doc_get_root(head), "recycle")) ||
		       buffer_length(input) > frame->size;

	*input = (struct buffer){0};
	if (is_last) {
		sandboxed_end(renderer->process);
		forget(renderer);
	} else {
		be_idle(renderer);
	}
	request->done(request, &answer);
	buffer_finish(&bytes);
}

static bool may_fetch(struct renderer *renderer)
{
	return renderer->request && renderer->request->fetch && renderer->fetches++ < FETCHES_MAX;
}

static bool may_wait(struct renderer *renderer)
{
	return renderer->request && renderer->request->waits && renderer->waits++ < WAITS_MAX;
}

/* A script that waits for the network has no result. */
static bool may_answer(const struct renderer *renderer, yyjson_val *root)
{
	const struct renderer_request *request = renderer->request;

	return request && (!request->is_waiting || yyjson_is_obj(yyjson_obj_get(root, "error")));
}

/* Takes ownership of the document. Returns whether to continue with the input after this frame. */
static bool on_frame(struct renderer *renderer, yyjson_doc *head, const struct frame *frame)
{
	yyjson_val *root = yyjson_doc_get_root(head);
	yyjson_val *fetch = yyjson_obj_get(root, "fetch"), *waits = yyjson_obj_get(root, "waits");

	if (renderer->is_ready && may_answer(renderer, root) && !fetch && !waits &&
	    yyjson_is_obj(root)) {
		on_answer(renderer, head, frame);
		return false;
	}
	if (!renderer->is_ready && yyjson_is_obj(root)) {
		on_greeting(renderer, root);
	} else if (yyjson_is_obj(fetch) && may_fetch(renderer)) {
		renderer->request->fetch(renderer->request, fetch, frame->blob);
	} else if (yyjson_is_uint(waits) && may_wait(renderer)) {
		renderer->request->waits(renderer->request, (unsigned)yyjson_get_uint(waits),
					 yyjson_get_sint(yyjson_obj_get(root, "turn")));
	} else {
		yyjson_doc_free(head);
		discard(renderer, RENDERER_CRASHED);
		return false;
	}
	yyjson_doc_free(head);
	return true;
}

static void on_bytes(struct sandboxed *process, struct buffer *input)
{
	struct renderer *renderer = sandboxed_context(process);
	struct frame frame;

	for (;;) {
		switch (frame_read(buffer_view(input), &frame)) {
		case FRAME_NEEDS_MORE:
			return;
		case FRAME_IS_WRONG:
			discard(renderer, RENDERER_CRASHED);
			return;
		case FRAME_IS_WHOLE:
			break;
		}
		if (!on_frame(renderer,
			      yyjson_read_opts((char *)frame.head.data, frame.head.length,
					       YYJSON_READ_NOFLAG, &json_memory, NULL),
			      &frame))
			return;
		buffer_consume(input, frame.size);
	}
}

/* ---- processes ---- */

static void on_started(struct sandboxed *process)
{
	(void)process; /* wait for its greeting */
}

static bool is_hurried(const struct renderers *renderers)
{
	return render_health_is_hurried(host_link_health(renderers->host), clock_monotonic_ms());
}

static void start(struct renderers *renderers, struct renderer_request *request)
{
	static const struct sandboxed_events events = {
	    .on_started = on_started, .on_bytes = on_bytes, .on_gone = on_gone};
	struct renderer *renderer = memory_zalloc(sizeof(*renderer));

	renderer->renderers = renderers;
	renderer->program = request->program;
	renderer->is_hurried = is_hurried(renderers);
	renderer->request = request;
	request->renderer = renderer;
	deadline_init(&renderer->deadline, on_deadline);
	deadline_set(renderers->loop, &renderer->deadline, START_MS);
	list_init(&renderer->node);
	list_append(&renderers->all, &renderer->node);
	renderer->process =
	    sandboxed_start(renderers->loop, renderers->host, request->program, &events, renderer);
}

/* Ends idle processes whose priority is another one than that of new ones. */
static struct renderer *find_idle(struct renderers *renderers, enum render_program program)
{
	bool hurries = is_hurried(renderers);

	list_for_each (node, &renderers->all) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		if (renderer->program != program || !renderer->is_ready || renderer->request ||
		    sandboxed_is_ending(renderer->process))
			continue;
		if (renderer->is_hurried == hurries || program == RENDER_MESSAGE)
			return renderer;
		sandboxed_end(renderer->process);
		forget(renderer);
	}
	return NULL;
}

void renderers_ask(struct renderers *renderers, struct renderer_request *request)
{
	struct renderer *renderer = find_idle(renderers, request->program);

	if (!renderer) {
		start(renderers, request);
		return;
	}
	renderer->request = request;
	request->renderer = renderer;
	send_request(renderer);
}

void renderer_reply(struct renderer_request *request, struct buffer *frames)
{
	if (request->renderer)
		sandboxed_write(request->renderer->process, frames);
	else
		buffer_finish(frames);
}

struct renderers *renderers_create(struct loop *loop, struct host_link *host, unsigned idle_ms)
{
	struct renderers *renderers = memory_zalloc(sizeof(*renderers));

	renderers->loop = loop;
	renderers->host = host;
	renderers->idle_ms = idle_ms;
	list_init(&renderers->all);
	return renderers;
}

void renderers_destroy(struct renderers *renderers)
{
	list_for_each (node, &renderers->all) {
		struct renderer *renderer = container_of(node, struct renderer, node);

		take_request(renderer);
		sandboxed_end(renderer->process);
		forget(renderer);
	}
	for (unsigned i = 0; i < RENDER_PROGRAM_COUNT; i++)
		buffer_finish(&renderers->about[i]);
	free(renderers);
}

void renderers_describe(const struct renderers *renderers, struct buffer *text)
{
	static const enum render_program order[] = {RENDER_TYPESCRIPT, RENDER_STARLARK};

	for (unsigned i = 0; i < array_length(order); i++)
		buffer_append_str(text, buffer_view(&renderers->about[order[i]]));
}
