/* Manifests of apps: for any file, texts have one line without control characters, and tags are a
 * JSON array. */
#include "base/memory.h"
#include "ctl/apps/app_manifest.h"
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <text/utf8.h>
#include <unistd.h>

static void check_line(struct str text)
{
	if (!utf8_is_valid(text))
		abort();
	while (text.length)
		if (utf8_is_control(utf8_next(&text)))
			abort();
}

static void check(const struct app_manifest *manifest, struct arena *arena)
{
	const struct str texts[] = {manifest->id,	manifest->package,	manifest->name,
				    manifest->summary,	manifest->description,	manifest->author,
				    manifest->category, manifest->broken_reason};
	struct json_document document = {0};
	struct str reason;

	for (size_t i = 0; i < array_length(texts); i++)
		check_line(texts[i]);
	if (manifest->tags.data && !json_parse(manifest->tags, arena, &document, &reason))
		abort();
	json_document_finish(&document);
}

/* A file of this process: the reader follows no symbolic links, such as those of /proc. */
static char path[] = "/tmp/displayd-manifest-XXXXXX";
static int file = -1;

static void remove_file(void)
{
	unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
	if (file < 0) {
		file = mkstemp(path);
		atexit(remove_file);
	}
	if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_manifest manifest;
	struct arena arena = {0};
	struct str why = {0};

	write_file(data, size);
	if (app_manifest_read(path, &arena, &manifest, &why))
		check(&manifest, &arena);
	else if (!why.length)
		abort();
	arena_finish(&arena);
	return 0;
}
