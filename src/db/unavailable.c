#include "db/unavailable.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <text/str.h>

enum { SQLSTATE_LENGTH = 5 };

static const char *const texts[] = {
    [UNAVAILABLE_NOT] = "it can",
    [UNAVAILABLE_CLOSED] = "nothing listens at its address",
    [UNAVAILABLE_UNKNOWN] = "its host name is unknown",
    [UNAVAILABLE_SILENT] = "it does not answer",
    [UNAVAILABLE_STARTING] = "it is starting or stopping",
    [UNAVAILABLE_FULL] = "it accepts no more connections",
    [UNAVAILABLE_READ_ONLY] = "it is read-only",
    [UNAVAILABLE_REPLACED] = "it is a copy that was replaced: another server has newer data",
    [UNAVAILABLE_OTHER_SYSTEM] =
	"it is another database than before; if that is right, run displayctl database accept",
    [UNAVAILABLE_ENDED] = "it closed the connection",
    [UNAVAILABLE_OTHER] = "see the log for its error",
    [UNAVAILABLE_CERTIFICATE] = "a certificate is not valid, or TLS is missing",
    [UNAVAILABLE_PASSWORD] = "it rejects the password",
    [UNAVAILABLE_REFUSED] = "it does not allow this user",
    [UNAVAILABLE_SHUT] = "this user may not open its socket",
    [UNAVAILABLE_NO_DATABASE] = "it has no database with this name",
    [UNAVAILABLE_SETTINGS] = "the connection settings are wrong",
    [UNAVAILABLE_SCHEMA] = "its schema does not match this displayd",
    [UNAVAILABLE_POOLER] =
	"a pooler such as PgBouncer is in front of it, and --session-pooler is not set",
    [UNAVAILABLE_SHARED] = "the pooler in front of it does not keep sessions apart",
    [UNAVAILABLE_KEY] =
	"its secret settings, or another displayd that uses it, have a different secret-key",
};

const char *unavailable_text(enum unavailable unavailable)
{
	return texts[unavailable];
}

bool unavailable_may_pass(enum unavailable unavailable)
{
	return unavailable <= UNAVAILABLE_OTHER;
}

struct meaning {
	const char *sign; /* beginning of the SQLSTATE, or words of libpq */
	enum unavailable unavailable;
};

/* SQLSTATEs, or their first two characters for a whole class. The first match counts. */
static const struct meaning states[] = {
    {"28P01", UNAVAILABLE_PASSWORD}, {"28", UNAVAILABLE_REFUSED},
    {"42501", UNAVAILABLE_REFUSED},  {"3D000", UNAVAILABLE_NO_DATABASE},
    {"57014", UNAVAILABLE_SILENT},   {"57", UNAVAILABLE_STARTING},
    {"53300", UNAVAILABLE_FULL},     {"25006", UNAVAILABLE_READ_ONLY},
    {"42P05", UNAVAILABLE_SHARED},   {"26000", UNAVAILABLE_SHARED},
    {"42", UNAVAILABLE_SCHEMA},	     {"3F000", UNAVAILABLE_SCHEMA},
};

static const struct meaning words[] = {
    {"no password supplied", UNAVAILABLE_PASSWORD},
    {"ertificate", UNAVAILABLE_CERTIFICATE},
    {"SSL error", UNAVAILABLE_CERTIFICATE},
    {"does not support SSL", UNAVAILABLE_CERTIFICATE},
    {"private key", UNAVAILABLE_CERTIFICATE},
    {"could not translate host name", UNAVAILABLE_UNKNOWN},
    {"Connection refused", UNAVAILABLE_CLOSED},
    {"No such file or directory", UNAVAILABLE_CLOSED},
    {"Permission denied", UNAVAILABLE_SHUT},
    {"timeout expired", UNAVAILABLE_SILENT},
    {"Connection timed out", UNAVAILABLE_SILENT},
    {"No route to host", UNAVAILABLE_SILENT},
    {"is unreachable", UNAVAILABLE_SILENT},
    {"read-only", UNAVAILABLE_READ_ONLY},
    {"hot standby", UNAVAILABLE_READ_ONLY},
    /* Poolers' errors have one code for all. */
    {"password", UNAVAILABLE_PASSWORD},
};

enum unavailable unavailable_from_sqlstate(const char *sqlstate)
{
	for (size_t i = 0; i < array_length(states); i++) {
		if (strncmp(sqlstate, states[i].sign, strlen(states[i].sign)) == 0)
			return states[i].unavailable;
	}
	return UNAVAILABLE_OTHER;
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

enum unavailable unavailable_from_error(const char *text, bool was_open)
{
	const char *sqlstate = find_sqlstate(text);
	enum unavailable unavailable =
	    sqlstate ? unavailable_from_sqlstate(sqlstate) : UNAVAILABLE_OTHER;

	/* On an open connection, statements fail for other reasons. */
	if (was_open)
		return unavailable == UNAVAILABLE_STARTING ? UNAVAILABLE_STARTING
							   : UNAVAILABLE_ENDED;
	for (size_t i = 0; i < array_length(words) && unavailable == UNAVAILABLE_OTHER; i++) {
		if (strstr(text, words[i].sign))
			unavailable = words[i].unavailable;
	}
	/* libpq names the server of each attempt. If it names none, it never tried: the settings
	 * are wrong. */
	if (unavailable == UNAVAILABLE_OTHER && !strstr(text, "connection to server "))
		unavailable = UNAVAILABLE_SETTINGS;
	return unavailable;
}

bool unavailable_is_pooled(const PGconn *pg, const char *backend_pid)
{
	return strtol(backend_pid, NULL, 10) != PQbackendPID(pg);
}
