/* A client of the API of displayd, over sockets that are connected already: one call at a time, and
 * the stream of events. The worker at their other end knows to which account they belong. No
 * function waits. */
#pragma once

#include "event_reader.h"

#include <curl/curl.h>
#include <sandboxed/bytes.h>
#include <stdint.h>

enum {
	API_SOCKETS_MAX = 4,
	API_REPLY_MAX = 8 << 20,
	API_WATCHED_MAX =
	    8, /* sockets that libcurl waits for: of a call, the stream, and the last ones */
};

struct api {
	CURLM *multi;
	CURL *call, *stream;
	struct curl_slist *fields;
	int epoll; /* the caller sets it; its events have owner as their pointer */
	void *owner;
	int watched[API_WATCHED_MAX];
	unsigned watched_count;
	int64_t timer_ms; /* api_drive() is to be called then, or when a watched socket is ready */
	int sockets[API_SOCKETS_MAX]; /* not used yet */
	unsigned socket_count;
	bool lacked_socket; /* a call or the stream found no socket since the last
			       api_needs_socket() */
	bool is_calling, is_streaming;
	bool call_lacked_socket;    /* the call found no socket and was not sent */
	int stream_status;	    /* of the stream that has ended; 0: there was no answer */
	int status;		    /* of the call that is done; 0: there was no answer */
	struct bytes reply;	    /* and its body, until the next call */
	struct event_reader events; /* the caller sets on_event and context */
};

/* Returns false if there is no memory. */
bool api_init(struct api *api) __attribute__((warn_unused_result));
void api_finish(struct api *api);
/* Takes ownership of the socket. */
void api_add_socket(struct api *api, int socket);
/* Whether a call or the stream has found no socket since the last call of this function. */
bool api_needs_socket(struct api *api);

/* Begins a call, unless one is under way or there is no memory: then is_calling stays as it is.
 * body: JSON that must stay valid until the call is done; NULL: none. */
void api_begin(struct api *api, const char *method, const char *path, const struct bytes *body);
/* Drops the call that is under way, if any, and the last reply. */
void api_cancel(struct api *api);
void api_listen(struct api *api);
/* Continues the call and the stream. Returns true when the call is done; see status. */
bool api_drive(struct api *api) __attribute__((warn_unused_result));
