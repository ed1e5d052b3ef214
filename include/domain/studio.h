/* Apps as the pages show them to people who install them, to their authors and to reviewers.
 *
 * The catalogue has the apps that an account can install. The studio is the pages of authors. A
 * draft is an author's work in progress: saving it changes no version. Its revision grows with each
 * save, and a save names the revision that it changes, so that two windows do not overwrite each
 * other. */
#pragma once

#include "record/record.h"

enum {
	APP_NAME_LENGTH_MAX = 100, /* code points */
	APP_DESCRIPTION_LENGTH_MAX = 500,
	APP_SLUG_LENGTH_MAX = 64,
};

/* NULL, or the fault of a slug, which must not have the form of an ID. */
const char *app_slug_check(struct str slug);
/* Makes a slug of a name, in the arena: its letters and digits in lower case, with a dash in place
 * of other characters. Empty if it has no letters or digits of ASCII. */
struct str app_slug_of(struct str name, struct arena *arena);
/* NULL, or the fault of a visibility ("legacy" included), or of a draft's script. */
const char *app_visibility_check(struct str visibility);
const char *app_draft_check(struct str script);
/* NULL, or the fault of a text that may have several lines. */
const char *app_text_check(struct str text);

/* Largest integer that every JSON parser can represent. */
#define DRAFT_REVISION_MAX ((1LL << 53) - 1)

/* An app in the catalogue. */
struct catalogue_app {
	struct id id;
	struct str slug;
	struct str path; /* ID, if URLs need it; empty: the slug identifies the app */
	struct str name;
	struct str description;
	struct str version;
	struct str author;
	bool is_own;
	bool is_private;
	struct str picture;    /* hash of its picture; empty: none */
	struct str hosts;      /* JSON: hosts that it asks */
	struct str collection; /* collection that it was imported with; empty: none */
	struct str category;
	struct str tags;	  /* JSON */
	struct str broken_reason; /* empty: it is not broken */
};

extern const struct record catalogue_app_record;
/* An app, as the public API shows it. Not for rows. */
extern const struct record app_detail_record;

/* A device of the account, and an app's installations on it. */
struct app_device {
	struct id id;
	struct str name;
	int64_t entry_count;
	struct str installations; /* JSON: their IDs */
	int64_t created_at_us;
};

extern const struct record app_device_record;

/* ---- authors ---- */

/* An app as its author sees it. */
struct own_app {
	struct id id;
	struct str slug;
	struct str name;
	struct str description;
	struct str visibility;
	struct str status;
	struct str version;	    /* deployed version; empty: none */
	struct str pending_version; /* version that awaits review; empty: none */
	int64_t created_at_us;
	struct str collection;	  /* collection that it was imported with; empty: none */
	struct str broken_reason; /* empty: it is not broken */
};

extern const struct record own_app_record;

#define APP_VISIBILITY_FAULT "must be private or public"

struct app_creation {
	struct str slug;
	struct str name;
	struct str description; /* empty: left out */
	struct str visibility;	/* empty: left out, private */
};

extern const struct record app_creation_record;

struct app_update {
	struct str name;
	struct str description;
	struct str visibility;
};

extern const struct record app_update_record;

struct app_draft {
	struct str script_language;
	struct str script_content;
	int64_t revision;      /* 0: no draft was saved yet */
	int64_t updated_at_us; /* 0: no draft was saved yet */
};

extern const struct record app_draft_record;

/* Body that saves a draft. */
struct draft_change {
	struct str script_language;
	struct str script_content;
	int64_t revision; /* of the draft that was changed */
};

extern const struct record draft_change_record;

struct draft_saved {
	int64_t revision;
	int64_t updated_at_us;
};

extern const struct record draft_saved_record;

struct app_script {
	struct str version;
	struct str script_language;
	struct str script_content;
};

extern const struct record app_script_record;
