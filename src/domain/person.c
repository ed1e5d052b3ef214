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

static const struct record_field person_fields[] = {
    RECORD_ID(struct person, id, .name = "id", .column = "id"),
    RECORD_STR(struct person, email, .name = "email", .column = "email"),
    RECORD_STR(struct person, name, .name = "name", .column = "name"),
    RECORD_BOOL(struct person, is_reviewer, .name = "isReviewer", .column = "is_reviewer"),
    RECORD_BOOL(struct person, is_administrator, .name = "isAdministrator",
		.column = "is_administrator"),
    RECORD_BOOL(struct person, has_password, .name = "hasPassword", .column = "has_password"),
    RECORD_BOOL(struct person, has_device, .name = "hasDevice", .column = "has_device"),
    RECORD_TIMESTAMP(struct person, created_at_us, .name = "createdAt", .column = "created_at"),
};
const struct record person_record = RECORD(struct person, person_fields);

/* ---- bodies ---- */

static void change_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)body;
	/* A body that has only unknown fields has a fault for each already. */
	if (seen == 0 && faults->count == 0)
		faults_add(faults, (struct str){0}, "must have at least one field to change");
}

static void registration_check(void *body, uint64_t seen, struct faults *faults)
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

static const struct record_field sign_in_fields[] = {
    RECORD_STR(struct sign_in, email, .body = "email", .required = true,
	       .minimum = EMAIL_LENGTH_MIN, .maximum = EMAIL_LENGTH_MAX),
    RECORD_STR(struct sign_in, password, .body = "password", .required = true, .minimum = 1,
	       .maximum = PASSWORD_BYTES_MAX),
};
const struct record sign_in_record = RECORD(struct sign_in, sign_in_fields);

static const struct record_field registration_fields[] = {
    RECORD_STR(struct registration, email, .body = "email", .required = true,
	       .minimum = EMAIL_LENGTH_MIN, .maximum = EMAIL_LENGTH_MAX, .check = email_check),
    RECORD_STR(struct registration, name, .body = "name", .required = true, .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct registration, password, .body = "password", .required = true,
	       .minimum = PASSWORD_LENGTH_MIN, .maximum = PASSWORD_BYTES_MAX,
	       .check = password_check),
};
const struct record registration_record =
    RECORD(struct registration, registration_fields, .check = registration_check);

