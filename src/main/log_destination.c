#include "main/log_destination.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* systemd.exec(5): JOURNAL_STREAM has device and inode of the stream. */
static bool is_journal(const struct stat *error)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];

	snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)error->st_dev, (uintmax_t)error->st_ino);
	return stream && strcmp(stream, own) == 0;
}

/* Finds the unit: the last part of the control group's path. */
static bool find_unit(char *ret_unit, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[LOG_PLACE_BYTES] = "";
	const char *slash;

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	slash = strrchr(line, '/');
	return slash && strstr(slash, ".service") &&
	       (size_t)snprintf(ret_unit, size, "%s", slash + 1) < size;
}

bool log_destination_is_journal(void)
{
	struct stat error;

	return fstat(STDERR_FILENO, &error) == 0 && is_journal(&error);
}

const char *log_destination_find(struct log_destination *ret)
{
	struct stat error;
	char unit[128];
	ssize_t length;

	snprintf(ret->text, sizeof(ret->text), "standard error");
	if (fstat(STDERR_FILENO, &error) < 0)
		return ret->text;
	if (is_journal(&error)) {
		bool has_unit = find_unit(unit, sizeof(unit));

		snprintf(ret->text, sizeof(ret->text), "journalctl %s%s",
			 has_unit ? "--unit " : "--identifier displayd", has_unit ? unit : "");
	} else if (S_ISREG(error.st_mode)) {
		length = readlink("/proc/self/fd/2", ret->text, sizeof(ret->text) - 1);
		ret->text[length < 0 ? 0 : length] = 0;
	}
	return ret->text;
}
