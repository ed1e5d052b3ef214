/* Accounts as the pages show them to their owners and to administrators, and what belongs to them:
 * sessions, one-time links, the log of who did what. A person is an account as its owner sees it, a
 * member is one as administrators see it. */
#pragma once

#include "domain/account.h"
#include "record/record.h"

enum {
	EMAIL_LENGTH_MIN = 3, /* code points */
	EMAIL_LENGTH_MAX = 254,
	ACCOUNT_NAME_LENGTH_MAX = 100, /* code points; names of keys, too */
	PASSWORD_LENGTH_MIN = 10,      /* code points */
	PASSWORD_BYTES_MAX = 1024,
	/* Limits of passkeys, characters of base64url: WebAuthn gives a credential's ID 1,023
	 * bytes. */
	CREDENTIAL_ID_MAX = 1364,
	CLIENT_DATA_MAX = 2800,
	AUTHENTICATOR_DATA_MAX = 2800,
	SIGNATURE_MAX = 1400,
	USER_HANDLE_MAX = 86,
};

/* Maximum that administrators can set for an account: as in the database's
 * account_byte_limit_range. */
#define ACCOUNT_BYTE_LIMIT_MAX INT64_C(1000000000000000)

/* Fault of a name that equals the account's e-mail address. */
#define NAME_IS_ADDRESS "is shown to others and must not be the e-mail address"

/* The account that is signed in. */
struct person {
	struct id id;
	struct str email;
	struct str name;
	bool is_reviewer;
	bool is_administrator;
	bool has_password;
	bool has_device;
	int64_t created_at_us;
};

extern const struct record person_record;

/* NULL, or the fault of an e-mail address. */
const char *email_check(struct str email);
/* NULL, or the fault of a new password, except its length in characters. The most common passwords
 * are refused, and variations of words such as "displayd" and "admin". */
const char *password_check(struct str password);
/* NULL, or the fault of a new password of this person. */
const char *password_check_for(struct str password, struct str email, struct str name);

/* Bodies. Members that a body leaves out are empty. */

struct sign_in {
	struct str email;
	struct str password;
};

extern const struct record sign_in_record;

struct registration {
	struct str email;
	struct str name;
	struct str password;
};

extern const struct record registration_record;

struct person_update {
	struct str name;
};

extern const struct record person_update_record;

/* Signature by which an authenticator proves that it has a passkey: Web Authentication's
 * AuthenticatorAssertionResponse. Texts of base64url. */
struct assertion {
	struct str credential_id;
	struct str client_data_json;
	struct str authenticator_data;
	struct str signature;
	struct str user_handle; /* empty: the authenticator did not say */
};

extern const struct record assertion_record;

/* Reauthentication of the account's owner: by one of the two. */
struct reauthentication {
	struct str password;
	const struct json_value *passkey_json;
	struct assertion passkey; /* credential_id.data is NULL: none */
};

struct password_change {
	struct reauthentication authentication; /* its password is the present one */
	struct str password;
};

extern const struct record password_change_record;

extern const struct record reauthentication_record;

struct passkey_creation {
	struct str name;
	struct str client_data_json;
	struct str authenticator_data; /* with the new public key */
	struct reauthentication authentication;
};

extern const struct record passkey_creation_record;

struct passkey_update {
	struct str name;
};

extern const struct record passkey_update_record;

/* ---- what belongs to accounts ---- */

/* Session in which an account is signed in. */
struct session_entry {
	struct id id;
	int64_t created_at_us;
	int64_t last_used_at_us;
	struct str address;
	struct str user_agent;
	bool is_current;
};

extern const struct record session_entry_record;

/* A passkey of an account. */
struct passkey_entry {
	struct id id;
	struct str name;
	struct str credential_id; /* base64url */
	int64_t created_at_us;
	int64_t last_used_at_us; /* 0: never */
};

extern const struct record passkey_entry_record;

/* Purpose of a one-time link. */
struct link_entry {
	struct str kind;  /* "first", "invitation" or "password" */
	struct str email; /* empty: for anybody */
	int64_t expires_at_us;
};

extern const struct record link_entry_record;

struct link_token {
	struct str token;
};

extern const struct record link_token_record;

struct link_use {
	struct str token;
	struct str email; /* empty: left out */
	struct str name;  /* empty: left out */
	struct str password;
};

extern const struct record link_use_record;

/* A new link, shown once. */
struct new_link {
	struct id id;
	struct str url;
	int64_t expires_at_us;
};

extern const struct record new_link_record;

struct invitation {
	struct id id;
	struct str email; /* empty: for anybody */
	bool is_reviewer;
	bool is_administrator;
	int64_t created_at_us;
	int64_t expires_at_us;
};

extern const struct record invitation_record;

struct invitation_creation {
	struct str email; /* empty: left out */
	bool is_reviewer;
	bool is_administrator;
};

extern const struct record invitation_creation_record;

/* The operator's link for the browser. */
struct operator_link_creation {
	struct str email; /* data NULL: for anybody */
	bool is_reviewer;
	bool is_administrator;
	bool is_invitation; /* for an account that does not exist yet */
};

extern const struct record operator_link_creation_record;

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

extern const struct record member_record;

/* Objects that are removed with an account. */
struct removal_preview {
	int64_t devices;
	int64_t keys;
	int64_t apps;
	int64_t kept_apps; /* public apps that others have installed */
	bool is_last_administrator;
};

extern const struct record removal_preview_record;

struct member_update {
	struct str name; /* data is NULL: left out */
	bool is_reviewer;
	bool is_administrator;
	int64_t byte_limit; /* 0: the default */
	bool reaches_local;
};

extern const struct record member_update_record;

/* Account that an administrator makes: it has no password yet. */
struct member_creation {
	struct str email;
	struct str name; /* data is NULL: left out */
};

extern const struct record member_creation_record;

/* Action of somebody, with its time and address. */
struct audit_entry {
	int64_t id;
	int64_t created_at_us;
	struct str actor;
	struct str action;
	struct str target;  /* empty: none */
	struct str address; /* empty: on the server itself */
	int64_t count;	    /* equal actions of a session within a minute */
	int64_t last_at_us; /* time of the last of them */
};

extern const struct record audit_entry_record;
