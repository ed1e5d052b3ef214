#include "http/exchange.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/require.h"
#include "base/secret.h"
#include "http/listener.h"
#include "metric/metric.h"

enum { HEAD_FIRST_BYTES = 1024, BODY_FIRST_BYTES = 64 * 1024, LOGGED_PATH_BYTES = 1024 };

/* Memory budget of all bodies: a process has one loop, so one budget. */
static struct memory_budget bodies;

static void on_later(struct later *later)
{
	struct http_exchange *exchange = container_of(later, struct http_exchange, later);

	http_exchange_body_done(exchange, exchange->done_status);
}

struct http_exchange *http_exchange_create(struct http_connection *connection, struct loop *loop,
					   bool access_log)
{
	struct arena arena = {0};
	struct http_exchange *exchange = arena_zalloc(&arena, sizeof(*exchange));

	exchange->request = (struct http_request){
	    .arena = arena,
	    .connection = connection,
	    .method = HTTP_METHOD_OTHER,
	    .started_us = clock_monotonic_us(),
	};
	exchange->loop = loop;
	exchange->access_log = access_log;
	loop_later_init(&exchange->later, on_later);
	return exchange;
}

void http_exchange_free(struct http_exchange *exchange)
{
	struct arena arena = exchange->request.arena; /* the exchange lives in it */

	require_context_end(exchange->request.request_id.data);
	loop_later_cancel(&exchange->later);
	deadline_clear(exchange->loop, &exchange->pause);
	if (exchange->share)
		memory_budget_leave(exchange->share, exchange->body_counted);
	buffer_finish(&exchange->body);
	arena_finish(&arena);
}

struct http_exchange *http_exchange_of(const struct http_request *request)
{
	return container_of(request, struct http_exchange, request);
}

void http_exchange_add_head(struct http_exchange *exchange, struct str bytes)
{
	size_t kept = exchange->scan.length - bytes.length;

	if (exchange->scan.length > exchange->head_capacity) {
		size_t capacity = exchange->scan.length;
		char *head;

		/* Most heads arrive completely; a head in pieces gets room to grow. */
		if (!exchange->scan.is_complete) {
			capacity = capacity < HEAD_FIRST_BYTES ? HEAD_FIRST_BYTES : capacity * 2;
			if (capacity > LIMIT_REQUEST_HEAD_BYTES)
				capacity = LIMIT_REQUEST_HEAD_BYTES;
		}
		head = arena_alloc(&exchange->request.arena, capacity);
		if (kept)
			memcpy(head, exchange->head, kept);
		exchange->head = head;
		exchange->head_capacity = capacity;
	}
	if (bytes.length)
		memcpy(exchange->head + kept, bytes.data, bytes.length);
}

static enum http_method method_of(struct str text)
{
	static const struct {
		struct str text;
		enum http_method method;
	} methods[] = {
	    {{"GET", 3}, HTTP_GET},	    {{"HEAD", 4}, HTTP_HEAD},
	    {{"POST", 4}, HTTP_POST},	    {{"PUT", 3}, HTTP_PUT},
	    {{"PATCH", 5}, HTTP_PATCH},	    {{"DELETE", 6}, HTTP_DELETE},
	    {{"OPTIONS", 7}, HTTP_OPTIONS},
	};

	for (size_t i = 0; i < array_length(methods); i++) {
		if (str_equal(text, methods[i].text))
			return methods[i].method;
	}
	return HTTP_METHOD_OTHER;
}

struct http_protocol_error http_exchange_parse_head(struct http_exchange *exchange)
{
	struct http_request *request = &exchange->request;
	struct str text = {exchange->head, exchange->scan.length};
	struct http_head head;
	struct head_facts facts;
	struct http_protocol_error error;
	char *minor = exchange->head + exchange->scan.version + HTTP_VERSION_MINOR;

