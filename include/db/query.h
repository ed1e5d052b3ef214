/* A statement on its way to the database and back. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/list.h"
#include "db/statement.h"
#include "record/value.h"

#include <stdint.h>

enum { DB_PARAMETERS_MAX = 24 };

struct db;

/* Parameters in binary format. Add them in the order of the statement's header. Values are copied
 * into the arena, but for text and bytea, which must stay valid until the query is done. */
struct db_parameters {
	struct arena *arena;
	unsigned count;
	const char *values[DB_PARAMETERS_MAX]; /* NULL: SQL NULL */
	int lengths[DB_PARAMETERS_MAX];
};

void db_parameters_init(struct db_parameters *parameters, struct arena *arena);
void db_add_null(struct db_parameters *parameters);
void db_add_bool(struct db_parameters *parameters, bool value);
void db_add_int2(struct db_parameters *parameters, int16_t value);
void db_add_int4(struct db_parameters *parameters, int32_t value);
void db_add_int8(struct db_parameters *parameters, int64_t value);
void db_add_id(struct db_parameters *parameters, struct id id);
void db_add_text(struct db_parameters *parameters, struct str text);
void db_add_bytes(struct db_parameters *parameters, struct str bytes); /* bytea, macaddr */
/* Microseconds since 1970. */
void db_add_timestamp(struct db_parameters *parameters, int64_t wall_us);
void db_add_float8(struct db_parameters *parameters, double value);
void db_add_id_array(struct db_parameters *parameters, const struct id *ids, unsigned count);
void db_add_int8_array(struct db_parameters *parameters, const int64_t *values, unsigned count);
void db_add_timestamp_array(struct db_parameters *parameters, const int64_t *wall_us,
			    unsigned count);
/* The texts are copied. */
void db_add_text_array(struct db_parameters *parameters, const struct str *texts, unsigned count);

enum db_outcome {
	DB_OK,
	DB_REFUSED, /* a constraint that the statement's header names: see refusal */
	DB_AWAY,    /* no database, queue full, or the connection broke under way (for a write: its
		       effect is unknown): 503 with Retry-After */
	DB_FAILED,  /* anything else; logged with its SQLSTATE: 500 */
};

struct db_result {
	enum db_outcome outcome;
	enum refusal refusal;
	unsigned row_count;
	unsigned column_count;
	const void *rows;   /* private */
	unsigned first_row; /* private */
};

/* One value; row and column in range. Valid during done(). */
struct record_value db_value(const struct db_result *result, unsigned row, unsigned column);

/* Embed it in what waits for it. It and its parameters stay valid until done has run. */
struct db_query {
	struct list node;	 /* private */
	unsigned char conflicts; /* private: times that it lost against another transaction */
	unsigned char moves;	 /* private: times that it changed to another connection */
	bool gathers;		 /* private: it stands for others, see src/db/gather.h */
	void *uncommitted;	 /* private: the result of a write that awaits its commit */
	enum statement statement;
	struct db_parameters parameters;
	/* Always called, later, on the loop. The query may go in it. */
	void (*done)(struct db_query *query, const struct db_result *result);
};

/* Queues it; never calls done from inside. Reads of one loop turn leave together with one sync, and
 * those of one statement may be asked as one. Each write has its own sync, but those that may share
 * a commit: see db/statement.h. */
void db_submit(struct db *db, struct db_query *query);
