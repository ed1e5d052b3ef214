/* A session with a broker: it connects, reconnects after growing pauses, and sends no more than the
 * broker takes.
 *
 *   waiting --its time--> connecting --CONNACK--> up --anything wrong--> waiting
 *
 * While it connects it looks up the broker's name, then connects a socket to one of its addresses
 * after the other, then lets libmosquitto speak over that. Nothing waits: many sessions share a
 * thread. All functions are called with the session's budget entered, and its guard: the library
 * allocates what a broker announces and sends. */
#pragma once

#include "guard.h"
#include "lookup.h"

#include <mosquitto.h>
#include <sandboxed/budget.h>
#include <stdint.h>

struct session_settings {
	const char *host;
	int port;
	bool is_tls;
	const char *user, *password; /* NULL: none */
	const char *client;
	const char *will; /* topic that has "online" while the session is up, else "offline" */
	const char *certificates; /* a file; NULL: the system's certificates */
};

struct session {
	const struct session_settings *settings;
	struct guard guard;
	struct budget *budget;	     /* the account's */
	struct lookup *lookup;	     /* of the broker's name; NULL: none is under way */
	struct lookup_found found;   /* its result */
	unsigned next_address;	     /* the address of found to connect to next */
	int socket;		     /* that connects; -1: none */
	int64_t connect_until_ms;    /* latest end of that */
	unsigned socket_number;	     /* grows with each socket of the session */
	struct mosquitto *mosquitto; /* NULL while the session waits or connects */
	bool is_up;
	bool has_progress; /* something was read */
	bool has_more;	   /* perhaps something is left to read, which no poll finds */
	bool is_farewell_sent;
	bool has_run_out;	  /* an allocation has failed since the last session_ran_out() */
	bool has_sent_qos_2;	  /* the broker has sent QoS 2, which was not granted */
	int result;		  /* MOSQ_ERR_..., or the code of a CONNACK as a negative number */
	unsigned unsent;	  /* messages that the socket has not taken */
	int64_t stalled_ms;	  /* since when the socket takes nothing; 0: it takes data */
	int64_t next_ms, up_ms;	  /* time of the next attempt; start of the session */
	int64_t leave_until_ms;	  /* latest end of the farewell */
	int64_t paid_us, paid_ms; /* processor time that it may use now, and since when that grew */
	int64_t rests_until_ms;
	unsigned failures; /* number of failures in a row */
	uint64_t messages_in, messages_out;
	void (*on_up)(void *context);
	/* why: NULL if the session is up. */
	void (*on_state)(void *context, const char *why);
	void (*on_message)(void *context, const char *topic, const char *payload, size_t length);
	/* Called for a retained message of an earlier session. */
	void (*on_retained)(void *context, const char *topic);
	/* Called in any thread: session_drive() has something to do. */
	void (*on_wake)(void *context);
	void *context;
};

/* settings, the budget, the guard's rules and the functions must be set. */
void session_init(struct session *session);
/* Begins to end the session: it says "offline" in place of the will, and waits at most 5 s until
 * the broker has taken all messages. */
void session_leave(struct session *session, int64_t now_ms);
/* Continues that as session_drive(). Returns true at the end; then call session_finish(). */
bool session_has_left(struct session *session, int64_t now_ms) __attribute__((warn_unused_result));
/* Drops what is left of the session. */
void session_finish(struct session *session);

/* Reads and writes, or connects if it is time. Does nothing while the session rests: a broker that
 * sends without end must not take the processor from other accounts. */
void session_drive(struct session *session, int64_t now_ms);
/* Whether an allocation has failed since the last call of this function. The session has ended
 * then, and the caller drops what it keeps for the account. */
bool session_ran_out(struct session *session);
/* Returns the socket to wait for, or -1 if there is none, or if the session rests. */
int session_socket(const struct session *session);
/* Returns when session_drive() is to be called at the latest, until_ms at most. */
int64_t session_due_ms(const struct session *session, int64_t until_ms);
bool session_wants_write(const struct session *session);

bool session_has_room(const struct session *session);
/* Publishes, retained or not. Returns false if there is no room or no session. */
bool session_publish(struct session *session, const char *topic, const char *payload, size_t length,
		     bool is_retained);
bool session_subscribe(struct session *session, const char *pattern);