	/* A version above 1.1 is served as the highest known one (RFC 9110 section 2.5). llhttp
	 * knows no higher one. */
	if (*minor > '1')
		*minor = '1';
	error = http_parser_head(&request->arena, text, exchange->scan.field_count,
				 &exchange->parser, &head);
	request->method = method_of(head.method);
	request->method_text = head.method;
	if (error.kind)
		return error;
	request->fields = head.fields;
	request->field_count = head.field_count;
	exchange->is_http_1_0 = head.is_http_1_0;
	exchange->keep_alive = head.keep_alive;
	error = head_check(&head, &facts);
	request->path = facts.path;
	request->query = facts.query;
	if (error.kind)
		return error;
	request->has_body = facts.is_chunked || facts.content_length > 0;
	exchange->content_length = facts.content_length;
	exchange->expects_continue = facts.expects_continue;
	exchange->body_state = request->has_body ? EXCHANGE_BODY_UNREAD : EXCHANGE_BODY_NONE;
	return HTTP_NO_ERROR;
}

/* Whether text is 1 to 128 letters, digits and "._-", which never need escaping. */
static bool is_sane_id(struct str id)
{
	for (size_t i = 0; i < id.length; i++) {
		char c = id.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '.' || c == '_' || c == '-'))
			return false;
	}
	return id.length >= 1 && id.length <= 128;
}

void http_exchange_set_id(struct http_exchange *exchange, struct request_ids *ids)
{
	struct http_request *request = &exchange->request;
	struct str id = http_request_field(request, STR("x-request-id"));
	char *text;

	if (is_sane_id(id)) {
		request->request_id = arena_copy(&request->arena, id);
		return;
	}
	text = arena_alloc(&request->arena, REQUEST_ID_LENGTH + 1);
	request_ids_next(ids, text);
	request->request_id = (struct str){text, REQUEST_ID_LENGTH};
	exchange->has_own_id = true;
}

bool http_exchange_count_body(struct http_exchange *exchange, size_t bytes, size_t bodies_max)
{
	const struct http_request *request = &exchange->request;

	if (bytes == 0)
		return true;
	if (bytes > exchange->body_max - exchange->body_counted) {
		exchange->body_stop = 413;
		return false;
	}
	if (!exchange->share)
		exchange->share = memory_budget_join(
		    &bodies, request->caller.length ? request->caller : request->remote_address);
	if (!memory_budget_take(exchange->share, bytes, bodies_max)) {
		exchange->body_stop = 503;
		return false;
	}
	exchange->body_counted += bytes;
	return true;
}

bool http_exchange_add_body(struct http_exchange *exchange, struct str piece, size_t bodies_max)
{
	struct buffer *body = &exchange->body;

	if (!http_exchange_count_body(exchange, piece.length, bodies_max))
		return false;
	/* Reserve memory for a whole long body only after a large part of it has arrived. */
	if (body->capacity < exchange->content_length) {
		size_t length = (size_t)exchange->content_length;
		bool is_believed =
		    length <= BODY_FIRST_BYTES || buffer_length(body) >= BODY_FIRST_BYTES / 2;

		if (is_believed)
			buffer_reserve(body, length - buffer_length(body));
	}
	buffer_append_str(body, piece);
	return true;
}

void http_exchange_body_done(struct http_exchange *exchange, int status)
{
	void (*done)(struct http_request *, int) = exchange->done;

	loop_later_cancel(&exchange->later);
	exchange->done = NULL;
	if (status == 0)
		exchange->request.body = buffer_view(&exchange->body);
	require_context(exchange->request.request_id.data);
	done(&exchange->request, status);
	require_context(NULL);
}

void http_exchange_body_done_later(struct http_exchange *exchange, int status)
{
	exchange->done_status = status;
	loop_later(exchange->loop, &exchange->later);
}

void http_exchange_answer(struct http_exchange *exchange, int status)
{
	require(!exchange->is_answered);
	exchange->is_answered = true;
	exchange->status = status;
	exchange->done = NULL;
	loop_later_cancel(&exchange->later);
}

static struct str logged_path(struct str path)
{
	return (struct str){path.data, secret_cut(path, LOGGED_PATH_BYTES)};
}

struct http_exchange *http_exchange_shrink(struct http_exchange *exchange)
{
	struct http_request *request = &exchange->request;
	struct str *const kept[] = {&request->method_text, &request->path,
				    &request->request_id,  &request->remote_address,
				    &request->log_account, &request->log_device};
	struct http_exchange *small;
	struct arena arena = {0};
	size_t size = 0;
	char *text;

