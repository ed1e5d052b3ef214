/* Suggests names near an unknown one. */
#include "internal.h"

#include <string.h>

enum {
	NAME_LENGTH_MAX = 60, /* longer names get no suggestion */
	WORDS_BYTES = 64,
	/* Quoted text may be a URL, which callers recognize by its end. */
	QUOTED_BYTES = 512,
	TOO_FAR = 3, /* letters */
};

/* Returns the least number of letters to change, add or drop (Levenshtein distance). */
static unsigned distance_to(const char *name, size_t length, const char *right)
{
	unsigned row[NAME_LENGTH_MAX + 1];
	size_t width = strlen(right);

	if (length > NAME_LENGTH_MAX || width > NAME_LENGTH_MAX)
		return NAME_LENGTH_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= length; i++) {
		unsigned diagonal = row[0]++;

		for (size_t j = 1; j <= width; j++) {
			unsigned best = diagonal + (name[i - 1] != right[j - 1]);
			unsigned shorter = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

			diagonal = row[j];
			row[j] = best < shorter ? best : shorter;
		}
	}
	return row[width];
}

/* Keeps the candidate if it is nearer to the name, and near enough at all. */
static void compare(const char *name, size_t length, const char *candidate, const char **nearest,
		    unsigned *distance)
{
	unsigned found = distance_to(name, length, candidate);

	if (found < *distance && found < length && found < strlen(candidate)) {
		*nearest = candidate;
		*distance = found;
	}
}

const char *options_nearest(const struct options *options, const char *name, size_t length)
{
	const char *nearest = NULL;
	unsigned distance = TOO_FAR;

	for (const struct option *one = NULL; (one = options_next(options, one));)
		compare(name, length, one->name, &nearest, &distance);
	return nearest;
}

/* ---- commands ---- */

static const char *nearest_command(const struct option_set *set, const char *words)
{
	const char *nearest = NULL;
	unsigned distance = TOO_FAR;

	for (unsigned i = 0; set->command(i); i++)
		compare(words, strlen(words), set->command(i)->name, &nearest, &distance);
	return nearest;
}

static const char *translate(const struct option_set *set, const char *word)
{
	for (const struct option_synonym *one = set->synonyms; one && one->name; one++)
		if (strcmp(one->name, word) == 0)
			return one->meant;
	return word;
}

static void join(char words[static WORDS_BYTES], const char *first, const char *second)
{
	snprintf(words, WORDS_BYTES, "%s%s%s", first, second[0] ? " " : "", second);
}

/* Finds the command that was meant by a mistyped name, a synonym, swapped words or an extra word.
 */
static const char *find_meant(const struct option_set *set, const char *first, const char *second)
{
	const char *nearest;
	char words[WORDS_BYTES];

	join(words, first, second);
	nearest = nearest_command(set, words);
	join(words, translate(set, first), translate(set, second));
	if (!nearest)
		nearest = nearest_command(set, words);
	join(words, translate(set, second), translate(set, first));
	if (!nearest && second[0])
		nearest = nearest_command(set, words);
	if (!nearest)
		nearest = nearest_command(set, first);
	return nearest;
}

const struct option_topic *options_find_topic(const struct option_set *set, const char *name)
{
	for (const struct option_topic *one = set->topics; one && one->name; one++)
		if (strcmp(one->name, name) == 0)
			return one;
	return NULL;
}

bool options_is_of_topic(const struct option_command *command, const struct option_topic *topic)
{
	size_t length = strlen(topic->name);

	return strncmp(command->name, topic->name, length) == 0 && command->name[length] == ' ';
}

/* Writes "create, list and show". */
static void list_commands(const struct option_set *set, const struct option_topic *topic,
			  char *text, size_t size)
{
	const char *before = NULL;

	text[0] = 0;
	for (unsigned i = 0; set->command(i); i++) {
		size_t length = strlen(text);

		if (!options_is_of_topic(set->command(i), topic))
			continue;
		if (before)
			snprintf(text + length, size - length, "%s%s", length ? ", " : "", before);
		before = set->command(i)->name + strlen(topic->name) + 1;
	}
	snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? " and " : "",
		 before ? before : "");
}

int options_fail_topic(const struct option_set *set, const struct option_topic *topic,
		       struct options_error *reterr)
{
	char verbs[256];

	list_commands(set, topic, verbs, sizeof(verbs));
	return options_error_set(reterr, "%s what? There are %s; see %s help %s", topic->name,
				 verbs, set->program, topic->name);
}

int options_fail_command(const struct option_set *set, const char *first, const char *second,
			 struct options_error *reterr)
{
	const char *verb = second[0] == '-' ? "" : second;
	const char *nearest = find_meant(set, first, verb), *near_topic = NULL;
	const struct option_topic *topic = options_find_topic(set, first);
	unsigned distance = TOO_FAR;
	char words[QUOTED_BYTES], verbs[256];

	snprintf(words, sizeof(words), "%s%s%s", first, verb[0] ? " " : "", verb);
	if (nearest)
		return options_error_set(reterr, "there is no command %s; did you mean %s?", words,
					 nearest);
	for (const struct option_topic *one = set->topics; one && one->name; one++)
		compare(first, strlen(first), one->name, &near_topic, &distance);
	if (!topic && near_topic)
		topic = options_find_topic(set, near_topic);
	if (!topic)
		return options_error_set(reterr, "there is no command %s; see %s --help", words,
					 set->program);
	list_commands(set, topic, verbs, sizeof(verbs));
	return options_error_set(reterr, "there is no command %s; the commands of %s are %s", words,
				 topic->name, verbs);
}
