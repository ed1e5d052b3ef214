#include "main/secret_key_check.h"
#include "db/result.h"
#include "db/statements.h"

/* Runs a statement. Returns the rows, or NULL with a reason. */
static PGresult *secret_key_check_run(PGconn *connection, const struct db_query *query,
				      struct reason *reterr)
{
	const struct db_parameters *parameters = &query->parameters;
	const struct statement_entry *entry = &statements[query->statement];
	int formats[DB_PARAMETERS_MAX];
	PGresult *result;

	for (unsigned i = 0; i < parameters->count; i++)
		formats[i] = 1;
	result =
	    PQexecParams(connection, entry->text, (int)parameters->count, entry->parameter_types,
			 parameters->values, parameters->lengths, formats, /* resultFormat= */ 1);
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return result;
	reason_set(reterr, "cannot compare the key for secret settings with the database: %.*s",
		   STR_ARG(result_first_line(PQerrorMessage(connection))));
	PQclear(result);
	return NULL;
}

static struct str fingerprint_of(const struct settings_key *key, struct arena *arena)
{
	uint8_t bytes[SETTINGS_KEY_BYTES];

	settings_key_fingerprint(key, bytes);
	return arena_copy(arena, (struct str){(const char *)bytes, sizeof(bytes)});
}

/* Reads rows. Returns their number, or -1 with a reason. */
static int read_rows(PGconn *connection, struct db_query *query, struct arena *arena,
		     const void **ret_rows, struct reason *reterr)
{
	PGresult *result = secret_key_check_run(connection, query, reterr);
	struct db_result rows;
	int count;

	if (!result)
		return -1;
	rows = result_rows(result);
	count = (int)rows.row_count;
	*ret_rows = db_read_rows(&rows, query->record, arena);
	PQclear(result);
	return count;
}

static int set_fingerprint(PGconn *connection, struct str fingerprint, bool replaces,
			   struct arena *arena, struct reason *reterr)
{
	struct db_query query;
	const void *rows;

	db_query_init(&query, arena);
	statement_secret_key_set(
	    &query,
	    &(struct secret_key_set_parameters){.fingerprint = fingerprint, .replaces = replaces},
	    NULL);
	return read_rows(connection, &query, arena, &rows, reterr);
}

static enum secret_key_check refuse_other(const struct secret_key_location *location,
					  struct reason *reterr)
{
	static const char remedy[] =
	    "put the right key there, from a backup (displayctl restore) or from the machine that "
	    "had it; if it is lost, run \"displayctl database rekey\" to continue with another "
	    "one, and enter secret settings of apps, MQTT passwords and webhooks again";

	if (location->file)
		reason_set(reterr, "the key in %s did not encrypt the secrets in the database: %s",
			   location->file, remedy);
	else
		reason_set(reterr,
			   "the secrets in the database are encrypted with another key: "
			   "%s/secret-key %s; %s",
			   location->state_dir, location->is_new ? "is missing" : "is not that one",
			   remedy);
	return SECRET_KEY_REFUSED;
}

static enum secret_key_check refuse_beside(struct reason *reterr)
{
	reason_set(reterr, "another displayd on this database has a different key for secret "
			   "settings: give all of them the same --secret-key-file");
	return SECRET_KEY_REFUSED;
}

/* Reads some stored secrets of each kind. Returns their number, or -1 with a reason. *ret_fits:
 * whether the key decrypts one. */
static int try_secrets(PGconn *connection, const struct settings_key *key, struct arena *arena,
		       bool *ret_fits, struct reason *reterr)
{
	const struct secrets_newest_row *rows;
	struct db_query query;
	struct str text;
	int count;

	*ret_fits = false;
	db_query_init(&query, arena);
	statement_secrets_newest(&query, NULL);
	count = read_rows(connection, &query, arena, (const void **)&rows, reterr);
	for (int i = 0; i < count && !*ret_fits; i++)
		*ret_fits = settings_decrypt(key, rows[i].owner_id, rows[i].label, rows[i].secret,
					     arena, &text);
	return count;
}

