/* displayctl app import: apps of a checkout of the community's become apps of an account.
 *
 *   import_scan()    folders with a manifest.yaml -> apps, with the slugs that they may get
 *   import_choose()  the collection that they belong to
 *   import_compare() what the database has of the collection; each gets a slug
 *   import_check()   threads: folder -> script -> loaded once in the sandbox
 *   import_store()   what is new -> the database, an app a statement
 *
 * An import that was interrupted goes on when it is started again: an app whose deployed version is
 * that of the checkout is neither loaded nor written. */
#pragma once

#include "app_manifest.h"
#include "base/buffer.h"
#include "ctl/ctl.h"
#include "domain/app.h"

enum {
	IMPORT_SLUGS_MAX = 3,
	IMPORT_SLUG_BYTES = 64 + 1,
	IMPORT_VERSION_BYTES = 16 + 1,
};

enum import_outcome { IMPORT_WAITS, IMPORT_MADE, IMPORT_UPDATED, IMPORT_UNCHANGED, IMPORT_FAILED };

struct import_app {
	char *path;	  /* of its folder */
	const char *name; /* that of the folder, below that of the checkout; in path */
	struct app_manifest manifest;
	const char *origin; /* its ID in the checkout; of the manifest, or name */
	char *description;  /* what the catalogue says of it */

	char slugs[IMPORT_SLUGS_MAX][IMPORT_SLUG_BYTES]; /* the best first; empty: none */
	const char *slug;				 /* the chosen one; NULL: not yet */
	const struct app_import_state_row *state;	 /* what there is of it; NULL: nothing */

	bool is_typescript;
	struct buffer script; /* as it is uploaded; empty again once it is stored */
	char checksum[APP_CHECKSUM_LENGTH + 1];
	char version[IMPORT_VERSION_BYTES]; /* named by its content */
	struct buffer picture;	  /* a file of its folder, likewise; empty: there is none */
	char *picture_name;	  /* of that file; NULL: there is none */
	uint8_t picture_hash[32]; /* SHA-256 of that */

	enum import_outcome outcome;
	char *remark; /* why it failed, or what else is to be said of it; NULL: nothing */
};

struct import {
	struct ctl *ctl;
	struct id account_id;
	struct id collection_id; /* all zero: none, while nothing is written */
	struct str collection;	 /* its name */
	bool is_dry;		 /* nothing is written */
	struct import_app *apps;
	size_t count;
	size_t done_count; /* for who watches it */

	/* Hints that import_tell() sends. */
	struct id *ids;
	int64_t *generations;
	unsigned stored_count;
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

/* Finds or makes the collection of this folder. CTL_DONE, or the reason was said. */
enum ctl_exit import_choose(struct import *import, const char *path);

/* ---- app_import_compare.c ---- */

/* Reads what there is. CTL_DONE, or the reason was said. */
enum ctl_exit import_compare(struct import *import);
/* Whether the database has all of it, once its version is known. */
bool import_has_content(const struct import_app *app);
bool import_has_details(const struct import_app *app);
bool import_has_picture(const struct import_app *app);

/* ---- app_import_check.c ---- */

/* Called in the thread that called import_check(), for each app that is left, once, as they become
 * ready. Anything but CTL_DONE ends the import. */
typedef enum ctl_exit import_checked(struct import *import, struct import_app *app);

/* Reads the apps and loads them in the sandbox, several at once. An app that fails has its outcome
 * then; the others still wait. */
enum ctl_exit import_check(struct import *import, import_checked *checked);

/* ---- app_import_picture.c ---- */

/* Reads the picture that the app's folder has for a catalogue, if there is one. */
void import_read_picture(struct import_app *app);

/* ---- app_import_store.c ---- */

/* Writes the app if something is new. CTL_DONE, also if a rule refuses it; or the reason was
 * said. */
enum ctl_exit import_store(struct import *import, struct import_app *app);
/* Tells the servers of what was stored. */
enum ctl_exit import_tell(struct import *import);
