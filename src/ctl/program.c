#include "program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool join(char to[static PATH_MAX], const char *folder, const char *name)
{
	return snprintf(to, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && access(to, X_OK) == 0;
}

/* The folder that this program is in. */
static bool find_folder(char ret_folder[static PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", ret_folder, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return false;
	ret_folder[length] = '\0';
	slash = strrchr(ret_folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

bool program_find(const char *folder, const char *name, char ret_path[static PATH_MAX])
{
	char own[PATH_MAX], other[2 * PATH_MAX];

	if (!find_folder(own))
		return false;
	snprintf(other, sizeof(other), "%s/../../subprojects/%s", own, folder);
	if (join(ret_path, other, name))
		return true;
	snprintf(other, sizeof(other), "%s/../libexec/displayd", own);
	return join(ret_path, other, name) || join(ret_path, DISPLAYD_LIBEXECDIR, name);
}

bool program_find_launcher(char ret_path[static PATH_MAX])
{
	return program_find("sandbox", PROGRAM_LAUNCHER, ret_path);
}
