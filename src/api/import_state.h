/* State of the import of an export of a tronbyt server.
 *
 *   import_tronbyt.c   asks for the app and the form of each entry, changes nothing
 *     -> import_store.c   stores device by device, each by one statement
 *     -> import_report.c  what was imported, and what was not */
#pragma once

#include "api/app_work.h"
#include "domain/device_link.h"
#include "domain/key.h"
#include "domain/tronbyt.h"
#include "loop/loop.h"
#include "task/task.h"

/* Entry of the file, and its counterpart here. */
struct import_entry {
	bool comes;
	char id[ID_TEXT_LENGTH + 1];
	struct id app_id, version_id;
	struct stored_settings stored;
};

enum import_state {
	IMPORT_NEW,
	IMPORT_THERE,  /* was imported before: nothing is done */
	IMPORT_FAILED, /* too many devices, or too many attempts at addresses of others */
};

struct import_device {
	enum import_state state;
	struct id id;
	char key[LINK_KEY_LENGTH + 1];
	uint8_t key_hash[KEY_HASH_BYTES];
	uint8_t alias_key_hash[KEY_HASH_BYTES];
	struct device_link link;
	struct str name; /* name here */
	bool has_alias;
	bool needs_key; /* at the alias */
	bool is_open;	/* the alias can be guessed, and works without the key all the same */
	struct import_entry *entries;
	unsigned entry_count; /* number of entries that are imported */
};

/* App that an entry has named, looked up once for all entries. */
struct import_app {
	struct str name, path;
	struct id app_id, version_id; /* all zero: there is none */
	bool has_form;		      /* has a form, which does not depend on settings */
	bool is_made;		      /* handlers make some of its fields */
	struct str
	    why_none; /* why its form is missing; data is NULL: it exists, or was not needed */
	struct form form;
};

enum {
	/* Bytes of the forms of an import, which stay in memory until it ends. */
	IMPORT_FORM_BYTES_MAX = 8 * 1024 * 1024,
	/* Entries for which an app's handlers are called. */
	IMPORT_MADE_MAX = 40,
	/* Apps that are run for their forms, which the database does not have yet. */
	IMPORT_RUNS_MAX = 40,
	/* Least cost of an entry, as a number of bytes of settings. */
	IMPORT_ENTRY_BYTES = 256,
	/* Cost of looking for a setting in a form. */
	IMPORT_SETTING_BYTES = 64,
};

struct tronbyt_importing {
	struct tronbyt_body body; /* first: the pre-handler checks read the request into it */
	bool is_dry;
	bool keeps_addresses;
	bool opens_addresses;	       /* those that can be guessed work without a key */
	bool can_open_addresses;       /* that would change the access to an address of the file */
	struct import_device *devices; /* as in the file */
	unsigned device, entry;	       /* current ones */
	unsigned made;		       /* devices that were made, or would be */
	bool has_run;		       /* has run an app, which counts as one preview */
	struct import_app *apps;
	unsigned app_count;
	size_t form_bytes;
	unsigned made_count, run_count;
	struct memory_share *turn; /* share of the account in the service's imports; NULL: none */
	bool has_turn;
	size_t checked_bytes; /* bytes of settings checked in this turn of the loop */
	struct later next_turn;
	struct task *task;
	struct app_work work;
	struct arena line_arena; /* of line, while a worker thread writes it */
	struct str line;
	struct tronbyt_look_row look;
	struct tronbyt_app_row app;
	struct tronbyt_import_row stored;
	struct address_claims_row claims;
};

static inline struct tronbyt_device *import_file_device(struct tronbyt_importing *importing)
{
	return &importing->body.export.devices[importing->device];
}

/* Notes a part of the device, or of one of its entries, that is not imported. entry: NULL for the
 * device. what: a literal, or a text of the task's arena. */
__attribute__((format(printf, 4, 5))) void import_note(struct tronbyt_importing *importing,
						       const struct tronbyt_entry *entry,
						       struct str what, const char *why, ...);
