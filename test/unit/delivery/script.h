/* A scripted world for delivery: a database whose answers the test gives, a clock that the test
 * moves, and WebSockets that keep what delivery sends. The files script*.c define the functions of
 * db, loop and websocket that delivery calls, in place of the real ones. */
#pragma once

#include "../cmocka_test.h"
#include "db/db.h"
#include "delivery/change_table.h"
#include "delivery/cursor_table.h"
#include "domain/key.h"
#include "loop/loop.h"

/* Setup: the database and its hints are up, and no query waits. */

/* Setup: the database and its hints are up, and no query waits. */
int script_begin(void **state);
/* Teardown: checks that no callback is left. */
int script_end(void **state);

extern struct loop script_loop;
extern struct db *const script_db;
extern struct region_map *script_shared;
extern const struct cursors *const script_cursors; /* in script_shared */
extern struct change_table *script_changes;	   /* in script_shared */

/* ---- clock ---- */

/* Runs the callbacks that are due later, until none is left. */
void run_turns(void);
/* Runs deadlines at their times, in order. */
void pass_ms(uint64_t ms);
int64_t script_wall_us(void);
/* Milliseconds until the first deadline; UINT64_MAX: there is none. */
uint64_t next_deadline_ms(void);

/* ---- database ---- */

void set_database_up(bool up);
/* Notifies the subscribers. */
void set_hints_up(bool up);
/* Delivers a hint of another worker. */
void hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns the hints sent since the last call, each followed by a space. */
const char *hints_sent(void);

/* Sets the result of db_hint_room(), which is unlimited at first. */
void set_hint_room(size_t bytes);

/* Counts the queries of a statement that are not answered yet. */
unsigned asked_count(enum statement statement);
/* Returns the oldest one; fails the test if there is none. */
struct db_query *asked(enum statement statement);
/* Elements of a parameter that is an array of IDs, or of 8 bytes each; returns their number. */
unsigned id_array(const struct db_query *query, unsigned parameter, struct id *ret_ids);
unsigned int8_array(const struct db_query *query, unsigned parameter, int64_t *ret_values);

/* Set by a test that answers the sweeps for expired entries itself; otherwise they find none. */
extern bool entries_expire;

void answer_nothing(struct db_query *query, enum db_outcome outcome);
/* Answers all open queries of a statement. */
void answer_all(enum statement statement, enum db_outcome outcome);
/* Begins an answer with this many columns; add its values next, row by row, then call answer(). */
void begin_rows(unsigned columns);
void add_null(void);
void add_bool(bool value);
void add_integer(int64_t value);
void add_bytes(const void *data, size_t length);
void add_value_text(const char *text);
void answer(struct db_query *query);

/* ---- devices in the database ---- */

/* State for all installations of an app with one render key. */
struct script_app {
	char render_key[32];
	struct id app_id;
	struct id version_id; /* nil: not deployed */
	int64_t generation;
	int64_t render_generation;
	int64_t picture_generation; /* 0: no picture */
	const char *picture;
	bool has_nothing;
	bool is_whole;
	int64_t due_in_ms;
	bool is_each_turn;
	int64_t moment_s;
};

struct script_installation {
	const char *id;
	int64_t position;
	int64_t generation;
	const char *picture;
	const struct script_app *app; /* NULL: pushed */
	int64_t recurs_from;	      /* 0: it has no rule */
};

struct script_device {
	struct id id;
	unsigned account;
	const char *key;
	bool is_held; /* the database says that this process has its panel */
	bool is_gone;
	bool is_disabled;
	bool is_new;		  /* no panel of it has connected yet */
	const char *alias;	  /* NULL: none */
	const char *second_key;	  /* NULL: none */
	int64_t order_generation; /* 0: none */
	int64_t generation;
	int64_t brightness;
	int64_t interval_s;
	int64_t sleep_start_minute; /* of a sleep window, if the end is not 0 */
	int64_t sleep_end_minute;
	const char *night; /* the night entry; NULL: none */
	struct {
		int64_t generation; /* 0: none */
		const char *installation;
		const char *picture;
		int64_t duration_s;
		int64_t created_us;
		int64_t displayed_us;
	} push;
	struct script_installation installations[4];
	unsigned installation_count;
};

/* Forgets the devices of the last test. */
void forget_devices(void);
/* Adds a device of account 0, at generation 1, 60 % bright, 15 s, no pictures; key
 * "key-of-panel-1234567890". */
struct script_device *add_device(void);
void add_installation(struct script_device *device, const char *id, const char *picture);
void add_app(struct script_device *device, const char *id, const struct script_app *app);
/* Answers the oldest read of render keys, which must all be the app's. */
void answer_places(const struct script_app *app);
/* Answers the oldest load. */
void answer_load(void);
void fail_load(void);
/* Answers loads until none is open. */
void answer_loads(void);
/* Counts the loads that are not answered yet. */
unsigned loads_asked(void);

struct id id_of(unsigned number);

/* ---- WebSockets ---- */

struct websocket_events;

struct script_socket {
	const struct websocket_events *events;
	void *owner;
	char sent[4096]; /* "{...}" and "<bytes>", each followed by a space */
	bool is_dropped;
	bool is_batching;
	size_t pending_bytes; /* set by the test: the peer does not read */
};

/* The socket that was accepted last. */
extern struct script_socket *script_socket;
/* Set by the test: no socket can be accepted until the end of the test. */
extern bool clients_have_left;
/* Returns the messages that delivery has sent since the last call. */
const char *sent_to(struct script_socket *socket);
void panel_says(struct script_socket *socket, const char *text);
/* Simulates a received frame of any kind. */
void panel_lives(struct script_socket *socket);
/* Makes the peer read again. */
void drain_socket(struct script_socket *socket);
/* Simulates that the peer has left, or the end of a drop. */
void close_socket(struct script_socket *socket);
/* Closes all sockets that are open. */
void close_sockets(void);
