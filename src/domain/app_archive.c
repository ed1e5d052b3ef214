#include "domain/app_archive.h"
#include "domain/firmware_releases.h"

#include <text/utf8.h>

const char *app_archive_url_check(struct str url)
{
	return url.length && !firmware_releases_check(url)
		   ? NULL
		   : "must be an address with https://, at most 500 characters, without a user";
}

const char *app_archive_folder_check(struct str folder)
{
	while (folder.length)
		if (utf8_is_control(utf8_next(&folder)))
			return "must not contain control characters";
	return NULL;
}

struct str app_archive_name(struct str url, struct arena *arena)
{
	static const struct str scheme = STR("https://");
	struct str rest = str_from_offset(url, scheme.length), host, owner, name;

	(void)str_next(&rest, '/', &host);
	if (!str_next(&rest, '/', &owner) || !str_next(&rest, '/', &name) || !owner.length ||
	    !name.length || owner.length + name.length >= APP_ARCHIVE_NAME_MAX)
		return arena_copy(arena, (struct str){host.data, host.length < APP_ARCHIVE_NAME_MAX
								     ? host.length
								     : APP_ARCHIVE_NAME_MAX});
	return ARENA_JOIN(arena, owner, STR("/"), name);
}
