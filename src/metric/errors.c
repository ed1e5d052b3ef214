#include "metric/errors.h"
#include "base/log.h"

#include <stdatomic.h>
#include <text/utf8.h>

enum { WORDS = ERROR_LINE_BYTES / sizeof(uint64_t) };

/* Entry of one line. Processes take entries in turn. The number is odd while line n is being
 * written, 2 * n + 1, then 2 * n + 2. A process that is so slow that its entry is reused writes
 * into another's line: so a line counts only if its check fits. Nothing waits for a process that
 * may have been killed while writing. */
struct entry {
	_Atomic uint64_t number;
	_Atomic uint64_t check;
	_Atomic uint64_t length;
	_Atomic uint64_t words[WORDS];
};

struct errors {
	_Atomic uint64_t next;
	struct entry entries[ERRORS_KEPT];
};

const struct region error_region = {
    .name = "errors",
    .version = 1,
    .size = sizeof(struct errors),
};

static struct errors *own;

static size_t cut(struct str line)
{
	if (str_ends_with(line, STR("\n")))
		line.length--;
	return utf8_cut(line, ERROR_LINE_BYTES).length;
}

/* FNV-1a, a word at a time: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t check_of(uint64_t number, uint64_t length, const uint64_t words[static WORDS])
{
	static const uint64_t offset_basis = 0xcbf29ce484222325, prime = 0x100000001b3;
	uint64_t check = (offset_basis ^ number) * prime;

	check = (check ^ length) * prime;
	for (unsigned i = 0; i < WORDS; i++)
		check = (check ^ words[i]) * prime;
	return check;
}

static void keep(struct str line)
{
	uint64_t number = atomic_fetch_add(&own->next, 1);
	struct entry *entry = &own->entries[number % ERRORS_KEPT];
	uint64_t words[WORDS] = {0};
	size_t length = cut(line);

	memcpy(words, line.data, length);
	atomic_store(&entry->number, 2 * number + 1);
	atomic_store(&entry->check, check_of(number, length, words));
	atomic_store(&entry->length, length);
	for (unsigned i = 0; i < WORDS; i++)
		atomic_store(&entry->words[i], words[i]);
	atomic_store(&entry->number, 2 * number + 2);
}

void errors_attach(struct region_map *shared)
{
	own = region_common(shared, &error_region);
	log_set_witness(keep);
}

void errors_detach(void)
{
	log_set_witness(NULL);
	own = NULL;
}

static void read_one(struct entry *entry, uint64_t number,
		     void (*each)(void *context, struct str line), void *context)
{
	uint64_t words[WORDS];
	uint64_t check, length;

	if (atomic_load(&entry->number) != 2 * number + 2)
		return;
	check = atomic_load(&entry->check);
	length = atomic_load(&entry->length);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = atomic_load(&entry->words[i]);
	if (length <= ERROR_LINE_BYTES && check == check_of(number, length, words))
		each(context, (struct str){(const char *)words, length});
}

void errors_read(struct region_map *shared, void (*each)(void *context, struct str line),
		 void *context)
{
	struct errors *errors = region_common(shared, &error_region);
	uint64_t end = atomic_load(&errors->next);

	for (uint64_t number = end > ERRORS_KEPT ? end - ERRORS_KEPT : 0; number < end; number++)
		read_one(&errors->entries[number % ERRORS_KEPT], number, each, context);
}
