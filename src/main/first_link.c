#include "main/first_link.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/hosts.h"
#include "db/statements.h"
#include "domain/key.h"

#include <libpq-fe.h>

/* Makes a link. Returns the number of links made: one, or none if there is an account; -1 if the
 * database failed. */
static int make_link(PGconn *connection, struct str secret_hash)
{
	struct arena arena = {0};
	struct db_query query;
	const struct db_parameters *parameters = &query.parameters;
	const struct statement_entry *entry = &statements[STATEMENT_FIRST_LINK_CREATE];
	int formats[DB_PARAMETERS_MAX];
	PGresult *result;
	int made = -1;

	db_query_init(&query, &arena);
	statement_first_link_create(&query,
				    &(struct first_link_create_parameters){
					.id = id_new(),
					.secret_hash = secret_hash,
					.life_s = LIMIT_LINK_S,
				    },
				    NULL);
	for (unsigned i = 0; i < parameters->count; i++)
		formats[i] = 1;
	result =
	    PQexecParams(connection, entry->text, (int)parameters->count, entry->parameter_types,
			 parameters->values, parameters->lengths, formats, /* resultFormat= */ 1);
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		made = PQntuples(result);
	PQclear(result);
	arena_finish(&arena);
	return made;
}

void first_link_print(const char *database_url, struct timeline_known *known,
		      const char *public_url)
{
	const struct hosts_use use = HOSTS_USE_OF_PRIMARY("displayd");
	struct hosts_failure failure;
	PGconn *connection = hosts_connect_once(database_url, &use, known, &failure);
	char token[TOKEN_LENGTH + 1], link[512];
	uint8_t hash[KEY_HASH_BYTES];
	int made = -1;

	token_new(token);
	key_hash(str_from(token), hash);
	if (connection)
		made = make_link(connection, (struct str){(const char *)hash, KEY_HASH_BYTES});
	PQfinish(connection);
	snprintf(link, sizeof(link), "%s/link#%s", public_url, token);
	if (made > 0)
		log_info("supervisor",
			 "no account exists yet, this link creates the first one, an administrator",
			 LOG_TEXT("link", link));
	else if (made < 0)
		log_warn(
		    "supervisor",
		    "cannot create the link for the first account, try displayctl account link");
}
