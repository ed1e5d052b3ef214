#include "ctl/server/server_socket.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/require.h"
#include "ctl/ctl.h"
#include "main/state_dir.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	CONNECT_MS = 10 * 1000,
	ANSWER_MS = 30 * 1000,
	BODY_BYTES_MAX = 64 * 1024 * 1024, /* of a URL's server, which is untrusted */
};

struct exchange {
	CURL *curl;
	const struct server_target *target;
	const struct server_request *request;
	struct server_answer *answer;
	bool was_sent;
	char words[CURL_ERROR_SIZE];
};

/* A handle of libcurl keeps its connection. */
struct server_connection {
	CURL *curl;
};

/* ---- the answer ---- */

static int status_of(const struct exchange *exchange)
{
	long status = 0;

	curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

static size_t on_body(char *data, size_t one, size_t size, void *context)
{
	const struct exchange *exchange = context;
	const struct server_request *request = exchange->request;
	struct buffer *body = &exchange->answer->body;

	(void)one;
	if (request->take && status_of(exchange) == 200)
		return request->take(request->take_context, data, size) ? size : 0;
	if (!exchange->target->state_dir && buffer_length(body) + size > BODY_BYTES_MAX)
		return 0;
	buffer_append(body, data, size);
	return size;
}

static void keep_head(const struct exchange *exchange)
{
	struct curl_header *field = NULL;

	exchange->answer->status = status_of(exchange);
	while ((field = curl_easy_nextheader(exchange->curl, CURLH_HEADER, -1, field)))
		buffer_printf(&exchange->answer->fields, "%s:%s\n", field->name, field->value);
}

/* ---- failures ---- */

static int os_error(const struct exchange *exchange)
{
	long error = 0;

	curl_easy_getinfo(exchange->curl, CURLINFO_OS_ERRNO, &error);
	return (int)error;
}

static enum server_result fail_connection(const struct exchange *exchange, const char *why,
					  struct reason *reterr)
{
	const char *state_dir = exchange->target->state_dir;
	int error = os_error(exchange);

	if (error)
		why = strerror(error);
	if (!state_dir) {
		reason_set(reterr, "cannot reach %s: %s", exchange->target->authority, why);
		return SERVER_UNREACHED;
	}
	if (error == ENOENT || error == ECONNREFUSED) {
		reason_set(reterr, CTL_NO_SERVER, state_dir);
		return SERVER_UNAVAILABLE;
	}
	if (error == EACCES)
		reason_set(
		    reterr,
		    "the server of %s belongs to another user; run this as that user or as root",
		    state_dir);
	else
		reason_set(reterr, "cannot reach the server of %s: %s", state_dir, why);
	return SERVER_FAILED;
}

static enum server_result fail_silent(enum server_result result, const char *why,
				      struct reason *reterr)
{
	reason_set(reterr, "the server does not answer: %s", why);
	return result;
}

static bool is_connected(const struct exchange *exchange)
{
	curl_off_t at_us = 0;

	curl_easy_getinfo(exchange->curl, CURLINFO_PRETRANSFER_TIME_T, &at_us);
	return at_us > 0;
}

static enum server_result explain(const struct exchange *exchange, CURLcode code,
				  struct reason *reterr)
{
	const char *words = exchange->words[0] ? exchange->words : curl_easy_strerror(code);

	switch (code) {
	case CURLE_OK:
		return SERVER_ANSWERED;
	case CURLE_COULDNT_CONNECT:
		if (exchange->target->state_dir && !os_error(exchange))
			/* libcurl does not wait for room in the queue of a socket */
			return fail_silent(SERVER_UNAVAILABLE, "it is busy or stopped", reterr);
		return fail_connection(exchange, words, reterr);
	case CURLE_COULDNT_RESOLVE_HOST:
		return fail_connection(exchange, words, reterr);
	case CURLE_PEER_FAILED_VERIFICATION:
		reason_set(reterr, "%s: certificate refused: %s; --ca-file names other authorities",
			   exchange->target->authority, words);
		return SERVER_UNREACHED;
	case CURLE_SSL_CACERT_BADFILE:
		reason_set(reterr, "cannot read the certificates of authorities: %s", words);
		return SERVER_UNREACHED;
	case CURLE_SSL_CONNECT_ERROR:
		reason_set(reterr, "%s does not speak TLS: %s", exchange->target->authority, words);
		return SERVER_UNREACHED;
	case CURLE_OPERATION_TIMEDOUT:
		if (!is_connected(exchange))
			return fail_connection(exchange, strerror(ETIMEDOUT), reterr);
		return fail_silent(SERVER_FAILED, "it may be busy or stopped", reterr);
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
		return fail_silent(SERVER_UNAVAILABLE, "it has closed the connection", reterr);
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		if (os_error(exchange))
			words = strerror(os_error(exchange));
		else if (exchange->target->state_dir)
			break;
		return fail_silent(SERVER_UNAVAILABLE, words,
				   reterr); /* or the TLS connection ended early */
	case CURLE_WRITE_ERROR:
		if (exchange->request->take)
			return SERVER_STOPPED;
		break;
	default:
		if (!is_connected(exchange))
			return fail_connection(exchange, words, reterr);
		break;
	}
	reason_set(reterr, "the server's answer is malformed");
	return SERVER_FAILED;
}

/* ---- the request ---- */

/* Returns the header fields. libcurl removes a field "NAME:" that it would add by itself, and sends
 * "NAME;" without a value. */
static struct curl_slist *list_fields(const struct server_target *target,
				      const struct server_request *request, struct arena *arena)
{
	const struct str none = STR(""), account = str_trim(request->account);
	struct str rest =
	    ARENA_JOIN(arena, STR("Accept:\nExpect:\n"),
		       target->connection ? none : STR("Connection: close\n"),
		       request->body.data ? STR("Content-Type: application/json\n") : none,
		       !request->account.data ? none
		       : account.length	      ? STR("Displayd-Account: ")
					      : STR("Displayd-Account;"),
		       account.length ? account : none, STR("\n"),
		       request->fields.data ? request->fields : none);
	struct curl_slist *list = NULL;
	struct str line;

	while (str_next(&rest, '\n', &line))
		if (line.length)
			list = curl_slist_append(list, arena_copy(arena, line).data);
	return list;
}

/* Without the folder of the system's authorities, which libcurl would read besides. */
static void trust_only(CURL *curl, struct str authorities)
{
	struct curl_blob pem = {
	    .data = (void *)authorities.data, .len = authorities.length, .flags = CURL_BLOB_NOCOPY};

	curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &pem);
	curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
}

