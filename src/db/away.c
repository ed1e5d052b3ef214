#include "db/away.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <text/str.h>

enum { SQLSTATE_LENGTH = 5 };

static const char *const texts[] = {
    [AWAY_NOT] = "it can",
    [AWAY_CLOSED] = "nothing listens at its address",
    [AWAY_UNKNOWN] = "the name of its host is unknown",
    [AWAY_SILENT] = "it does not answer",
    [AWAY_STARTING] = "it is starting or stopping",
    [AWAY_FULL] = "it takes no more connections",
    [AWAY_READ_ONLY] = "it is read-only",
    [AWAY_ENDED] = "it has ended the connection",
    [AWAY_OTHER] = "the log has its words",
    [AWAY_CERTIFICATE] = "a certificate is not valid, or TLS is missing",
    [AWAY_PASSWORD] = "it refuses the password",
    [AWAY_REFUSED] = "it does not admit this user",
    [AWAY_SHUT] = "its socket is shut to this user",
    [AWAY_NO_DATABASE] = "it has no database of this name",
    [AWAY_SETTINGS] = "the settings of the connection are wrong",
    [AWAY_SCHEMA] = "its schema is not the one of this displayd",
    [AWAY_POOLER] = "a pooler such as PgBouncer stands before it, and --session-pooler is not set",
    [AWAY_SHARED] = "the pooler before it does not keep sessions apart",
    [AWAY_KEY] = "its secret settings, or another displayd that uses it, have another secret-key",
};

const char *away_text(enum away away)
{
	return texts[away];
}

bool away_may_pass(enum away away)
{
	return away <= AWAY_OTHER;
}

struct meaning {
	const char *sign; /* how the SQLSTATE begins, or words of libpq */
	enum away away;
};

/* SQLSTATEs, or their first two characters for a whole class. The first match counts. */
static const struct meaning states[] = {
    {"28P01", AWAY_PASSWORD},	 {"28", AWAY_REFUSED},	    {"42501", AWAY_REFUSED},
    {"3D000", AWAY_NO_DATABASE}, {"57014", AWAY_SILENT},    {"57", AWAY_STARTING},
    {"53300", AWAY_FULL},	 {"25006", AWAY_READ_ONLY}, {"42P05", AWAY_SHARED},
    {"26000", AWAY_SHARED},	 {"42", AWAY_SCHEMA},	    {"3F000", AWAY_SCHEMA},
};

static const struct meaning words[] = {
    {"no password supplied", AWAY_PASSWORD},
    {"ertificate", AWAY_CERTIFICATE},
    {"SSL error", AWAY_CERTIFICATE},
    {"does not support SSL", AWAY_CERTIFICATE},
    {"private key", AWAY_CERTIFICATE},
    {"could not translate host name", AWAY_UNKNOWN},
    {"Connection refused", AWAY_CLOSED},
    {"No such file or directory", AWAY_CLOSED},
    {"Permission denied", AWAY_SHUT},
    {"timeout expired", AWAY_SILENT},
    {"Connection timed out", AWAY_SILENT},
    {"No route to host", AWAY_SILENT},
    {"is unreachable", AWAY_SILENT},
    {"read-only", AWAY_READ_ONLY},
    {"hot standby", AWAY_READ_ONLY},
    /* Poolers' errors have one code for all. */
    {"password", AWAY_PASSWORD},
};

enum away away_from_sqlstate(const char *sqlstate)
{
	for (size_t i = 0; i < array_length(states); i++) {
		if (strncmp(sqlstate, states[i].sign, strlen(states[i].sign)) == 0)
			return states[i].away;
	}
	return AWAY_OTHER;
}

/* "FATAL:  28P01: password authentication failed": the code, or NULL. */
static const char *find_sqlstate(const char *text)
{
	for (const char *at = text; (at = strstr(at, ":  ")); at++) {
		size_t length = 0;

		while (isupper((unsigned char)at[3 + length]) ||
		       isdigit((unsigned char)at[3 + length]))
			length++;
		if (length == SQLSTATE_LENGTH && at[3 + length] == ':')
			return at + 3;
	}
	return NULL;
}

enum away away_from_error(const char *text, bool was_open)
{
	const char *sqlstate = find_sqlstate(text);
	enum away away = sqlstate ? away_from_sqlstate(sqlstate) : AWAY_OTHER;

	/* Statements of a connection that was open fail for reasons of their own. */
	if (was_open)
		return away == AWAY_STARTING ? AWAY_STARTING : AWAY_ENDED;
	for (size_t i = 0; i < array_length(words) && away == AWAY_OTHER; i++) {
		if (strstr(text, words[i].sign))
			away = words[i].away;
	}
	/* libpq names the server of each attempt. If it names none, it never tried: the settings
	 * are wrong. */
	if (away == AWAY_OTHER && !strstr(text, "connection to server "))
		away = AWAY_SETTINGS;
	return away;
}

bool away_is_pooled(const PGconn *pg, const char *backend_pid)
{
	return strtol(backend_pid, NULL, 10) != PQbackendPID(pg);
}