	request->path = logged_path(request->path);
	for (size_t i = 0; i < array_length(kept); i++)
		size += kept[i]->length + 1;
	/* Only two objects, since each has some overhead, and there may be thousands of streams. */
	arena_reserve(&arena, sizeof(*small) + size + 2 * ARENA_OBJECT_BYTES_MAX);
	small = arena_alloc(&arena, sizeof(*small));
	text = arena_alloc(&arena, size);
	for (size_t i = 0; i < array_length(kept); i++) {
		text[kept[i]->length] = '\0'; /* some are shown by require_context() */
		if (kept[i]->length)
			memcpy(text, kept[i]->data, kept[i]->length);
		kept[i]->data = text;
		text += kept[i]->length + 1;
	}
	*small = *exchange;
	small->request.arena = arena;
	small->request.query = small->request.body = small->request.caller = (struct str){0};
	small->request.fields = NULL;
	small->request.field_count = 0;
	small->request.handler_data = NULL;
	small->head = NULL;
	small->parser = NULL;
	small->body = (struct buffer){0};
	small->share = NULL;
	loop_later_init(&small->later, on_later);
	http_exchange_free(exchange);
	return small;
}

void http_exchange_abandon(struct http_exchange *exchange)
{
	exchange->request.connection = NULL;
	deadline_clear(exchange->loop, &exchange->pause);
	if (exchange->done)
		http_exchange_body_done_later(exchange, 400);
	if (exchange->stream_later)
		loop_later(exchange->loop, exchange->stream_later);
}

static void count(struct http_exchange *exchange, uint64_t duration_us)
{
	const struct http_request *request = &exchange->request;
	unsigned route = request->metric_route;

	if (exchange->is_counted)
		return;
	exchange->is_counted = true;
	if (route == 0)
		route = METRIC_ROUTE_UNKNOWN + request->method;
	metric_add(METRIC_HTTP_REQUESTS,
		   metric_pair(METRIC_HTTP_REQUESTS, route, metric_status(exchange->status)), 1);
	metric_observe(METRIC_HTTP_DURATION, route, duration_us);
}

static uint64_t duration_us(const struct http_exchange *exchange)
{
	return clock_monotonic_us() - exchange->request.started_us;
}

void http_exchange_count(struct http_exchange *exchange)
{
	count(exchange, duration_us(exchange));
}

static void log_request(const struct http_exchange *exchange, uint64_t took_us)
{
	const struct http_request *request = &exchange->request;
	struct log_field fields[13];
	size_t n = 0;

	fields[n++] = LOG_STR("method", request->method_text);
	fields[n++] = LOG_STR("path", request->log_hides_path ? str_from(request->log_route)
							      : logged_path(request->path));
	if (request->log_route)
		fields[n++] = LOG_WORD("route", str_from(request->log_route));
	fields[n++] = LOG_INT("status", exchange->status);
	fields[n++] = LOG_INT("bytes", exchange->sent_bytes);
	fields[n++] = LOG_INT("duration_us", took_us);
	fields[n++] = LOG_STR("remote", request->remote_address);
	fields[n++] = exchange->has_own_id ? LOG_WORD("request_id", request->request_id)
					   : LOG_STR("request_id", request->request_id);
	if (request->log_account.length)
		fields[n++] = LOG_WORD("account", request->log_account);
	if (request->log_device.length)
		fields[n++] = LOG_WORD("device", request->log_device);
	if (!request->connection)
		fields[n++] = LOG_INT("abandoned", 1);
	fields[n] = LOG_END;
	log_write(LOG_INFO, "access", "request", fields);
}

void http_exchange_end(struct http_exchange *exchange)
{
	const struct http_listener_settings *listener = exchange->request.listener;
	uint64_t took_us;

	if (exchange->is_over)
		return;
	exchange->is_over = true;
	if (listener && listener->is_own)
		return;
	took_us = duration_us(exchange);
	count(exchange, took_us);
	if (exchange->access_log && log_is_on(LOG_INFO))
		log_request(exchange, took_us);
}
