/* Exports of tronbyt servers: for any JSON, either there are faults or at least one device, and
 * all numbers are within the bounds of the database. */
#include "base/limits.h"
#include "base/memory.h"
#include "domain/tronbyt.h"

#include <stdlib.h>
#include <text/utf8.h>

static void check_device(struct tronbyt_export *export, unsigned index)
{
	struct tronbyt_device *device = &export->devices[index];

	if (!utf8_is_valid(device->name) || device->brightness < 0 || device->brightness > 100)
		abort();
	for (unsigned i = 0; i < device->entry_count; i++)
		if (!utf8_is_valid(device->entries[i].note))
			abort();
	tronbyt_settle_night(export, device, index % 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_document document = {0};
	struct tronbyt_export export;
	struct arena arena = {0};
	struct faults faults;
	struct str reason;

	if (json_parse((struct str){(const char *)data, size}, &arena, &document, &reason)) {
		faults_init(&faults, &arena);
		tronbyt_read(document.root, &faults, &export);
		if (faults.count == 0 && export.device_count == 0)
			abort();
		for (unsigned i = 0; faults.count == 0 && i < export.device_count; i++)
			check_device(&export, i);
	}
	json_document_finish(&document);
	arena_finish(&arena);
	return 0;
}
