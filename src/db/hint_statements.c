#include "hint_statements.h"
#include "base/memory.h"

enum {
	OID_BOOL = 16,
	OID_INT8 = 20,
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_TIMESTAMPTZ = 1184,
	OID_VOID = 2278,
	OID_UUID = 2950
};

/* The first row has the clock only. has_left sorts nothing out here: readers must know who left.
 * The limit is one more than readers keep. */
#define LOOK                                                                                       \
	"SELECT NULL::uuid AS instance, NULL::int4 AS worker, NULL::timestamptz AS through_at, "   \
	"NULL::timestamptz AS seen_at, NULL::bool AS has_left, clock_timestamp() AS clock "        \
	"UNION ALL (SELECT instance, worker, through_at, seen_at, has_left, NULL FROM hint_beat "  \
	"WHERE instance <> $1 AND seen_at > clock_timestamp() - interval '60 s' "                  \
	"ORDER BY instance, worker LIMIT 1025)"

/* Dead rows stay while any transaction of the cluster is older, such as that of a backup, and each
 * look has to pass them. So a large table is written anew, which no snapshot prevents; other looks
 * wait for it for some milliseconds. A pg_dump has locked the table: here it prevents that. On a
 * standby PostgreSQL would end it, so while a standby holds old rows (hot_standby_feedback), the
 * table may grow to sixteen times the size. */
#define TIDY                                                                                       \
	"DO $$ DECLARE kept hint_beat[]; BEGIN "                                                   \
	"DELETE FROM hint_beat WHERE seen_at < clock_timestamp() - interval '1 hour'; "            \
	"IF pg_relation_size('hint_beat') < (CASE WHEN EXISTS (SELECT FROM ("                      \
	"SELECT backend_xmin FROM pg_stat_replication UNION ALL "                                  \
	"SELECT xmin FROM pg_replication_slots) AS held WHERE age(backend_xmin) > 10000) "         \
	"THEN 16777216 ELSE 1048576 END) THEN RETURN; END IF; "                                    \
	"LOCK TABLE hint_beat IN ACCESS EXCLUSIVE MODE NOWAIT; "                                   \
	"kept := ARRAY(SELECT hint_beat FROM hint_beat); "                                         \
	"TRUNCATE hint_beat; "                                                                     \
	"INSERT INTO hint_beat SELECT * FROM unnest(kept); "                                       \
	"EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN NULL; END $$"

static const unsigned notify_parameters[] = {OID_TEXT};
static const unsigned notify_columns[] = {OID_TEXT, OID_VOID};
static const char *const notify_column_names[] = {"set_config", "pg_notify"};

static const unsigned end_parameters[] = {OID_INT4, OID_INT8};
static const unsigned end_columns[] = {OID_BOOL};
static const char *const end_column_names[] = {"ended"};

static const unsigned beat_parameters[] = {OID_UUID, OID_INT4, OID_TIMESTAMPTZ};
static const unsigned look_columns[LOOK_COLUMNS] = {
    OID_UUID, OID_INT4, OID_TIMESTAMPTZ, OID_TIMESTAMPTZ, OID_BOOL, OID_TIMESTAMPTZ,
};
static const char *const look_column_names[LOOK_COLUMNS] = {
    "instance", "worker", "through_at", "seen_at", "has_left", "clock",
};

/* All count as writes, so that the pipeline answers them after their sync. */
const struct statement_entry hint_statements[HINT_STATEMENTS] = {
    [HINT_NOTIFY] =
	{
	    .name = "notify",
	    /* A lost hint is noticed, so its commit need not wait for the disk. */
	    .text = "SELECT set_config('synchronous_commit', 'off', true), "
		    "pg_notify('displayd_hint', $1)",
	    .effect = EFFECT_WRITE,
	    .parameter_count = 1,
	    .parameter_types = notify_parameters,
	    .column_count = 2,
	    .column_names = notify_column_names,
	    .column_types = notify_columns,
	},
    [HINT_END] =
	{
	    .name = "end",
	    .text = "SELECT pg_terminate_backend($1) AS ended FROM pg_stat_get_activity($1) "
		    "WHERE (extract(epoch FROM backend_start) * 1000000)::int8 = $2",
	    .effect = EFFECT_WRITE,
	    .parameter_count = array_length(end_parameters),
	    .parameter_types = end_parameters,
	    .column_count = 1,
	    .column_names = end_column_names,
	    .column_types = end_columns,
	},
    [HINT_PING] = {.name = "ping", .text = "SELECT", .effect = EFFECT_WRITE},
    [HINT_LOOK] =
	{
	    .name = "look",
	    .text = LOOK,
	    .effect = EFFECT_WRITE,
	    .parameter_count = 1,
	    .parameter_types = beat_parameters,
	    .column_count = LOOK_COLUMNS,
	    .column_names = look_column_names,
	    .column_types = look_columns,
	},
    [HINT_BEAT] =
	{
	    .name = "beat",
	    /* Only a hung session of this instance can hold the row. */
	    .text = "WITH beat AS (INSERT INTO hint_beat (instance, worker, through_at, seen_at) "
		    "SELECT $1, $2, $3, clock_timestamp() "
		    "FROM set_config('lock_timeout', '200', true) "
		    "ON CONFLICT (instance, worker) DO UPDATE SET through_at = "
		    "excluded.through_at, seen_at = excluded.seen_at, has_left = false) " LOOK,
	    .effect = EFFECT_WRITE,
	    .parameter_count = 3,
	    .parameter_types = beat_parameters,
	    .column_count = LOOK_COLUMNS,
	    .column_names = look_column_names,
	    .column_types = look_columns,
	},
    [HINT_LEAVE] =
	{
	    .name = "leave",
	    .text = "UPDATE hint_beat SET has_left = true, seen_at = clock_timestamp() "
		    "WHERE instance = $1 AND worker = $2",
	    .effect = EFFECT_WRITE,
	    .parameter_count = 2,
	    .parameter_types = beat_parameters,
	},
    [HINT_TIDY] = {.name = "tidy", .text = TIDY, .effect = EFFECT_WRITE},
    [HINT_LISTEN] = {.name = "listen", .text = "LISTEN displayd_hint", .effect = EFFECT_WRITE},
    [HINT_UNLISTEN] = {.name = "unlisten",
		       .text = "UNLISTEN displayd_hint",
		       .effect = EFFECT_WRITE},
};