/* Stores the fingerprint if the database has none yet, unless the key decrypts none of its secrets.
 */
static enum secret_key_check try_key(PGconn *connection, const struct settings_key *key,
				     const struct secret_key_location *location,
				     struct arena *arena, struct reason *reterr)
{
	bool fits;
	int count = try_secrets(connection, key, arena, &fits, reterr);

	if (count > 0 && !fits)
		return refuse_other(location, reterr);
	if (count < 0 ||
	    set_fingerprint(connection, fingerprint_of(key, arena), false, arena, reterr) < 0)
		return SECRET_KEY_FAILED;
	return SECRET_KEY_FITS;
}

/* Takes the key in place of the one whose fingerprint is stored, if no secret would be lost. */
static enum secret_key_check try_other(PGconn *connection, const struct settings_key *key,
				       const struct secret_key_location *location,
				       struct arena *arena, struct reason *reterr)
{
	bool fits;
	int count = try_secrets(connection, key, arena, &fits, reterr);
	enum secret_key_check result;

	if (count < 0)
		return SECRET_KEY_FAILED;
	if (count)
		return refuse_other(location, reterr);
	result = secret_key_accept(connection, key, reterr);
	return result == SECRET_KEY_REFUSED ? refuse_beside(reterr) : result;
}

static enum secret_key_check check(PGconn *connection, const struct settings_key *key,
				   const struct secret_key_location *location, struct arena *arena,
				   struct reason *reterr)
{
	struct str own = fingerprint_of(key, arena);
	const struct secret_key_look_row *found;
	struct db_query query;

	db_query_init(&query, arena);
	statement_secret_key_look(&query, &(struct secret_key_look_parameters){.fingerprint = own},
				  NULL);
	if (read_rows(connection, &query, arena, (const void **)&found, reterr) != 1)
		return SECRET_KEY_FAILED;
	if (found->fingerprint.data && !str_equal(found->fingerprint, own))
		return try_other(connection, key, location, arena, reterr);
	if (!found->is_admitted)
		return refuse_beside(reterr);
	if (found->fingerprint.data)
		return SECRET_KEY_FITS;
	return try_key(connection, key, location, arena, reterr);
}

enum secret_key_check secret_key_check(PGconn *connection, const struct settings_key *key,
				       const struct secret_key_location *location,
				       struct reason *reterr)
{
	struct arena arena = {0};
	enum secret_key_check result = check(connection, key, location, &arena, reterr);

	arena_finish(&arena);
	return result;
}

/* Changes both or neither, so that a running server with another key is not affected. */
static enum secret_key_check rekey(PGconn *connection, const struct settings_key *key,
				   struct arena *arena, struct reason *reterr)
{
	struct str own = fingerprint_of(key, arena);
	const struct secret_key_look_row *found;
	struct db_query query;

	if (set_fingerprint(connection, own, true, arena, reterr) < 0)
		return SECRET_KEY_FAILED;
	db_query_init(&query, arena);
	statement_secret_key_look(&query, &(struct secret_key_look_parameters){.fingerprint = own},
				  NULL);
	if (read_rows(connection, &query, arena, (const void **)&found, reterr) != 1)
		return SECRET_KEY_FAILED;
	if (found->is_admitted)
		return SECRET_KEY_FITS;
	reason_set(reterr, "another displayd runs on this database with the key of now: stop all "
			   "that use it, run \"displayctl database rekey\" again, then start them, "
			   "each with the new key");
	return SECRET_KEY_REFUSED;
}

enum secret_key_check secret_key_accept(PGconn *connection, const struct settings_key *key,
					struct reason *reterr)
{
	struct arena arena = {0};
	enum secret_key_check result;

	PQclear(PQexec(connection, "BEGIN"));
	result = rekey(connection, key, &arena, reterr);
	arena_finish(&arena);
	PQclear(PQexec(connection, result == SECRET_KEY_FITS ? "COMMIT" : "ROLLBACK"));
	return result;
}
