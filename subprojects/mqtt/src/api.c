#include "api.h"

#include <sandboxed/clock.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* An address, so that no name is looked up; the sockets are connected already. */
#define ORIGIN "http://127.0.0.1"

enum { CALL_S = 60, URL_MAX = 1400 };

static curl_socket_t take_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct api *api = context;

	(void)purpose;
	(void)address;
	if (api->socket_count == 0) {
		api->lacked_socket = true;
		return CURL_SOCKET_BAD;
	}
	return api->sockets[--api->socket_count];
}

static int say_connected(void *context, curl_socket_t socket, curlsocktype purpose)
{
	(void)context;
	(void)socket;
	(void)purpose;
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

static size_t take_reply(char *data, size_t size, size_t count, void *context)
{
	struct api *api = context;
	size_t length = size * count;

	if (api->reply.length + length > API_REPLY_MAX)
		return 0;
	bytes_add(&api->reply, data, length);
	return api->reply.failed ? 0 : length;
}

static size_t take_events(char *data, size_t size, size_t count, void *context)
{
	struct api *api = context;
	long status = 0;

	curl_easy_getinfo(api->stream, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200 && !event_reader_take(&api->events, data, size * count))
		return 0;
	return size * count;
}

static CURL *create_handle(struct api *api, curl_write_callback write)
{
	CURL *handle = curl_easy_init();

	if (!handle)
		return NULL;
	curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, take_socket);
	curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, api);
	curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, say_connected);
	curl_easy_setopt(handle, CURLOPT_TCP_NODELAY, 0L);
	curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(handle, CURLOPT_PROXY, "");
	curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http");
	curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
	curl_easy_setopt(handle, CURLOPT_WRITEDATA, api);
	curl_easy_setopt(handle, CURLOPT_HTTPHEADER, api->fields);
	return handle;
}

static bool watch(struct api *api, curl_socket_t socket, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = api->owner};

	for (unsigned i = 0; i < api->watched_count; i++)
		if (api->watched[i] == socket)
			return epoll_ctl(api->epoll, EPOLL_CTL_MOD, socket, &event) == 0;
	if (api->watched_count == API_WATCHED_MAX ||
	    epoll_ctl(api->epoll, EPOLL_CTL_ADD, socket, &event) != 0)
		return false;
	api->watched[api->watched_count++] = socket;
	return true;
}

static void unwatch(struct api *api, curl_socket_t socket)
{
	struct epoll_event event = {0};

	for (unsigned i = 0; i < api->watched_count; i++) {
		if (api->watched[i] != socket)
			continue;
		(void)epoll_ctl(api->epoll, EPOLL_CTL_DEL, socket, &event);
		api->watched[i] = api->watched[--api->watched_count];
		return;
	}
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *of_socket)
{
	struct api *api = context;

	(void)easy;
	(void)of_socket;
	if (what == CURL_POLL_REMOVE)
		unwatch(api, socket);
	else if (!watch(api, socket,
			(what & CURL_POLL_IN ? EPOLLIN : 0u) |
			    (what & CURL_POLL_OUT ? EPOLLOUT : 0u)))
		return -1;
	return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
	struct api *api = context;

	(void)multi;
	api->timer_ms = timeout_ms < 0 ? INT64_MAX : clock_ms() + timeout_ms;
	return 0;
}

bool api_init(struct api *api)
{
	api->fields = curl_slist_append(NULL, "Content-Type: application/json");
	api->fields = curl_slist_append(api->fields, "Expect:");
	api->multi = curl_multi_init();
	api->call = create_handle(api, take_reply);
	api->stream = create_handle(api, take_events);
	api->timer_ms = INT64_MAX;
	if (!api->multi || !api->call || !api->stream)
		return false;
	return !curl_multi_setopt(api->multi, CURLMOPT_SOCKETFUNCTION, on_socket) &&
	       !curl_multi_setopt(api->multi, CURLMOPT_SOCKETDATA, api) &&
	       !curl_multi_setopt(api->multi, CURLMOPT_TIMERFUNCTION, on_timer) &&
	       !curl_multi_setopt(api->multi, CURLMOPT_TIMERDATA, api);
}

void api_cancel(struct api *api)
{
	if (api->is_calling)
		curl_multi_remove_handle(api->multi, api->call);
	api->is_calling = false;
	bytes_finish(&api->reply);
}

