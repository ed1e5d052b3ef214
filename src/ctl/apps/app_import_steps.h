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

#include "checkout/checkout.h"
#include "ctl/ctl.h"

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

/* ---- app_import_scan.c ---- */

/* Finds the apps below a folder, in the order of their paths, and reads their manifests. */
enum ctl_exit import_scan(struct import *import, const char *path);

/* ---- app_import_collection.c ---- */

/* Finds or creates the collection of this folder, reads the server's state of it, and chooses the
 * slugs; an app without one has failed. */
enum ctl_exit import_choose(struct import *import, const char *path);
/* ---- app_import_send.c ---- */

/* Reads the waiting apps, and sends new and changed ones, several at once. Sets the outcome of
 * each. */
enum ctl_exit import_send(struct import *import);

/* ---- app_import_picture.c ---- */

/* Reads the catalogue's picture from the app's folder, if there is one, into picture, picture_name
 * and picture_hash. */
void import_read_picture(struct import_app *app);
