#include "app_folder.h"
#include "app_import_steps.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdlib.h>

struct disk_pictures {
	struct import_pictures pictures;
	struct import_app *app;
};

static bool read_picture(const struct import_pictures *pictures, const char *name, size_t bytes_max,
			 struct buffer *data)
{
	struct import_app *app = container_of(pictures, struct disk_pictures, pictures)->app;
	struct str path = ARENA_JOIN(&app->arena, str_from(app->path), STR("/"), str_from(name));

	return app_file_read(path.data, false, bytes_max, data) == 0 &&
	       buffer_length(data) <= bytes_max;
}

void import_read_picture(struct import_app *app)
{
	const char *slash = strrchr(app->path, '/');
	struct disk_pictures disk = {
	    .pictures = {.folder = slash ? slash + 1 : app->path, .read = read_picture},
	    .app = app};
	struct import_pictures *pictures = &disk.pictures;
	DIR *folder = opendir(app->path);
	const struct dirent *entry;

	pictures->names = memory_zalloc(IMPORT_PICTURE_NAMES_MAX * sizeof(char *));
	while (folder && pictures->count < IMPORT_PICTURE_NAMES_MAX && (entry = readdir(folder)))
		pictures->names[pictures->count++] = memory_strdup(entry->d_name);
	if (folder)
		closedir(folder);
	import_choose_picture(app, pictures);
	for (unsigned i = 0; i < pictures->count; i++)
		free(pictures->names[i]);
	free(pictures->names);
}
