/* A session with a broker: it connects, comes back by itself with growing pauses, and sends no more
 * than the broker takes.
 *
 *   waiting --its time--> connecting --CONNACK--> up --anything wrong--> waiting
 *
 * libmosquitto's look-up and connect wait; so each session has a thread of its own. */
#pragma once

#include "guard.h"

#include <mosquitto.h>
#include <stdint.h>

struct session_settings {
	const char *host;
	int port;
	bool is_tls;
	const char *user, *password; /* NULL: none */
	const char *client;
	const char *will;	  /* topic: "online" while the session is up, else "offline" */
	const char *certificates; /* a file, instead of the system's; NULL */
};

struct session {
	const struct session_settings *settings;
	struct guard guard;
	struct mosquitto *mosquitto; /* NULL: it waits */
	bool is_up;
	bool has_progress;	/* while reading */
	int result;		/* MOSQ_ERR_..., or of CONNACK as a negative number */
	unsigned unsent;	/* messages that the socket has not taken */
	int64_t stalled_ms;	/* since when it takes nothing; 0: it does */
	int64_t next_ms, up_ms; /* when it tries again; since when it is up */
	unsigned failures;	/* in a row */
	uint64_t messages_in, messages_out;
	void (*on_up)(void *context);
	/* why: NULL when it is up. */
	void (*on_state)(void *context, const char *why);
	void (*on_message)(void *context, const char *topic, const char *payload, size_t length);
	/* A message that was on the broker before. */
	void (*on_retained)(void *context, const char *topic);
	void *context;
};

/* In the session's thread, whose guard it becomes. settings, the guard's rules and the functions
 * are set. */
void session_init(struct session *session);
/* Says farewell, without the will; waits at most 5 s until the broker has taken all messages. */
void session_finish(struct session *session);

/* Reads, writes, or connects if it is time. */
void session_drive(struct session *session, int64_t now_ms);
/* The socket to wait for, or -1. */
int session_socket(const struct session *session);
bool session_wants_write(const struct session *session);

bool session_has_room(const struct session *session);
/* Publishes, retained or not. False: there is no room, or no session. */
bool session_publish(struct session *session, const char *topic, const char *payload, size_t length,
		     bool is_retained);
bool session_subscribe(struct session *session, const char *pattern);
