/* Apps of a checkout of a collection, such as the community's repository: what an import reads of
 * each folder. displayctl app import has them on disk, a collection of the server in an archive. */
#pragma once

#include "base/buffer.h"
#include "base/id.h"
#include "checkout/app_manifest.h"
#include "checkout/app_pack.h"

enum {
	IMPORT_SLUGS_MAX = 3,
	IMPORT_HASH_BYTES = 64 + 1,	 /* SHA-256 in hexadecimal */
	IMPORT_PICTURE_NAMES_MAX = 2000, /* names of a folder that are looked at */
};

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

static inline struct str import_language(const struct import_app *app)
{
	return app->is_typescript ? STR("TYPESCRIPT") : STR("STARLARK");
}

/* Frees what the app holds. */
void import_app_finish(struct import_app *app);

/* Sets origin, description, broken_reason and slugs, from the name and the manifest. An app without
 * a slug has failed. */
void import_app_describe(struct import_app *app);

/* Sets the version of the script that was read; a script that is no text has failed. */
void import_app_name_version(struct import_app *app);

/* Appends a line for each waiting app, for the choice of a collection (CollectionChoice.lines). */
void import_write_lines(const struct import_app *apps, size_t count, struct buffer *lines);

/* Chooses a slug for each waiting app: apps that the server knows keep theirs. An app without a
 * free one has failed. */
void import_choose_slugs(struct import_app *apps, size_t count, const struct import_state *states,
			 unsigned state_count, struct str collection);

/* Whether the server has the app's version, picture and manifest. Its script and its picture must
 * have been read. */
bool import_has_all(const struct import_app *app);

/* Appends the body that imports the app (AppImport). */
void import_write_body(const struct import_app *app, bool only_check, struct buffer *body);

/* ---- app_picture.c ---- */

/* Files of an app's folder, without those in folders below. Embed it. */
struct import_pictures {
	const char *folder; /* name of the folder */
	char **names;
	unsigned count; /* at most IMPORT_PICTURE_NAMES_MAX */
	/* Reads a file. Returns false if it cannot be read, or is larger than bytes_max. */
	bool (*read)(const struct import_pictures *pictures, const char *name, size_t bytes_max,
		     struct buffer *data);
};

/* Chooses the picture that the catalogue shows: a WebP, GIF or PNG named like the app, else another
 * WebP or GIF. Pictures of 64x32 are preferred to magnified ones. Sets picture, picture_name and
 * picture_hash.
 *
 * Only the header of the picture is read here: the file is untrusted. A sandboxed worker of the
 * server decodes it (web/apps/own_pictures.h). */
void import_choose_picture(struct import_app *app, const struct import_pictures *pictures);

/* Writes the SHA-256 of the bytes in hexadecimal, with a NUL. */
void import_hash(struct str bytes, char ret_hash[static IMPORT_HASH_BYTES]);
