/* Apps in an archive, a .tar.gz or .zip from anywhere. A sandboxed program unpacks it
 * (subprojects/render-starlark/collection.go), which limits its files, bytes and names; a worker
 * gives it blocks of the file.
 *
 *   archive_open() -> on_app() for each app -> on_listed() -> archive_want()
 *     -> archive_next() -> on_file() for each file of an app -> on_app_end() -> archive_next() ...
 *     -> on_end()
 *
 * What the program says is untrusted: names of files are checked here, too. */
#pragma once

#include "render/engine.h"

enum {
	ARCHIVE_APPS_MAX = 5000,
	/* Most bytes of an app's files, and of all manifests. */
	ARCHIVE_APP_BYTES_MAX = 32 * 1024 * 1024,
	ARCHIVE_MANIFEST_BYTES_MAX = 64 * 1024 * 1024,
	ARCHIVE_PATH_MAX = 500,
	ARCHIVE_HASH_LENGTH = 64,
	ARCHIVE_PROBLEM_BYTES = 200,
};

/* App of an archive. Texts are valid until the callback returns, and UTF-8. */
struct archive_app {
	struct str path;   /* relative to the archive's folder */
	struct str sha256; /* of its files, in hexadecimal */
	struct str manifest;
	struct str fault; /* why its files cannot be had; empty: they can */
};

struct archive_flight;

/* Embed it. Its public members must not change until archive_close(). */
struct archive {
	/* The archive's bytes; data NULL: those of the file. Both stay the caller's until
	 * archive_close() and on_closed(). */
	struct str bytes;
	int file; /* descriptor */
	int64_t size;
	struct str folder; /* of the apps; empty: all */
	bool is_alone;	   /* all of it is one app, with a manifest or without */

	void (*on_app)(struct archive *archive, const struct archive_app *app);
	void (*on_listed)(struct archive *archive);
	/* name: relative to the app's folder. */
	void (*on_file)(struct archive *archive, struct str name, struct str content);
	void (*on_app_end)(struct archive *archive, unsigned app);
	/* Called once, unless archive_close() was called before: all was given, or there is a
	 * problem (empty: none). */
	void (*on_end)(struct archive *archive, const char *problem);
	/* Called once, later, after archive_close(): nothing uses the file any more. */
	void (*on_closed)(struct archive *archive);

	bool is_lost;	 /* in on_end(): the problem is not the archive's, another try may help */
	unsigned cpu_ms; /* in on_closed(): CPU time of the program, if it has ended */

	struct archive_flight *flight; /* private */
};

/* Starts to list the apps. Callbacks are called later. */
void archive_open(struct engines *engines, struct loop *loop, struct archive *archive);
/* Names the apps whose files are wanted, by their numbers from 0, once, after on_listed(). If count
 * is 0, on_end() follows. */
void archive_want(struct archive *archive, const unsigned *apps, unsigned count);
/* Asks for the next app. Call it once before each on_app_end(). */
void archive_next(struct archive *archive);
/* Ends the program. Call it for each opened archive, once; also in a callback. */
void archive_close(struct archive *archive);