void api_finish(struct api *api)
{
	api_cancel(api);
	if (api->is_streaming)
		curl_multi_remove_handle(api->multi, api->stream);
	curl_easy_cleanup(api->call);
	curl_easy_cleanup(api->stream);
	curl_multi_cleanup(api->multi);
	curl_slist_free_all(api->fields);
	while (api->socket_count)
		close(api->sockets[--api->socket_count]);
	event_reader_reset(&api->events);
}

void api_add_socket(struct api *api, int socket)
{
	api->lacked_socket = false;
	if (api->socket_count < API_SOCKETS_MAX)
		api->sockets[api->socket_count++] = socket;
	else
		close(socket);
}

bool api_needs_socket(struct api *api)
{
	bool needs = api->lacked_socket;

	api->lacked_socket = false;
	return needs;
}

/* Returns false if there is no memory: the request would be another one. */
static bool set_request(const struct api *api, const char *method, const char *path)
{
	char url[URL_MAX];

	snprintf(url, sizeof(url), "%s%s", ORIGIN, path);
	return curl_easy_setopt(api->call, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(api->call, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK;
}

void api_begin(struct api *api, const char *method, const char *path, const struct bytes *body)
{
	bool has_body = strcmp(method, "GET") != 0;

	if (api->is_calling)
		return;
	bytes_finish(&api->reply);
	api->status = 0;
	curl_easy_setopt(api->call, CURLOPT_TIMEOUT, (long)CALL_S);
	curl_easy_setopt(api->call, CURLOPT_PATH_AS_IS, 1L);
	/* libcurl repeats a request if a connection that was used before closes without an answer:
	 * a change may have been made by then. */
	curl_easy_setopt(api->call, CURLOPT_FRESH_CONNECT, (long)has_body);
	if (has_body) {
		curl_easy_setopt(api->call, CURLOPT_POST, 1L);
		curl_easy_setopt(api->call, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)(body ? body->length : 0));
		curl_easy_setopt(api->call, CURLOPT_POSTFIELDS,
				 body && body->data ? body->data : "");
	} else {
		curl_easy_setopt(api->call, CURLOPT_HTTPGET, 1L);
	}
	api->is_calling = set_request(api, has_body ? method : NULL, path) &&
			  curl_multi_add_handle(api->multi, api->call) == CURLM_OK;
}

void api_listen(struct api *api)
{
	if (api->is_streaming)
		return;
	event_reader_reset(&api->events);
	if (curl_easy_setopt(api->stream, CURLOPT_URL, ORIGIN "/v1/events") != CURLE_OK)
		return;
	/* The stream sends a line every 15 s. */
	curl_easy_setopt(api->stream, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(api->stream, CURLOPT_LOW_SPEED_TIME, 45L);
	api->is_streaming = curl_multi_add_handle(api->multi, api->stream) == CURLM_OK;
}

static void end_call(struct api *api, CURLcode result)
{
	long status = 0;

	curl_easy_getinfo(api->call, CURLINFO_RESPONSE_CODE, &status);
	api->status = result == CURLE_OK ? (int)status : 0;
	api->call_lacked_socket = result == CURLE_COULDNT_CONNECT;
	api->is_calling = false;
	curl_multi_remove_handle(api->multi, api->call);
}

static void end_stream(struct api *api)
{
	long status = 0;

	curl_easy_getinfo(api->stream, CURLINFO_RESPONSE_CODE, &status);
	api->stream_status = (int)status;
	api->is_streaming = false;
}

/* Lets libcurl look at all that it waits for. */
static void run_sockets(struct api *api)
{
	int sockets[API_WATCHED_MAX], running;
	unsigned count = api->watched_count;

	memcpy(sockets, api->watched, sizeof(sockets));
	for (unsigned i = 0; i < count; i++)
		curl_multi_socket_action(api->multi, sockets[i], 0, &running);
	if (clock_ms() < api->timer_ms)
		return;
	api->timer_ms = INT64_MAX;
	curl_multi_socket_action(api->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

bool api_drive(struct api *api)
{
	int left;
	bool is_done = false;
	CURLMsg *message;

	run_sockets(api);
	while ((message = curl_multi_info_read(api->multi, &left))) {
		CURL *handle = message->easy_handle;
		CURLcode result = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		if (handle == api->call) {
			end_call(api, result);
			is_done = true;
			continue;
		}
		end_stream(api);
		curl_multi_remove_handle(api->multi, api->stream);
	}
	return is_done;
}
