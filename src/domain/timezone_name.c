#include "base/memory.h"
#include "domain/timezone.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { NAME_LENGTH_MAX = 63 };

static bool has_name_form(struct str name)
{
	if (name.length == 0 || name.length > NAME_LENGTH_MAX || name.data[0] == '/')
		return false;
	for (size_t i = 0; i < name.length; i++) {
		char c = name.data[i];

		/* No dot: neither "..", nor the tables that lie beside the zones. */
		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      c == '_' || c == '+' || c == '-' || c == '/'))
			return false;
	}
	return true;
}

/* Files in the zones' folder that are no zones. */
static bool is_reserved(struct str name)
{
	return str_starts_with(name, STR("posix/")) || str_starts_with(name, STR("right/")) ||
	       str_equal(name, STR("posixrules")) || str_equal(name, STR("localtime")) ||
	       str_equal(name, STR("Factory"));
}

bool timezone_is_known(struct str name)
{
	char path[sizeof("/usr/share/zoneinfo/") + NAME_LENGTH_MAX];
	char magic[4];
	ssize_t size;
	int fd;

	if (!has_name_form(name) || is_reserved(name))
		return false;
	snprintf(path, sizeof(path), "/usr/share/zoneinfo/%.*s", STR_ARG(name));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	size = read(fd, magic, sizeof(magic));
	close(fd);
	return size == 4 && memcmp(magic, "TZif", 4) == 0; /* RFC 8536 section 3.1 */
}
