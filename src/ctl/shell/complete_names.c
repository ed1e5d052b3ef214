#include "complete_names.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/app.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>
#include <unistd.h>

enum { PATIENCE_S = 1 };

void completion_note_option(struct ctl *ctl, struct completion *completion, const char *name,
			    struct str value)
{
	static const char *const kept[] = {"state-dir", "database", "config",
					   "server",	"key-file", "ca-file"};

	for (unsigned i = 0; i < array_length(kept); i++)
		if (strcmp(name, kept[i]) == 0 && completion->option_count < COMPLETION_OPTIONS_MAX)
			completion->options[completion->option_count++] =
			    arena_printf(&ctl->arena, "--%s=%.*s", name, STR_ARG(value));
}

/* A terminal would obey some characters, and a list has lines. */
static bool is_printable(struct str text)
{
	if (!utf8_is_valid(text))
		return false;
	while (text.length) {
		uint32_t c = utf8_next(&text);

		if (utf8_is_steering(c) || utf8_is_control(c))
			return false;
	}
	return true;
}

static size_t sentence_length(struct str text)
{
	const char *end = text.length ? memmem(text.data, text.length, ". ", 2) : NULL;

	if (end)
		return (size_t)(end - text.data);
	return text.length - (text.length && text.data[text.length - 1] == '.');
}

void completion_offer(const struct completion *completion, struct str word, struct str about)
{
	if (!word.length || !str_starts_with(word, completion->current) || !is_printable(word))
		return;
	printf("%.*s%.*s", STR_ARG(completion->before), STR_ARG(word));
	if (about.length && is_printable(about))
		printf("\t%.*s", (int)sentence_length(about), about.data);
	putchar('\n');
}

/* ---- what the server has ---- */

static void give_up(int number)
{
	(void)number;
	_exit(0);
}

/* Reads the arguments as for a command that lists it. False: there is no such server. */
static bool prepare(struct ctl *ctl, const struct completion *completion, const char *noun)
{
	char *argv[COMPLETION_OPTIONS_MAX + 4] = {"displayctl"};
	int argc = 1;
	enum ctl_wish wish;

	for (unsigned i = 0; i < completion->option_count; i++)
		argv[argc++] = (char *)(uintptr_t)completion->options[i].data;
	argv[argc++] = (char *)(uintptr_t)noun;
	argv[argc++] = "list";
	/* Ends soon and in silence: somebody waits behind a word. */
	if (fflush(stdout) != 0 || !freopen("/dev/null", "w", stderr))
		return false;
	signal(SIGALRM, give_up);
	alarm(PATIENCE_S);
	return ctl_read_arguments(ctl, argc, argv, &wish) == CTL_DONE && !remote_needs_key(ctl);
}

static struct str id_text(struct ctl *ctl, struct id id)
{
	char text[ID_TEXT_LENGTH + 1];

	id_format(id, text);
	return arena_copy(&ctl->arena, str_from(text));
}

static unsigned count_of_name(const struct ctl_rows *rows, struct str name)
{
	const struct inventory_device *devices = rows->rows;
	unsigned count = 0;

	for (unsigned i = 0; i < rows->count && count < 2; i++)
		count += str_equal(devices[i].name, name);
	return count;
}

/* A name that two devices have means none of them. An ID or a serial number is offered to who has
 * begun to type it. */
static void offer_devices(struct ctl *ctl, const struct completion *completion)
{
	const struct ctl_request request = {.path = STR("/web/admin/devices")};
	const struct inventory_device *devices;
	struct ctl_rows rows = {0};

	if (!prepare(ctl, completion, "device") ||
	    (ctl->remote
		 ? ctl_list_own_devices(ctl, &rows)
		 : ctl_ask_rows(ctl, &request, &inventory_device_record, &rows)) != CTL_DONE)
		return;
	devices = rows.rows;
	for (unsigned i = 0; i < rows.count; i++) {
		struct str name = devices[i].name, id = id_text(ctl, devices[i].id);
		bool is_name = is_printable(name) && count_of_name(&rows, name) == 1;

		if (is_name)
			completion_offer(completion, name, devices[i].account);
		if (!is_name || completion->current.length)
			completion_offer(completion, id, name);
		if (completion->current.length)
			completion_offer(completion, devices[i].serial, name);
	}
}

struct named_row {
	struct id id;
	struct str word;
	struct str name;
};

/* Rows of a list that have a word, and a name beside it. */
static void offer_rows(struct ctl *ctl, const struct completion *completion, struct str path,
		       const struct record *record)
{
	const struct named_row *named;
	struct ctl_rows rows = {0};

	if (ctl_ask_rows(ctl, &(struct ctl_request){.path = path}, record, &rows) != CTL_DONE)
		return;
	named = rows.rows;
	for (unsigned i = 0; i < rows.count; i++)
		completion_offer(completion,
				 named[i].word.data ? named[i].word : id_text(ctl, named[i].id),
				 named[i].name);
}

static void offer_apps(struct ctl *ctl, const struct completion *completion)
{
	static const struct record_field fields[] = {
	    RECORD_STR(struct named_row, word, .name = "slug"),
	    RECORD_STR(struct named_row, name, .name = "name"),
	};
	static const struct record record = RECORD(struct named_row, fields);
	static const struct record_field keyed_fields[] = {
	    RECORD_ID(struct named_row, id, .name = "id"),
	    RECORD_STR(struct named_row, name, .name = "name"),
	};
	static const struct record keyed_record = RECORD(struct named_row, keyed_fields);

	if (!prepare(ctl, completion, "app"))
		return;
	if (ctl->remote)
		offer_rows(ctl, completion, STR("/v1/apps"), &keyed_record);
	else
		offer_rows(ctl, completion, STR("/web/admin/apps"), &record);
}

static void offer_accounts(struct ctl *ctl, const struct completion *completion)
{
	static const struct record_field fields[] = {
	    RECORD_STR(struct named_row, word, .name = "email"),
	    RECORD_STR(struct named_row, name, .name = "name"),
	};
	static const struct record record = RECORD(struct named_row, fields);

	if (prepare(ctl, completion, "account"))
		offer_rows(ctl, completion, STR("/web/admin/accounts"), &record);
}

/* ---- by the argument's name ---- */

static struct str without_brackets(struct str argument)
{
	if (!argument.length || argument.data[0] != '[')
		return argument;
	argument = str_from_offset(argument, 1);
	argument.length -= argument.length && argument.data[argument.length - 1] == ']';
	return argument;
}

static bool is_file(struct str argument)
{
	static const char *const names[] = {"FILE", "DIR", "PATH", "FOLDER"};

	for (unsigned i = 0; i < array_length(names); i++)
		if (str_equal(argument, str_from(names[i])))
			return true;
	return false;
}

void completion_offer_value(struct ctl *ctl, const struct completion *completion,
			    struct str argument)
{
	static const struct {
		const char *argument;
		void (*offer)(struct ctl *ctl, const struct completion *completion);
	} kinds[] = {{"DEVICE", offer_devices}, {"APP", offer_apps}, {"EMAIL", offer_accounts}};
	struct str word;

	argument = without_brackets(argument);
	if (is_file(argument))
		puts(":");
	else if (str_find(argument, '|') < argument.length)
		while (str_next(&argument, '|', &word))
			completion_offer(completion, word, STR(""));
	for (unsigned i = 0; i < array_length(kinds); i++)
		if (str_equal(argument, str_from(kinds[i].argument)))
			kinds[i].offer(ctl, completion);
}
