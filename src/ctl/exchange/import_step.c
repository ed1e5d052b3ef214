#include "ctl/exchange/import_lines.h"

enum ctl_exit import_fail_line(const struct account_import *import, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return ctl_fail(CTL_REFUSED, "line %llu of the file: %s; nothing was changed",
			(unsigned long long)import->reader.count, text);
}

/* Explains the constraint, in this instance or in the file itself. */
static const char *explain(enum refusal refusal)
{
	switch (refusal) {
	case REFUSAL_EMAIL_TAKEN:
		return "there is an account with this e-mail address already: remove it first, or "
		       "give another address with --email";
	case REFUSAL_APP_TAKEN:
		return "there is an app with this ID already: was the account imported before?";
	case REFUSAL_SLUG_TAKEN:
		return "there is another app with this slug";
	case REFUSAL_VERSION_NAME_USED:
		return "its app has a version of this name already";
	case REFUSAL_REVIEW_PENDING:
		return "two versions of its app await review";
	case REFUSAL_TOO_MANY_VERSIONS:
		return "its app has as many versions as an app may have";
	case REFUSAL_VERSION_NOT_APPROVED:
		return "it is deployed, and was not approved";
	case REFUSAL_WRONG_REVIEW:
		return "its review does not go with its status";
	case REFUSAL_DEVICE_TAKEN:
		return "there is a device with this ID already: was the account imported before?";
	case REFUSAL_SERIAL_TAKEN:
		return "there is another device with this serial number";
	case REFUSAL_MAC_TAKEN:
		return "there is another device with this MAC address";
	case REFUSAL_UNKNOWN_TIMEZONE:
		return "the database does not know its time zone";
	case REFUSAL_TOO_MANY_INSTALLATIONS:
		return "its device has 100 entries already";
	case REFUSAL_ENTRY_TAKEN:
		return "its device has an entry with this ID already";
	case REFUSAL_KEY_TAKEN:
		return "there is such a key already: was the account imported before?";
	case REFUSAL_TOO_MANY_KEYS:
		return "the account has as many keys as it may have";
	case REFUSAL_PASSKEY_KNOWN:
		return "an account has this passkey already";
	case REFUSAL_TOO_MANY_PASSKEYS:
		return "the account has as many passkeys as it may have";
	case REFUSAL_NOT_STORABLE:
		return "one of its values cannot be stored: a time, a number or a text that the "
		       "database has not";
	default:
		return "a rule stands against it";
	}
}

/* Name of the line's object among several. */
static struct str name_of(const struct account_line *line)
{
	switch (line->kind) {
	case ACCOUNT_LINE_APP:
		return line->slug;
	case ACCOUNT_LINE_ENTRY:
		return line->entry_id;
	case ACCOUNT_LINE_ACCOUNT:
		return line->email;
	default:
		return line->name;
	}
}

enum ctl_exit import_run(struct account_import *import, const struct account_line *line,
			 bool *ret_has_row)
{
	struct ctl_rows rows = {0};
	enum ctl_exit code = ctl_query(import->ctl, &rows);
	struct str name = name_of(line);

	if (code != CTL_DONE)
		return code;
	if (rows.refusal != REFUSAL_NONE)
		return import_fail_line(import, "%s \"%.*s\": %s", account_line_names[line->kind],
					STR_ARG(name), explain(rows.refusal));
	*ret_has_row = rows.count > 0;
	return CTL_DONE;
}
