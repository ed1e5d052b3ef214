#include "base/memory.h"
#include "db/backup.h"
#include "db/migrate.h"

#include <string.h>

const char backup_sql_tables[] =
    "SELECT c.relname, string_agg(a.attname, E'\\n' ORDER BY a.attnum) "
    "FROM pg_class AS c "
    "JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema() "
    "JOIN pg_attribute AS a ON a.attrelid = c.oid "
    "WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' "
    /* Excludes the key of challenges: a restored instance makes another. */
    "AND (c.relname, a.attname) <> ('site', 'challenge_key') "
    "GROUP BY c.relname ORDER BY c.relname COLLATE \"C\"";

/* Only the sequence itself has the value that it returns first, after ALTER SEQUENCE RESTART. */
const char backup_sql_sequences[] =
    "SELECT s.relname, t.relname, format('SELECT last_value, is_called FROM %I', s.relname) "
    "FROM pg_class AS s "
    "JOIN pg_namespace AS n ON n.oid = s.relnamespace AND n.nspname = current_schema() "
    "LEFT JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid "
    "AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') "
    "LEFT JOIN pg_class AS t ON t.oid = d.refobjid "
    "WHERE s.relkind = 'S' "
    "ORDER BY s.relname COLLATE \"C\"";

static const char *const left_out[] = {"account_import", "account_import_line",
				       "account_link",	 "hint_beat",
				       "session",	 "used_challenge"};

bool backup_takes_table(const char *name)
{
	for (unsigned i = 0; i < array_length(left_out); i++) {
		if (strcmp(name, left_out[i]) == 0)
			return false;
	}
	return migrate_makes("TABLE", name);
}

bool backup_takes_sequence(const char *name, const char *table)
{
	return table[0] ? backup_takes_table(table) : migrate_makes("SEQUENCE", name);
}

void backup_copy_sql(struct buffer *sql, struct str name, struct str columns, const char *way)
{
	const char *separator = "";
	struct str column;

	/* Names need no escaping: they come from the reader of a backup, which checks them,
	 * or from the database. */
	buffer_printf(sql, "COPY \"%.*s\" (", STR_ARG(name));
	while (str_next(&columns, '\n', &column)) {
		buffer_printf(sql, "%s\"%.*s\"", separator, STR_ARG(column));
		separator = ", ";
	}
	buffer_printf(sql, ") %s (FORMAT binary)", way);
	buffer_append_char(sql, '\0');
}
