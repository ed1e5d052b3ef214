/* displayctl app import: apps of a checkout of the community's become apps of an account.
 *
 *   import_scan()     folders with a manifest.yaml -> apps, with the slugs that they may get
 *   import_choose()   asks the server which collection they belong to, and what it has of them;
 * each gets a slug import_send()     threads: folder -> script, picture -> a request to the server,
 * which loads and stores the app
 *
 * An import that was interrupted goes on when it is started again: an app whose deployed version is
 * that of the checkout is not sent. */
#pragma once

#include "app_manifest.h"
#include "base/buffer.h"
#include "ctl/ctl.h"
#include "domain/app_import.h"

enum { IMPORT_SLUGS_MAX = 3, IMPORT_HASH_BYTES = 64 + 1 /* SHA-256 in hexadecimal */ };

enum import_outcome {
	IMPORT_WAITS,
	IMPORT_MADE,
	IMPORT_UPDATED,
	IMPORT_UNCHANGED,
	IMPORT_FAILED,
	IMPORT_OUTCOMES,
};

/* App of the collection, as the server has it. */
struct import_state {
	struct str slug;
	bool is_own;
	struct str origin;
	struct str version;
	struct str details; /* hash of what its manifest says */
	struct str picture; /* hash; empty: there is none */
};

struct import_app {
	struct arena arena; /* of its texts; data NULL: there is none */
	const char *path;   /* of its folder */
	struct str name;    /* that of the folder, below that of the checkout */
	struct app_manifest manifest;
	struct str origin;	/* its ID in the checkout; of the manifest, or name */
	struct str description; /* what the catalogue says of it */
	struct str broken_reason;

	struct str slugs[IMPORT_SLUGS_MAX]; /* the best first */
	struct str slug;		    /* the chosen one */
	const struct import_state *state;   /* what there is of it; NULL: nothing */

	bool is_typescript;
	struct buffer script; /* as it is sent; empty again then */
	char checksum[APP_CHECKSUM_LENGTH + 1];
	struct str version;		      /* named by its content */
	struct buffer picture;		      /* a file of its folder, likewise */
	struct str picture_name;	      /* of that file */
	char picture_hash[IMPORT_HASH_BYTES]; /* empty: there is none */

	enum import_outcome outcome;
	struct str outcome_name; /* in the report */
	struct str remark;	 /* why it failed, or what else is to be said of it */
};

struct import {
	struct ctl *ctl;
	struct id collection_id; /* all zero: none, while nothing is written */
	struct str collection;	 /* its name */
	bool is_dry;		 /* nothing is written */
	struct import_app *apps;
	size_t count;
	const struct import_state *states; /* apps of the collection that have one of these slugs */
	unsigned state_count;
};

/* Why the app is not imported, in its arena. */
static inline void import_fail(struct import_app *app, struct str why)
{
	app->outcome = IMPORT_FAILED;
	app->remark = why;
}

/* Its name for people. */
static inline struct str import_name(const struct import_app *app)
{
	return app->manifest.name.data ? app->manifest.name : app->slug;
}

/* ---- app_import_scan.c ---- */

/* Finds the apps below a folder, in the order of their paths, and reads their manifests. */
enum ctl_exit import_scan(struct import *import, const char *path);

/* ---- app_import_collection.c ---- */

/* Finds or makes the collection of this folder, reads what it has, and chooses the slugs: an app
 * that gets none has failed. CTL_DONE, or the reason was said. */
enum ctl_exit import_choose(struct import *import, const char *path);
/* Whether the server has all of it, once its script and its picture were read. */
bool import_has_all(const struct import_app *app);

/* ---- app_import_send.c ---- */

/* Reads the apps that wait, and sends what is new, several at once: each has its outcome then.
 * CTL_DONE, or the reason was said. */
enum ctl_exit import_send(struct import *import);

/* ---- app_import_picture.c ---- */

/* Reads the picture that the app's folder has for a catalogue, if there is one. */
void import_read_picture(struct import_app *app);
