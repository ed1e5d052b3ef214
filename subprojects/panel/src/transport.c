/* A thread connects, since libcurl waits for that; then the loop polls the socket.
 *
 *   transport_open() -> connect, in a thread -> on_connected -> on_poll ... -> end
 */
#include "transport.h"

#include "memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { READ_BYTES = 64 * 1024, REASON_MAX = CURL_ERROR_SIZE + 64 };

/* Data to send. It stays where it is until all of it is sent, as TLS requires. */
struct piece {
	struct piece *next;
	size_t size, sent;
	uint8_t data[];
};

struct transport {
	const struct transport_events *events; /* NULL: no callback may be called any more */
	void *context;
	CURL *curl;
	uv_work_t connect;
	uv_poll_t poll;
	bool is_connecting, is_polled;
	atomic_bool is_closed; /* ends the thread that connects */
	CURLcode result;       /* of connecting */
	struct piece *first;   /* to send */
	char words[CURL_ERROR_SIZE];
	uint8_t read_buffer[READ_BYTES];
};

static void free_all(struct transport *transport)
{
	struct piece *next;

	for (struct piece *piece = transport->first; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	curl_easy_cleanup(transport->curl);
	free(transport);
}

static void on_poll_closed(uv_handle_t *handle)
{
	free_all(handle->data);
}

void transport_close(struct transport *transport)
{
	if (!transport || transport->is_closed)
		return;
	transport->events = NULL;
	transport->is_closed = true;
	if (transport->is_polled)
		uv_close((uv_handle_t *)&transport->poll, on_poll_closed);
	else if (!transport->is_connecting)
		free_all(transport);
}

static void transport_end(struct transport *transport, bool is_clean, const char *what,
			  CURLcode code)
{
	const struct transport_events *events = transport->events;
	const char *words = transport->words[0] ? transport->words : curl_easy_strerror(code);
	char text[REASON_MAX];

	if (code == CURLE_OK)
		snprintf(text, sizeof(text), "%s", what);
	else
		snprintf(text, sizeof(text), "%s: %s", what, words);
	transport->events = NULL;
	if (events)
		events->on_closed(transport->context, is_clean, text);
	transport_close(transport);
}

/* ---- an open connection ---- */

static void on_poll(uv_poll_t *poll, int status, int events);

static void wait_for_socket(struct transport *transport)
{
	uv_poll_start(&transport->poll, UV_READABLE | (transport->first ? UV_WRITABLE : 0),
		      on_poll);
}

/* Sends what the system accepts. A failure is left to reading, which finds the server's last bytes
 * first. */
static void send_pieces(struct transport *transport)
{
	struct piece *piece;
	CURLcode code = CURLE_OK;
	size_t sent;

	while (code == CURLE_OK && (piece = transport->first)) {
		code = curl_easy_send(transport->curl, piece->data + piece->sent,
				      piece->size - piece->sent, &sent);
		piece->sent += code == CURLE_OK ? sent : 0;
		if (piece->sent == piece->size || (code != CURLE_OK && code != CURLE_AGAIN)) {
			transport->first = piece->next;
			free(piece);
		}
	}
	wait_for_socket(transport);
}

/* Reads all that has come: TLS may hold bytes that the socket has no more. */
static void receive(struct transport *transport)
{
	CURLcode code = CURLE_OK;
	size_t size = 1;

	while (transport->events && size) {
		code = curl_easy_recv(transport->curl, transport->read_buffer, READ_BYTES, &size);
		if (code == CURLE_AGAIN)
			return;
		if (code != CURLE_OK)
			transport_end(transport, false, "connection lost", code);
		else if (size)
			transport->events->on_data(transport->context, transport->read_buffer,
						   size);
		else
			transport_end(transport, true, "closed by the server", CURLE_OK);
	}
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct transport *transport = poll->data;

	if (events & UV_WRITABLE)
		send_pieces(transport);
	if (status < 0 || (events & UV_READABLE))
		receive(transport);
}

void transport_write(struct transport *transport, const void *data, size_t size)
{
	struct piece *piece = memory_zalloc(sizeof(*piece) + size), **last = &transport->first;

	piece->size = size;
	memcpy(piece->data, data, size);
	while (*last)
		last = &(*last)->next;
	*last = piece;
	send_pieces(transport);
}

/* ---- connecting ---- */

static int on_progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct transport *transport = context;

	(void)a, (void)b, (void)c, (void)d;
	return transport->is_closed;
}

static void run_connect(uv_work_t *work)
{
	struct transport *transport = work->data;

	transport->result = curl_easy_perform(transport->curl);
}

static void fail_connect(struct transport *transport)
{
	const char *what = "cannot connect";
	long error = 0;

	curl_easy_getinfo(transport->curl, CURLINFO_OS_ERRNO, &error);
	if (transport->result == CURLE_COULDNT_RESOLVE_HOST)
		what = "host not found";
	else if (transport->result == CURLE_PEER_FAILED_VERIFICATION)
		what = "certificate refused";
	else if (transport->result == CURLE_COULDNT_CONNECT && error)
		snprintf(transport->words, sizeof(transport->words), "%s", strerror((int)error));
	transport_end(transport, false, what, transport->result);
}

static void on_connect(uv_work_t *work, int status)
{
	struct transport *transport = work->data;
	curl_socket_t socket = CURL_SOCKET_BAD;

	(void)status;
	transport->is_connecting = false;
	if (transport->is_closed) {
		free_all(transport);
		return;
	}
	if (transport->result == CURLE_OK)
		curl_easy_getinfo(transport->curl, CURLINFO_ACTIVESOCKET, &socket);
	if (socket == CURL_SOCKET_BAD) {
		fail_connect(transport);
		return;
	}
	uv_poll_init_socket(work->loop, &transport->poll, socket);
	transport->poll.data = transport;
	transport->is_polled = true;
	wait_for_socket(transport);
	transport->events->on_connected(transport->context);
}

struct transport *transport_open(uv_loop_t *loop, const struct wire_url *url,
				 const struct curl_blob *authorities,
				 const struct transport_events *events, void *context)
{
	struct transport *transport = memory_zalloc(sizeof(*transport));
	CURL *curl = memory_check(curl_easy_init());
	char text[sizeof("https://") + WIRE_AUTHORITY_BYTES];

	*transport = (struct transport){.events = events, .context = context, .curl = curl};
	snprintf(text, sizeof(text), "http%s://%s", url->is_tls ? "s" : "", url->authority);
	curl_easy_setopt(curl, CURLOPT_URL, text);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(curl, CURLOPT_HTTPPROXYTUNNEL, 1L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transport->words);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transport);
	if (authorities->len)
		curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, authorities);
	transport->is_connecting = true;
	transport->connect.data = transport;
	uv_queue_work(loop, &transport->connect, run_connect, on_connect);
	return transport;
}
