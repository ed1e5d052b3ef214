/* displayctl app import: imports the apps of a checkout of the community's repository to an
 * account.
 *
 *   import_scan()     folders with a manifest.yaml -> apps, with the slugs that they may get
 *   import_choose()   asks the server for the collection and its apps; chooses a slug for each app
 *   import_send()     in threads: folder -> script, picture -> a request to the server, which loads
 *                     and stores the app
 *
 * An interrupted import continues if it is started again: an app is not sent if the server has its
 * version, picture and manifest already. */
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

/* The server's state of an app of the collection. */
struct import_state {
	struct str slug;
	struct str origin;  /* empty: it belongs to another account */
	struct str content; /* hash of the manifest's texts, the version and the picture */
};

struct import_app {
	struct arena arena; /* holds the app's texts; data NULL: no such text */
	const char *path;   /* path of its folder */
	struct str name;    /* path of the folder relative to the checkout */
	struct app_manifest manifest;
	struct str origin;	/* its ID in the checkout: from the manifest, else name */
	struct str description; /* its text in the catalogue */
	struct str broken_reason;

	struct str slugs[IMPORT_SLUGS_MAX]; /* possible slugs, the best first */
	struct str slug;		    /* the chosen one */
	const struct import_state *state;   /* the server's state of it; NULL: not on the server */

	bool is_typescript;
	struct buffer script;		      /* as sent; freed afterwards */
	struct str version;		      /* name of the version, made from its content */
	struct buffer picture;		      /* a file of its folder, also freed afterwards */
	struct str picture_name;	      /* name of that file */
	char picture_hash[IMPORT_HASH_BYTES]; /* empty: no picture */

	enum import_outcome outcome;
	struct str outcome_name; /* its name in the report */
	struct str remark;	 /* why it failed, or another remark */
};

struct import {
	struct ctl *ctl;
	struct id collection_id; /* all zero: no collection, in a dry run */
	struct str collection;	 /* name of the collection */
	bool is_dry;		 /* dry run: nothing is written */
	struct import_app *apps;
	size_t count;
	const struct import_state *states; /* the collection's apps that have one of these slugs */
	unsigned state_count;
};

/* Marks the app as failed. why: must be in the app's arena or static. */
static inline void import_fail(struct import_app *app, struct str why)
{
	app->outcome = IMPORT_FAILED;
	app->remark = why;
}

/* Returns the app's name for people. */
static inline struct str import_name(const struct import_app *app)
{
	return app->manifest.name.data ? app->manifest.name : app->slug;
}

/* ---- app_import_scan.c ---- */

/* Finds the apps below a folder, in the order of their paths, and reads their manifests. */
enum ctl_exit import_scan(struct import *import, const char *path);

/* ---- app_import_collection.c ---- */

/* Finds or creates the collection of this folder, reads the server's state of it, and chooses the
 * slugs; an app without one has failed. */
enum ctl_exit import_choose(struct import *import, const char *path);
/* Whether the server has the app's version, picture and manifest. Its script and its picture must
 * have been read. */
bool import_has_all(const struct import_app *app);

/* ---- app_import_send.c ---- */

/* Reads the waiting apps, and sends new and changed ones, several at once. Sets the outcome of
 * each. */
enum ctl_exit import_send(struct import *import);

/* ---- app_import_picture.c ---- */

/* Writes the SHA-256 of the bytes in hexadecimal, with a NUL. */
void import_hash(struct str bytes, char ret_hash[static IMPORT_HASH_BYTES]);

/* Reads the catalogue's picture from the app's folder, if there is one, into picture, picture_name
 * and picture_hash. */
void import_read_picture(struct import_app *app);
