/* Manifests of apps: for any file, texts have one line without control characters, and tags are a
 * JSON array. */
#include "base/memory.h"
#include "checkout/app_manifest.h"
#include "record/json.h"

#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = memory_alloc(size ? size : 1); /* so that an overrun is detected */
	struct app_manifest manifest;
	struct arena arena = {0};
	struct str why = {0};

	memcpy(copy, data, size);
	if (app_manifest_parse((struct str){copy, size}, &arena, &manifest, &why))
		check(&manifest, &arena);
	else if (!why.length)
		abort();
	arena_finish(&arena);
	free(copy);
	return 0;
}
