/* displayctl app import: apps of a checkout of the community's become apps of an account.
 *
 *   import_scan()     folders with a manifest.yaml -> apps, with the slugs that they may get
 *   import_choose()   asks the server which collection they belong to, and what it has of them
 *   import_compare()  each gets a slug
 *   import_send()     threads: folder -> script, picture -> a request to the server, which loads
 * and stores the app
 *
 * An import that was interrupted goes on when it is started again: an app whose deployed version is
 * that of the checkout is not sent. */
#pragma once

#include "app_manifest.h"
#include "base/buffer.h"
#include "ctl/ctl.h"
#include "domain/app_import.h"

enum {
	IMPORT_SLUGS_MAX = 3,
	IMPORT_SLUG_BYTES = 64 + 1,
	IMPORT_HASH_BYTES = 64 + 1, /* SHA-256 in hexadecimal */
};

enum import_outcome { IMPORT_WAITS, IMPORT_MADE, IMPORT_UPDATED, IMPORT_UNCHANGED, IMPORT_FAILED };

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
	char *path;	  /* of its folder */
	const char *name; /* that of the folder, below that of the checkout; in path */
	struct app_manifest manifest;
	const char *origin; /* its ID in the checkout; of the manifest, or name */
	char *description;  /* what the catalogue says of it */

	char slugs[IMPORT_SLUGS_MAX][IMPORT_SLUG_BYTES]; /* the best first; empty: none */
	const char *slug;				 /* the chosen one; NULL: not yet */
	const struct import_state *state;		 /* what there is of it; NULL: nothing */

	bool is_typescript;
	struct buffer script; /* as it is sent; empty again then */
	char checksum[APP_CHECKSUM_LENGTH + 1];
	char version[APP_CHECKSUM_LENGTH + 1]; /* named by its content; empty: not known */
	struct buffer picture;		       /* a file of its folder, likewise */
	char *picture_name;		       /* of that file; NULL: there is none */
	char picture_hash[IMPORT_HASH_BYTES];  /* empty: there is none */

	enum import_outcome outcome;
	char *remark; /* why it failed, or what else is to be said of it; NULL: nothing */
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
	size_t done_count; /* for who watches it */
};

/* ---- app_import_app.c ---- */

/* Its name for people. */
const char *import_name(const struct import_app *app);
struct str import_language(const struct import_app *app);
/* A JSON array of texts. */
struct str import_tags(const struct import_app *app);
/* Why it is broken; data is NULL if it is not. */
struct str import_broken_reason(const struct import_app *app);
/* Adds a remark on the app; the last remark stands. */
__attribute__((format(printf, 2, 3))) void import_remark(struct import_app *app, const char *format,
							 ...);
/* Why the app is not imported. */
__attribute__((format(printf, 2, 3))) void import_fail(struct import_app *app, const char *format,
						       ...);

/* ---- app_import_scan.c ---- */

/* Finds the apps below a folder, in the order of their paths, and reads their manifests. */
enum ctl_exit import_scan(struct import *import, const char *path);

/* ---- app_import_collection.c ---- */

/* Finds or makes the collection of this folder, and reads what it has. CTL_DONE, or the reason was
 * said. */
enum ctl_exit import_choose(struct import *import, const char *path);

/* ---- app_import_compare.c ---- */

/* Chooses the slugs. An app that gets none has failed. */
void import_compare(struct import *import);
/* Whether the server has all of it, once its script and its picture were read. */
bool import_has_all(const struct import_app *app);

/* ---- app_import_send.c ---- */

/* Reads the apps that wait, and sends what is new, several at once: each has its outcome then.
 * CTL_DONE, or the reason was said. */
enum ctl_exit import_send(struct import *import);

/* ---- app_import_picture.c ---- */

/* Reads the picture that the app's folder has for a catalogue, if there is one. */
void import_read_picture(struct import_app *app);
