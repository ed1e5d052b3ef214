/* Accounts as the pages show them to their owners and to administrators, and what belongs to them:
 * sessions, one-time links, the log of who did what. A person is an account as its owner sees it, a
 * member is one as administrators see it. */
#pragma once

#include "domain/account.h"
#include "domain/person_records.h"

enum {
	EMAIL_LENGTH_MIN = 3, /* code points */
	EMAIL_LENGTH_MAX = 254,
	ACCOUNT_NAME_LENGTH_MAX = 100, /* code points; names of keys, too */
	PASSWORD_LENGTH_MIN = 10,      /* code points */
	PASSWORD_BYTES_MAX = 1024,
	/* Characters of base64url: WebAuthn gives a passkey's ID 1,023 bytes. */
	CREDENTIAL_ID_MAX = 1364,
};

/* Maximum that administrators can set for an account: as in the database's
 * account_byte_limit_range. */
#define ACCOUNT_BYTE_LIMIT_MAX INT64_C(1000000000000000)

/* Fault of a name that equals the account's e-mail address. */
#define NAME_IS_ADDRESS "is shown to others and must not be the e-mail address"

/* NULL, or the fault of an e-mail address. */
const char *email_check(struct str email);
/* NULL, or the fault of a new password, except its length in characters. The most common passwords
 * are refused, and variations of words such as "displayd" and "admin". */
const char *password_check(struct str password);
/* NULL, or the fault of a new password of this person. */
const char *password_check_for(struct str password, struct str email, struct str name);

struct password_change {
	struct reauthentication authentication; /* its password is the present one */
	struct str password;
};

struct passkey_creation {
	struct str name;
	struct str client_data_json;
	struct str authenticator_data; /* with the new public key */
	struct reauthentication authentication;
};

struct backup_order {
	struct str pass_phrase;
	struct reauthentication authentication;
};

/* An account as administrators see it. */
struct member {
	struct person person;
	int64_t last_sign_in_at_us; /* 0: never */
	bool is_heir;
	int64_t devices;
	int64_t keys; /* keys that are not revoked */
	int64_t apps;
	struct account_bytes bytes;
	int64_t byte_limit; /* 0: the default */
	bool reaches_local; /* previews of deployed apps may reach the local network */
};
