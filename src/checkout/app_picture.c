#include "base/hex.h"
#include "base/memory.h"
#include "checkout/checkout.h"
#include "domain/display.h"

#include <ctype.h>
#include <panelimage/panelimage.h>
#include <sodium.h>
#include <stdlib.h>
#include <strings.h>

enum { CANDIDATES_MAX = 16 /* files opened */ };

struct candidate {
	const char *name;
	int rank; /* the smallest is best */
};

/* Whether two names are equal except for case, dashes and the like. */
static bool is_alike(const char *name, size_t length, struct str other)
{
	const char *end = name + length, *at = other.data, *other_end;

	if (!other.data)
		return false;
	other_end = at + other.length;
	for (;;) {
		while (name < end && !isalnum((unsigned char)*name))
			name++;
		while (at < other_end && !isalnum((unsigned char)*at))
			at++;
		if (name == end || at == other_end)
			return name == end && at == other_end;
		if (tolower((unsigned char)*name++) != tolower((unsigned char)*at++))
			return false;
	}
}

/* Returns the rank of a file; -1 if it is not a candidate. "@2x" marks a copy of double size. */
static int rank_of(const struct import_app *app, const char *folder, const char *name)
{
	static const char *const endings[] = {".webp", ".gif", ".png"};
	enum { FORMATS = array_length(endings), PNG = FORMATS - 1 };
	const char *dot = strrchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : 0;
	int format = 0;
	bool is_named;

	while (dot && format < FORMATS && strcasecmp(dot, endings[format]) != 0)
		format++;
	if (length == 0 || format == FORMATS || strstr(name, "@2x"))
		return -1;
	is_named = is_alike(name, length, str_from(folder)) ||
		   is_alike(name, length, app->manifest.id) ||
		   is_alike(name, length, app->manifest.package);
	/* Exclude other PNG files: the app draws with them. */
	if (!is_named && format == PNG)
		return -1;
	return format + (is_named ? 0 : FORMATS);
}

static int compare(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;

	return one->rank != other->rank ? one->rank - other->rank : strcmp(one->name, other->name);
}

/* Finds candidates, the best first. Returns their number. */
static unsigned find_candidates(const struct import_app *app,
				const struct import_pictures *pictures,
				struct candidate *candidates)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pictures->count && i < IMPORT_PICTURE_NAMES_MAX; i++) {
		int rank = rank_of(app, pictures->folder, pictures->names[i]);

		if (rank >= 0)
			candidates[count++] = (struct candidate){pictures->names[i], rank};
	}
	qsort(candidates, count, sizeof(*candidates), compare);
	return count;
}

/* Reads a file and returns the magnification that its header names, see panelimage_magnification();
 * 0 if a panel cannot show the file. */
static unsigned read_picture(struct import_app *app, const struct import_pictures *pictures,
			     const char *name)
{
	struct str view;

	buffer_clear(&app->picture);
	if (!pictures->read(pictures, name, PANELIMAGE_MAGNIFIED_MAX_BYTES, &app->picture))
		return 0;
	view = buffer_view(&app->picture);
	return panelimage_magnification((const uint8_t *)view.data, view.length,
					(struct panelimage_size){DISPLAY_WIDTH, DISPLAY_HEIGHT});
}

void import_hash(struct str text, char ret_hash[static IMPORT_HASH_BYTES])
{
	uint8_t hash[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(hash, (const uint8_t *)text.data, text.length);
	hex_encode(hash, sizeof(hash), ret_hash);
}

/* Chooses the first candidate of at most this magnification, unless one was chosen before. */
static void choose(struct import_app *app, const struct import_pictures *pictures,
		   const struct candidate *candidates, unsigned count, unsigned magnification_max)
{
	for (unsigned i = 0; i < count && i < CANDIDATES_MAX && !app->picture_name.data; i++) {
		unsigned times = read_picture(app, pictures, candidates[i].name);

		if (times == 0 || times > magnification_max)
			continue;
		app->picture_name = arena_copy(&app->arena, str_from(candidates[i].name));
		import_hash(buffer_view(&app->picture), app->picture_hash);
	}
}

void import_choose_picture(struct import_app *app, const struct import_pictures *pictures)
{
	struct candidate *candidates =
	    memory_zalloc(IMPORT_PICTURE_NAMES_MAX * sizeof(*candidates));
	unsigned count = find_candidates(app, pictures, candidates);

	choose(app, pictures, candidates, count, 1);
	choose(app, pictures, candidates, count, PANELIMAGE_MAGNIFICATION_MAX);
	free(candidates);
}