static void set_target(CURL *curl, const struct server_target *target,
		       const struct server_request *request, struct arena *arena)
{
	struct str base = str_from(target->state_dir ? "http://displayd" : target->base);
	int piece_ms = request->patience_ms ? request->patience_ms : ANSWER_MS;

	if (target->state_dir) {
		struct str path =
		    ARENA_JOIN(arena, str_from(target->state_dir), STR("/" STATE_DIR_SOCKET));

		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, path.data);
		if (target->patience_ms && !request->patience_ms)
			piece_ms = target->patience_ms;
	} else {
		curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)target->patience_ms);
		if (target->authorities.data)
			trust_only(curl, target->authorities);
	}
	curl_easy_setopt(curl, CURLOPT_URL, ARENA_JOIN(arena, base, request->path).data);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	/* Limit each pause of the answer, not the whole: a byte per second is enough. */
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)(piece_ms + 999) / 1000);
}

static int note_sent(void *context, char *address, char *own_address, int port, int own_port)
{
	struct exchange *exchange = context;

	(void)address;
	(void)own_address;
	(void)port;
	(void)own_port;
	exchange->was_sent = true;
	return CURL_PREREQFUNC_OK;
}

/* Opens no socket for a write that was sent. libcurl would repeat it if a kept connection ends
 * without an answer. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	const struct exchange *exchange = context;

	(void)purpose;
	if (exchange->was_sent && strcmp(exchange->request->method, "GET") != 0)
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static void set_up(struct exchange *exchange, struct curl_slist *fields)
{
	const struct server_request *request = exchange->request;
	CURL *curl = exchange->curl;

	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, exchange->words);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	/* Ignore proxies of the environment. */
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
	curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, note_sent);
	curl_easy_setopt(curl, CURLOPT_PREREQDATA, exchange);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, exchange);
	if (request->body.data) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)request->body.length);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body.data);
	}
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

/* ---- asking ---- */

static CURL *new_handle(void)
{
	CURL *curl = curl_easy_init();

	require(curl);
	return curl;
}

struct server_connection *server_connection_new(void)
{
	struct server_connection *connection = memory_alloc(sizeof(*connection));

	connection->curl = new_handle();
	return connection;
}

void server_connection_close(struct server_connection *connection)
{
	curl_easy_cleanup(connection->curl);
	connection->curl = new_handle();
}

void server_connection_free(struct server_connection *connection)
{
	curl_easy_cleanup(connection->curl);
	free(connection);
}

enum server_result server_socket_ask(const struct server_target *target,
				     const struct server_request *request,
				     struct server_answer *ret_answer, struct reason *reterr)
{
	struct exchange exchange = {.curl = target->connection ? target->connection->curl
							       : new_handle(),
				    .target = target,
				    .request = request,
				    .answer = ret_answer};
	struct arena arena = {0};
	struct curl_slist *fields = list_fields(target, request, &arena);
	enum server_result result;

	curl_easy_reset(exchange.curl); /* of the options, not of the connection */
	*ret_answer = (struct server_answer){0};
	set_target(exchange.curl, target, request, &arena);
	set_up(&exchange, fields);
	result = explain(&exchange, curl_easy_perform(exchange.curl), reterr);
	keep_head(&exchange);
	if (!target->connection)
		curl_easy_cleanup(exchange.curl);
	curl_slist_free_all(fields);
	arena_finish(&arena);
	return result;
}

void server_answer_finish(struct server_answer *answer)
{
	buffer_finish(&answer->body);
	buffer_finish(&answer->fields);
	*answer = (struct server_answer){0};
}
