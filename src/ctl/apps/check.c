#include "ctl/ctl.h"
#include "domain/person.h"
#include "domain/studio.h"

#include <text/utf8.h>

/* Returns 0 if fault is NULL, else -1 with the fault in reterr. */
static int tell(const char *fault, struct options_error *reterr)
{
	return fault ? options_error_set(reterr, "%s", fault) : 0;
}

int ctl_check_account(char *value, struct options_error *reterr)
{
	return tell(email_check(str_from(value)), reterr);
}

int ctl_check_name(char *value, struct options_error *reterr)
{
	struct str name = str_from(value);

	if (!utf8_is_valid(name))
		return tell("must be UTF-8", reterr);
	if (name.length == 0 || utf8_length(name) > ACCOUNT_NAME_LENGTH_MAX)
		return options_error_set(reterr, "must have 1 to %d characters",
					 ACCOUNT_NAME_LENGTH_MAX);
	return tell(device_name_check(name), reterr);
}

static int check_text(struct str text, size_t length_max, struct options_error *reterr)
{
	if (!utf8_is_valid(text))
		return tell("must be UTF-8", reterr);
	if (utf8_length(text) > length_max)
		return tell("is too long", reterr);
	return tell(app_text_check(text), reterr);
}

int ctl_check_description(char *value, struct options_error *reterr)
{
	return check_text(str_from(value), APP_DESCRIPTION_LENGTH_MAX, reterr);
}

int ctl_check_remark(char *value, struct options_error *reterr)
{
	if (!value[0])
		return tell("must not be empty", reterr);
	return check_text(str_from(value), REVIEW_REMARK_LENGTH_MAX, reterr);
}

int ctl_check_line(char *value, struct options_error *reterr)
{
	unsigned long long line;
	bool is_line = str_to_uint64(str_from(value), INT32_MAX, &line) && line > 0;

	return tell(is_line ? NULL : "must be a number from 1", reterr);
}

int ctl_check_serial(char *value, struct options_error *reterr)
{
	return tell(device_serial_check(str_from(value)), reterr);
}
