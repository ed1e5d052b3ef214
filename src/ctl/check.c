#include "base/utf8.h"
#include "ctl/ctl.h"
#include "domain/device.h"

enum { EMAIL_LENGTH_MIN = 3, EMAIL_LENGTH_MAX = 254, EMAIL_LOCAL_MAX = 64 };

/* Not all that RFC 5322 allows, but all that people have: a quoted or commented address is refused,
 * one in another script is not (RFC 6531). */
const char *ctl_check_email(struct str email)
{
	size_t at = str_find(email, '@');
	struct str domain, rest = email;

	if (!utf8_is_valid(email))
		return "must be UTF-8";
	if (utf8_length(email) < EMAIL_LENGTH_MIN || utf8_length(email) > EMAIL_LENGTH_MAX)
		return "must have 3 to 254 characters";
	while (rest.length) {
		uint32_t c = utf8_next(&rest);

		if (utf8_is_control(c) || utf8_is_space(c))
			return "must have no white space and no control characters";
		if (c < 128 && strchr("\"(),:;<>[\\]", (int)c))
			return "has a character that no e-mail address has";
	}
	if (at == 0 || at >= email.length - 1)
		return "must be an e-mail address: NAME@DOMAIN";
	domain = str_from_offset(email, at + 1);
	if (str_find(domain, '@') != domain.length)
		return "must have one @";
	if (at > EMAIL_LOCAL_MAX)
		return "has more than 64 characters before the @";
	if (domain.data[0] == '.' || domain.data[0] == '-' ||
	    domain.data[domain.length - 1] == '.' || domain.data[domain.length - 1] == '-' ||
	    memmem(email.data, email.length, "..", 2) || email.data[0] == '.' ||
	    email.data[at - 1] == '.')
		return "has a dot or dash where no e-mail address has one";
	return NULL;
}

const char *ctl_check_name(struct str name, size_t length_max)
{
	if (!utf8_is_valid(name))
		return "must be UTF-8";
	if (name.length == 0 || utf8_length(name) > length_max)
		return length_max == DEVICE_NAME_LENGTH_MAX ? "must have 1 to 25 characters"
							    : "must have 1 to 100 characters";
	return device_name_check(name);
}
