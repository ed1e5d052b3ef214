/* Reads and writes values of each type. */
#include "internal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_number(const struct option *option, const char *value, unsigned long long *ret,
		       struct options_error *reterr)
{
	bool is_number = value[0] && value[strspn(value, "0123456789")] == 0;

	errno = 0;
	*ret = is_number ? strtoull(value, NULL, 10) : 0;
	if (!is_number || errno || *ret < option->least || *ret > option->most)
		return options_error_set(reterr, "must be a number from %llu to %llu",
					 option->least, option->most);
	return 0;
}

/* Finds the value among words such as "logfmt|json". */
static int read_choice(const char *words, const char *value, unsigned *ret_index,
		       struct options_error *reterr)
{
	char list[256] = "";
	size_t used = 0;

	*ret_index = 0;
	for (const char *word = words; *word; (*ret_index)++) {
		size_t length = strcspn(word, "|");
		bool is_last = word[length] == 0;
		const char *joint = word == words ? "" : is_last ? " or " : ", ";

		if (strlen(value) == length && memcmp(value, word, length) == 0)
			return 0;
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s", joint,
						 (int)length, word);
		word += length + !is_last;
	}
	return options_error_set(reterr, "must be %s", list);
}

static int make_absolute(char **path, struct options_error *reterr)
{
	char folder[PATH_MAX], *absolute;

	if ((*path)[0] == '/')
		return 0;
	if (!getcwd(folder, sizeof(folder)))
		return options_error_set(reterr, "cannot be made an absolute path");
	absolute = options_grow(NULL, strlen(folder) + 1 + strlen(*path) + 1);
	snprintf(absolute, strlen(folder) + 1 + strlen(*path) + 1, "%s/%s", folder, *path);
	free(*path);
	*path = absolute;
	return 0;
}

/* Copies a value of the member's type; an option whose member has another size has no member. */
static void write_member(const struct option *option, void *target, const void *value, size_t size)
{
	if (target && option->size == size)
		memcpy((char *)target + option->offset, value, size);
}

static void write_number(const struct option *option, void *target, unsigned long long number)
{
	uint64_t wide = number;
	uint32_t narrow = (uint32_t)number;

	write_member(option, target, &wide, sizeof(wide));
	write_member(option, target, &narrow, sizeof(narrow));
}

int options_take(struct option_given *given, void *target, struct options_error *reterr)
{
	const struct option *option = given->option;
	unsigned long long number = 0;
	unsigned index = 0; /* 0: "on" */
	int rc = 0;

	if (option->type == OPTION_ON_OFF)
		rc = read_choice("on|off", given->value, &index, reterr);
	else if (option->type == OPTION_CHOICE)
		rc = read_choice(option->argument, given->value, &index, reterr);
	else if (option->type == OPTION_NUMBER)
		rc = read_number(option, given->value, &number, reterr);
	else if (option->type == OPTION_PATH)
		rc = make_absolute(&given->value, reterr);
	if (rc == 0 && option->check)
		rc = option->check(given->value, reterr);
	if (rc < 0)
		return rc;
	if (option->type == OPTION_SWITCH || option->type == OPTION_ON_OFF)
		write_member(option, target, &(bool){index == 0}, sizeof(bool));
	else if (option->type == OPTION_CHOICE)
		write_number(option, target, index);
	else if (option->type == OPTION_NUMBER)
		write_number(option, target, number);
	else if (option->type != OPTION_LIST)
		write_member(option, target, &(const char *){given->value}, sizeof(const char *));
	return 0;
}
