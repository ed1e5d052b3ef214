#include "ctl/server/body.h"
#include "base/require.h"
#include "record/json.h"

#include <stdlib.h>

/* Returns the texts of an option that may be given several times, as a JSON array; data is NULL if
 * it was not given. */
static struct str list_of(struct ctl *ctl, const struct option *option)
{
	struct buffer json = {0};
	struct str text = {0};

	for (unsigned i = 0; i < ctl->options.given_count; i++) {
		const struct option_given *given = &ctl->options.given[i];

		if (given->option != option)
			continue;
		buffer_append_char(&json, buffer_length(&json) ? ',' : '[');
		json_write_str(&json, str_from(given->value));
	}
	if (buffer_length(&json)) {
		buffer_append_char(&json, ']');
		text = arena_copy(&ctl->arena, buffer_view(&json));
	}
	buffer_finish(&json);
	return text;
}

/* The table of options has checked the value. */
static struct ctl_member member_of(struct ctl *ctl, const struct option *option, const char *name)
{
	struct str text = ctl_value(ctl, option->name);

	if (option->type == OPTION_LIST)
		return (struct ctl_member){name, list_of(ctl, option), true};
	if (!text.data || option->type == OPTION_TEXT || option->type == OPTION_CHOICE)
		return (struct ctl_member){name, text, false};
	if (option->type == OPTION_NUMBER)
		text = arena_printf(&ctl->arena, "%lld", strtoll(text.data, NULL, 10));
	else
		text = str_equal(text, STR("off")) ? STR("false") : STR("true");
	return (struct ctl_member){name, text, true};
}

struct str ctl_body_of_options(struct ctl *ctl, const struct ctl_member *more)
{
	enum { MEMBERS_MAX = 40 };
	const struct option *options = ctl->command->line.options;
	struct ctl_member members[MEMBERS_MAX + 1];
	unsigned count = 0;

	for (unsigned i = 0; options[i].name; i++) {
		if (!ctl->command->members[i])
			continue;
		require(count < MEMBERS_MAX);
		members[count++] = member_of(ctl, &options[i], ctl->command->members[i]);
	}
	for (; more && more->name; more++) {
		require(count < MEMBERS_MAX);
		members[count++] = *more;
	}
	members[count] = (struct ctl_member){0};
	return ctl_body(ctl, members);
}

struct str ctl_option_of(const struct ctl *ctl, struct str member)
{
	const struct option *options = ctl->command->line.options;
	const char *const *members = ctl->command->members;

	for (unsigned i = 0; members && options[i].name; i++)
		if (members[i] && str_equal(member, str_from(members[i])))
			return str_from(options[i].name);
	return member;
}
