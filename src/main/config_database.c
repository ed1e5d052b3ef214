#include "main/config_database.h"

#include <libpq-fe.h>
#include <string.h>

/* Shown instead of a password. */
static const char hidden_password[] = "****";

int config_check_database(char *value, struct options_error *reterr)
{
	PQconninfoOption *parsed = PQconninfoParse(value, NULL);

	bool is_hidden = false;

	/* libpq's own text may quote the value, and thus a password. */
	if (!parsed)
		return options_error_set(
		    reterr, "must be a PostgreSQL URL (postgresql://USER@HOST/NAME) or a list such "
			    "as \"host=... dbname=...\"");
	for (const PQconninfoOption *one = parsed; one->keyword; one++)
		is_hidden |= one->val && strcmp(one->val, hidden_password) == 0;
	PQconninfoFree(parsed);
	if (is_hidden)
		return options_error_set(reterr,
					 "contains %s, which --check-config prints instead of a "
					 "password: write the password itself",
					 hidden_password);
	return 0;
}

/* Quotes the value for libpq. */
static void write_quoted(const char *value, FILE *out)
{
	bool is_plain = *value && !strpbrk(value, " '\\");

	if (!is_plain)
		fputc('\'', out);
	for (; *value; value++) {
		if (strchr("'\\", *value))
			fputc('\\', out);
		fputc(*value, out);
	}
	if (!is_plain)
		fputc('\'', out);
}

void config_show_database(const char *value, FILE *out)
{
	PQconninfoOption *parsed = PQconninfoParse(value, NULL);
	const char *space = "";

	for (const PQconninfoOption *one = parsed; one && one->keyword; one++) {
		if (!one->val)
			continue;
		/* libpq marks secrets with "*". */
		fprintf(out, "%s%s=", space, one->keyword);
		write_quoted(one->dispchar[0] == '*' && one->val[0] ? hidden_password : one->val,
			     out);
		space = " ";
	}
	PQconninfoFree(parsed);
}