static const struct record_field person_update_fields[] = {
    RECORD_STR(struct person_update, name, .body = "name", .column = "name", .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
};
const struct record person_update_record =
    RECORD(struct person_update, person_update_fields, .check = change_check);

static const struct record_field assertion_fields[] = {
    RECORD_STR(struct assertion, credential_id, .body = "credentialId", .required = true,
	       .minimum = 1, .maximum = CREDENTIAL_ID_MAX),
    RECORD_STR(struct assertion, client_data_json, .body = "clientDataJson", .required = true,
	       .minimum = 1, .maximum = CLIENT_DATA_MAX),
    RECORD_STR(struct assertion, authenticator_data, .body = "authenticatorData", .required = true,
	       .minimum = 1, .maximum = AUTHENTICATOR_DATA_MAX),
    RECORD_STR(struct assertion, signature, .body = "signature", .required = true, .minimum = 1,
	       .maximum = SIGNATURE_MAX),
    RECORD_STR(struct assertion, user_handle, .body = "userHandle", .minimum = 1,
	       .maximum = USER_HANDLE_MAX),
};
const struct record assertion_record = RECORD(struct assertion, assertion_fields);

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

static void password_change_check(void *body, uint64_t seen, struct faults *faults)
{
	struct password_change *change = body;

	(void)seen;
	read_reauthentication(&change->authentication, "currentPassword", faults);
}

static void reauthentication_check(void *body, uint64_t seen, struct faults *faults)
{
	(void)seen;
	read_reauthentication(body, "password", faults);
}

static void passkey_creation_check(void *body, uint64_t seen, struct faults *faults)
{
	struct passkey_creation *creation = body;

	(void)seen;
	read_reauthentication(&creation->authentication, "password", faults);
}

static const struct record_field password_change_fields[] = {
    RECORD_STR(struct password_change, authentication.password, .body = "currentPassword",
	       .minimum = 1, .maximum = PASSWORD_BYTES_MAX),
    RECORD_ANY(struct password_change, authentication.passkey_json, .body = "passkey"),
    RECORD_STR(struct password_change, password, .body = "password", .required = true,
	       .minimum = PASSWORD_LENGTH_MIN, .maximum = PASSWORD_BYTES_MAX,
	       .check = password_check),
};
const struct record password_change_record =
    RECORD(struct password_change, password_change_fields, .check = password_change_check);

static const struct record_field reauthentication_fields[] = {
    RECORD_STR(struct reauthentication, password, .body = "password", .minimum = 1,
	       .maximum = PASSWORD_BYTES_MAX),
    RECORD_ANY(struct reauthentication, passkey_json, .body = "passkey"),
};
const struct record reauthentication_record =
    RECORD(struct reauthentication, reauthentication_fields, .check = reauthentication_check);

static const struct record_field passkey_creation_fields[] = {
    RECORD_STR(struct passkey_creation, name, .body = "name", .required = true, .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct passkey_creation, client_data_json, .body = "clientDataJson",
	       .required = true, .minimum = 1, .maximum = CLIENT_DATA_MAX),
    RECORD_STR(struct passkey_creation, authenticator_data, .body = "authenticatorData",
	       .required = true, .minimum = 1, .maximum = AUTHENTICATOR_DATA_MAX),
    RECORD_STR(struct passkey_creation, authentication.password, .body = "password", .minimum = 1,
	       .maximum = PASSWORD_BYTES_MAX),
    RECORD_ANY(struct passkey_creation, authentication.passkey_json, .body = "passkey"),
};
const struct record passkey_creation_record =
    RECORD(struct passkey_creation, passkey_creation_fields, .check = passkey_creation_check);

static const struct record_field passkey_update_fields[] = {
    RECORD_STR(struct passkey_update, name, .body = "name", .required = true, .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
};
const struct record passkey_update_record = RECORD(struct passkey_update, passkey_update_fields);

/* ---- what belongs to accounts ---- */

static const struct record_field session_entry_fields[] = {
    RECORD_ID(struct session_entry, id, .name = "id", .column = "id"),
    RECORD_TIMESTAMP(struct session_entry, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_TIMESTAMP(struct session_entry, last_used_at_us, .name = "lastUsedAt",
		     .column = "last_used_at"),
    RECORD_STR(struct session_entry, address, .name = "address", .column = "address"),
    RECORD_STR(struct session_entry, user_agent, .name = "userAgent", .column = "user_agent"),
    RECORD_BOOL(struct session_entry, is_current, .name = "isCurrent", .column = "is_current"),
};
const struct record session_entry_record = RECORD(struct session_entry, session_entry_fields);

static const struct record_field passkey_entry_fields[] = {
    RECORD_ID(struct passkey_entry, id, .name = "id", .column = "id"),
    RECORD_STR(struct passkey_entry, name, .name = "name", .column = "name"),
    RECORD_STR(struct passkey_entry, credential_id, .name = "credentialId",
	       .column = "credential_id"),
    RECORD_TIMESTAMP(struct passkey_entry, created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_TIMESTAMP(struct passkey_entry, last_used_at_us, .name = "lastUsedAt",
		     .column = "last_used_at", .nullable = true),
};
const struct record passkey_entry_record = RECORD(struct passkey_entry, passkey_entry_fields);

static const struct record_field link_entry_fields[] = {
    RECORD_STR(struct link_entry, kind, .name = "kind", .column = "kind"),
    RECORD_STR(struct link_entry, email, .name = "email", .column = "email", .nullable = true),
    RECORD_TIMESTAMP(struct link_entry, expires_at_us, .name = "expiresAt", .column = "expires_at"),
};
const struct record link_entry_record = RECORD(struct link_entry, link_entry_fields);

static const struct record_field link_token_fields[] = {
    RECORD_STR(struct link_token, token, .body = "token", .required = true, .minimum = 1,
	       .maximum = 100),
};
const struct record link_token_record = RECORD(struct link_token, link_token_fields);

static const struct record_field link_use_fields[] = {
    RECORD_STR(struct link_use, token, .body = "token", .required = true, .minimum = 1,
	       .maximum = 100),
    RECORD_STR(struct link_use, email, .body = "email", .minimum = EMAIL_LENGTH_MIN,
	       .maximum = EMAIL_LENGTH_MAX, .check = email_check),
    RECORD_STR(struct link_use, name, .body = "name", .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_STR(struct link_use, password, .body = "password", .required = true,
	       .minimum = PASSWORD_LENGTH_MIN, .maximum = PASSWORD_BYTES_MAX,
	       .check = password_check),
};
const struct record link_use_record = RECORD(struct link_use, link_use_fields);

static const struct record_field new_link_fields[] = {
    RECORD_ID(struct new_link, id, .name = "id"),
    RECORD_STR(struct new_link, url, .name = "url"),
    RECORD_TIMESTAMP(struct new_link, expires_at_us, .name = "expiresAt"),
};
const struct record new_link_record = RECORD(struct new_link, new_link_fields);

/* ---- administration ---- */

static const struct record_field invitation_fields[] = {
    RECORD_ID(struct invitation, id, .name = "id", .column = "id"),
    RECORD_STR(struct invitation, email, .name = "email", .column = "email", .nullable = true),
    RECORD_BOOL(struct invitation, is_reviewer, .name = "isReviewer", .column = "is_reviewer"),
    RECORD_BOOL(struct invitation, is_administrator, .name = "isAdministrator",
		.column = "is_administrator"),
    RECORD_TIMESTAMP(struct invitation, created_at_us, .name = "createdAt", .column = "created_at"),
    RECORD_TIMESTAMP(struct invitation, expires_at_us, .name = "expiresAt", .column = "expires_at"),
};
const struct record invitation_record = RECORD(struct invitation, invitation_fields);

static const struct record_field invitation_creation_fields[] = {
    RECORD_STR(struct invitation_creation, email, .body = "email", .minimum = EMAIL_LENGTH_MIN,
	       .maximum = EMAIL_LENGTH_MAX, .check = email_check),
    RECORD_BOOL(struct invitation_creation, is_reviewer, .body = "isReviewer"),
    RECORD_BOOL(struct invitation_creation, is_administrator, .body = "isAdministrator"),
};
const struct record invitation_creation_record =
    RECORD(struct invitation_creation, invitation_creation_fields);

static const struct record_field operator_link_creation_fields[] = {
    RECORD_STR(struct operator_link_creation, email, .body = "email", .minimum = EMAIL_LENGTH_MIN,
	       .maximum = EMAIL_LENGTH_MAX, .check = email_check),
    RECORD_BOOL(struct operator_link_creation, is_reviewer, .body = "isReviewer"),
    RECORD_BOOL(struct operator_link_creation, is_administrator, .body = "isAdministrator"),
    RECORD_BOOL(struct operator_link_creation, is_invitation, .body = "isInvitation"),
};
const struct record operator_link_creation_record =
    RECORD(struct operator_link_creation, operator_link_creation_fields);

static const struct record_field member_fields[] = {
    RECORD_ID(struct member, person.id, .name = "id", .column = "id"),
    RECORD_STR(struct member, person.email, .name = "email", .column = "email"),
    RECORD_STR(struct member, person.name, .name = "name", .column = "name"),
    RECORD_BOOL(struct member, person.is_reviewer, .name = "isReviewer", .column = "is_reviewer"),
    RECORD_BOOL(struct member, person.is_administrator, .name = "isAdministrator",
		.column = "is_administrator"),
    RECORD_BOOL(struct member, person.has_password, .name = "hasPassword",
		.column = "has_password"),
    RECORD_BOOL(struct member, person.has_device, .column = "has_device"),
    RECORD_TIMESTAMP(struct member, person.created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_TIMESTAMP(struct member, last_sign_in_at_us, .name = "lastSignInAt",
		     .column = "last_sign_in_at", .nullable = true),
    RECORD_BOOL(struct member, is_heir, .name = "isHeir", .column = "is_heir"),
    RECORD_INT8(struct member, devices, .name = "devices", .column = "devices"),
    RECORD_INT8(struct member, keys, .name = "keys", .column = "keys"),
    RECORD_INT8(struct member, apps, .name = "apps", .column = "apps"),
    RECORD_INT8(struct member, bytes.bytes, .name = "bytes", .column = "bytes"),
    RECORD_INT8(struct member, bytes.bytes_allowed, .name = "bytesAllowed",
		.column = "bytes_allowed"),
    RECORD_INT8(struct member, byte_limit, .name = "byteLimit", .column = "byte_limit"),
    RECORD_BOOL(struct member, reaches_local, .name = "reachesLocal", .column = "reaches_local"),
};
const struct record member_record = RECORD(struct member, member_fields);

static const struct record_field removal_preview_fields[] = {
    RECORD_INT8(struct removal_preview, devices, .name = "devices", .column = "devices"),
    RECORD_INT4(struct removal_preview, keys, .name = "keys", .column = "keys"),
    RECORD_INT8(struct removal_preview, apps, .name = "apps", .column = "apps"),
    RECORD_INT8(struct removal_preview, kept_apps, .name = "keptApps", .column = "kept_apps"),
    RECORD_BOOL(struct removal_preview, is_last_administrator, .name = "isLastAdministrator",
		.column = "is_last_administrator"),
};
const struct record removal_preview_record = RECORD(struct removal_preview, removal_preview_fields);

static const struct record_field member_update_fields[] = {
    RECORD_STR(struct member_update, name, .body = "name", .column = "name", .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
    RECORD_BOOL(struct member_update, is_reviewer, .body = "isReviewer", .column = "is_reviewer"),
    RECORD_BOOL(struct member_update, is_administrator, .body = "isAdministrator",
		.column = "is_administrator"),
    RECORD_INT8(struct member_update, byte_limit, .body = "byteLimit", .column = "byte_limit",
		.minimum = 0, .maximum = ACCOUNT_BYTE_LIMIT_MAX),
    RECORD_BOOL(struct member_update, reaches_local, .body = "reachesLocal",
		.column = "reaches_local"),
};
const struct record member_update_record =
    RECORD(struct member_update, member_update_fields, .check = change_check);

static void member_creation_check(void *body, uint64_t seen, struct faults *faults)
{
	const struct member_creation *creation = body;

	(void)seen;
	if (creation->name.length && str_equal_ignore_case(creation->name, creation->email))
		faults_add(faults, STR("name"), "%s", NAME_IS_ADDRESS);
}

static const struct record_field member_creation_fields[] = {
    RECORD_STR(struct member_creation, email, .body = "email", .required = true,
	       .minimum = EMAIL_LENGTH_MIN, .maximum = EMAIL_LENGTH_MAX, .check = email_check),
    RECORD_STR(struct member_creation, name, .body = "name", .minimum = 1,
	       .maximum = ACCOUNT_NAME_LENGTH_MAX, .check = device_name_check),
};
const struct record member_creation_record =
    RECORD(struct member_creation, member_creation_fields, .check = member_creation_check);

static const struct record_field audit_entry_fields[] = {
    RECORD_INT8(struct audit_entry, id, .column = "id"),
    RECORD_TIMESTAMP(struct audit_entry, created_at_us, .name = "at", .column = "created_at"),
    RECORD_STR(struct audit_entry, actor, .name = "actor", .column = "actor"),
    RECORD_STR(struct audit_entry, action, .name = "action", .column = "action"),
    RECORD_STR(struct audit_entry, target, .name = "target", .column = "target", .nullable = true),
    RECORD_STR(struct audit_entry, address, .name = "address", .column = "address",
	       .nullable = true),
    RECORD_INT4(struct audit_entry, count, .name = "count", .column = "times"),
    RECORD_TIMESTAMP(struct audit_entry, last_at_us, .name = "lastAt", .column = "last_at"),
};
const struct record audit_entry_record = RECORD(struct audit_entry, audit_entry_fields);
