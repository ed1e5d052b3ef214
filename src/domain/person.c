#include "domain/person.h"
#include "domain/device.h"

#include <text/utf8.h>

enum { EMAIL_LOCAL_MAX = 64 };

/* Accepts all common addresses, but not all that RFC 5322 allows: refuses quoted and commented
 * addresses, but accepts other scripts (RFC 6531). */
const char *email_check(struct str email)
{
	size_t at = str_find(email, '@');
	struct str domain, rest = email;

	if (!utf8_is_valid(email))
		return "must be UTF-8";
	if (email.length < EMAIL_LENGTH_MIN || utf8_length(email) < EMAIL_LENGTH_MIN ||
	    utf8_length(email) > EMAIL_LENGTH_MAX)
		return "must have 3 to 254 characters";
	while (rest.length) {
		uint32_t c = utf8_next(&rest);

		if (utf8_is_control(c) || utf8_is_space(c))
			return "must have no white space and no control characters";
		if (c < 128 && strchr("\"(),:;<>[\\]", (int)c))
			return "has a character that is not allowed in an e-mail address";
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
		return "has a dot or dash in a wrong position";
	return NULL;
}

/* ---- bodies ---- */

void person_change_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

void person_registration_check(void *body, uint64_t seen, struct faults *faults)
{
	const struct registration *registration = body;
	const char *fault =
	    password_check_for(registration->password, registration->email, registration->name);

	(void)seen;
	if (fault)
		faults_add(faults, STR("password"), "%s", fault);
	if (registration->name.length &&
	    str_equal_ignore_case(registration->name, registration->email))
		faults_add(faults, STR("name"), "%s", NAME_IS_ADDRESS);
}

/* Reads the passkey's assertion in a body, and requires a password or a passkey. name: member with
 * the password. */
static void read_reauthentication(struct reauthentication *authentication, const char *name,
				  struct faults *faults)
{
	struct faults inner;
	uint64_t present;

	if (!authentication->passkey_json) {
		if (!authentication->password.length && faults->count == 0)
			faults_add(faults, str_from(name), "is required, or a passkey");
		return;
	}
	faults_init(&inner, faults->arena);
	record_read_json(&assertion_record, authentication->passkey_json, &authentication->passkey,
			 &present, &inner);
	if (inner.count == 0)
		return;
	authentication->passkey = (struct assertion){0};
	faults_add(faults, STR("passkey"), "must be the signed answer of a passkey: %.*s",
		   STR_ARG(faults_sentence(&inner)));
}

void person_password_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct password_change *change = body;

	(void)seen;
	read_reauthentication(&change->authentication, "currentPassword", faults);
}

void person_reauthentication_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)seen;
	read_reauthentication(body, "password", faults);
}

void person_passkey_creation_check(void *body, uint64_t seen, struct faults *faults)
{
	struct passkey_creation *creation = body;

	(void)seen;
	read_reauthentication(&creation->authentication, "password", faults);
}

void person_backup_order_check(void *body, uint64_t seen, struct faults *faults)
{
	struct backup_order *order = body;

	(void)seen;
	read_reauthentication(&order->authentication, "password", faults);
}

/* ---- what belongs to accounts ---- */

/* ---- administration ---- */

void person_member_creation_check(void *body, uint64_t seen, struct faults *faults)
{
	const struct member_creation *creation = body;

	(void)seen;
	if (creation->name.length && str_equal_ignore_case(creation->name, creation->email))
		faults_add(faults, STR("name"), "%s", NAME_IS_ADDRESS);
}
