#include "base/memory.h"
#include "domain/person.h"

#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

/* Made by tools/embed_passwords.py. */
extern const char *const common_passwords[];
extern const size_t common_password_count;

/* A password of fewer different characters is like one key held down. */
enum { DIFFERENT_MIN = 4 };

/* Minimum of bytes besides words about this server: fewer are a year, or common signs after a word.
 */
enum { BESIDE_MIN = 8 };

/* Copies ASCII in lower case: the list has no other letters. */
static void to_lower(struct str text, char *ret)
{
	for (size_t i = 0; i < text.length; i++)
		ret[i] = text.data[i] >= 'A' && text.data[i] <= 'Z' ? (char)(text.data[i] + 32)
								    : text.data[i];
	ret[text.length] = '\0';
}

static int compare(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

static bool is_common(const char *lower)
{
	return common_password_count > 0 && bsearch(lower, common_passwords, common_password_count,
						    sizeof(*common_passwords), compare);
}

/* Whether it is a sequence like "1234567890" or "abcdefghij", up or down. */
static bool is_sequence(const char *lower)
{
	int step;

	if (!lower[0])
		return false;
	step = lower[1] - lower[0];
	for (size_t i = 1; lower[i]; i++) {
		int next = lower[i] - lower[i - 1];

		/* 0 follows 9, and comes before it. */
		if (next != step && !(step == 1 && next == -9) && !(step == -1 && next == 9))
			return false;
	}
	return step == 1 || step == -1;
}

static bool has_variety(struct str password)
{
	uint32_t seen[DIFFERENT_MIN - 1];
	unsigned count = 0;

	while (password.length) {
		uint32_t c = utf8_next(&password);
		unsigned i = 0;

		while (i < count && seen[i] != c)
			i++;
		if (i < count)
			continue;
		if (count == DIFFERENT_MIN - 1)
			return true;
		seen[count++] = c;
	}
	return false;
}

/* Returns the length of the word about this server with which the text begins; 0: none. */
static size_t word_length(struct str text)
{
	/* A longer word precedes its own beginning. */
	static const struct str words[] = {
	    STR("displayd"), STR("display"),	   STR("panel"),
	    STR("pixlet"),   STR("administrator"), STR("admin"),
	};

	for (size_t i = 0; i < array_length(words); i++)
		if (str_starts_with(text, words[i]))
			return words[i].length;
	return 0;
}

/* Whether the password is little more than words that an attacker tries first on this server. */
static bool is_of_the_place(struct str lower)
{
	size_t beside = 0, words = 0;

	while (lower.length > 0) {
		size_t length = word_length(lower);

		words += length > 0;
		beside += length == 0;
		lower = str_from_offset(lower, length > 0 ? length : 1);
	}
	return words > 0 && beside < BESIDE_MIN;
}

const char *password_check(struct str password)
{
	char lower[PASSWORD_BYTES_MAX + 1];

	if (password.length > PASSWORD_BYTES_MAX)
		return "must have at most 1024 bytes";
	to_lower(password, lower);
	if (is_common(lower) || is_sequence(lower) || !has_variety(password))
		return "is one of the most common passwords, choose another one";
	if (is_of_the_place((struct str){lower, password.length}))
		return "is little more than words that are guessed first here, choose another one";
	return NULL;
}

const char *password_check_for(struct str password, struct str email, struct str name)
{
	struct str local = {email.data, str_find(email, '@')};

	if (password.length &&
	    (str_equal_ignore_case(password, email) || str_equal_ignore_case(password, local) ||
	     str_equal_ignore_case(password, name)))
		return "must be neither your e-mail address nor your name";
	return NULL;
}
