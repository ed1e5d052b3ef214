/* Commands that ask for one operation of docs/api and print its answer.
 *
 *   arguments -> objects of the path -> question -> request -> answer, as the server wrote it */
#include "base/memory.h"
#include "base/require.h"
#include "ctl/server/client.h"
#include "ctl/server/problem.h"
#include "ctl/server/remote.h"
#include "record/json_text.h"

#include <text/utf8.h>

/* ---- the path ---- */

/* Returns the argument that names an object: the option of this name, else the first argument. */
static struct str name_of(const struct ctl *ctl, const char *option)
{
	struct str name = ctl_value(ctl, option);

	return name.data ? name : ctl->positionals[0];
}

static enum ctl_exit find_account(struct ctl *ctl, struct ctl_found *found)
{
	return ctl_find_account(ctl, ctl->positionals[0], found);
}

static enum ctl_exit find_device(struct ctl *ctl, struct ctl_found *found)
{
	struct inventory_device device = {0};
	enum ctl_exit code = ctl_find_listed_device(ctl, name_of(ctl, "device"), &device);

	found->id = found->segment = ctl_id_text(ctl, device.id);
	found->json = ctl_device_json(ctl, &device);
	return code;
}

/* Requires the device in found. */
static enum ctl_exit find_installation(struct ctl *ctl, struct ctl_found *found)
{
	struct str device = found->id;

	return ctl_find_installation(ctl, device, ctl->positionals[0], found);
}

/* Takes the argument as it is: the server finds what it names. */
static enum ctl_exit take_id(struct ctl *ctl, struct ctl_found *found, const char *words)
{
	found->id = ctl->positionals[0];
	found->segment = ctl_encode(ctl, found->id);
	if (ctl_is_segment(found->id))
		return CTL_DONE;
	return ctl_fail(CTL_NOT_FOUND, "%s %.*s", words, STR_ARG(found->id));
}

static enum ctl_exit take_webhook(struct ctl *ctl, struct ctl_found *found)
{
	return take_id(ctl, found, "the account has no webhook");
}

static enum ctl_exit take_collection(struct ctl *ctl, struct ctl_found *found)
{
	return take_id(ctl, found, "there is no collection");
}

/* Replaces the names in braces by what the arguments name; *ret_found is the last one. */
static enum ctl_exit fill(struct ctl *ctl, struct str path, struct str *ret_path,
			  struct ctl_found *ret_found)
{
	static const struct {
		const char *name;
		enum ctl_exit (*find)(struct ctl *ctl, struct ctl_found *found);
	} kinds[] = {{"{accountId}", find_account},	  {"{appId}", ctl_find_app},
		     {"{collectionId}", take_collection}, {"{deviceId}", find_device},
		     {"{firmwareId}", ctl_find_firmware}, {"{installationId}", find_installation},
		     {"{webhookId}", take_webhook}};
	enum ctl_exit code = CTL_DONE;
	struct str segment;

	*ret_path = STR("");
	while (code == CTL_DONE && str_next(&path, '/', &segment)) {
		for (unsigned i = 0; i < array_length(kinds); i++) {
			if (!str_equal(segment, str_from(kinds[i].name)))
				continue;
			code = kinds[i].find(ctl, ret_found);
			segment = ret_found->segment;
			break;
		}
		if (segment.length)
			*ret_path = ARENA_JOIN(&ctl->arena, *ret_path, STR("/"), segment);
	}
	return code;
}

/* Returns the path of the operation. Operations of /web for an account's devices have twins in /v1,
 * which is all that an API key opens. */
static struct str path_of(struct ctl *ctl)
{
	const struct ctl_command *command = ctl->command;
	struct str path = str_from(command->path), pages = STR("/web/");
	bool is_of_all = ctl->remote ? remote_is_of_another(ctl) : !ctl_value(ctl, "account").data;

	if (command->path_of_all && is_of_all)
		return str_from(command->path_of_all);
	if (remote_has_key_only(ctl) && str_starts_with(path, pages))
		return ARENA_JOIN(&ctl->arena, STR("/v1/"), str_from_offset(path, pages.length));
	return path;
}

/* ---- the question ---- */

/* Returns the first of these members, "name|id", that is not null, for people; of "apps app" the
 * member apps and what it counts: "2 apps". */
static struct str member_of(struct ctl *ctl, yyjson_val *object, struct str names)
{
	size_t space = str_find(names, ' ');
	struct str thing = str_from_offset(names, space), name, text = STR("");
	yyjson_val *member = NULL;

	names.length = space;
	while ((!member || yyjson_is_null(member)) && str_next(&names, '|', &name))
		member = yyjson_obj_getn(object, name.data, name.length);
	if (yyjson_is_str(member))
		text = json_text(member);
	else if (yyjson_is_int(member))
		text = arena_printf(&ctl->arena, "%lld%.*s%s", (long long)yyjson_get_sint(member),
				    STR_ARG(thing),
				    thing.length && yyjson_get_sint(member) != 1 ? "s" : "");
	return text;
}

/* Returns the question with members of the object in place of their names in braces. */
static struct str write_question(struct ctl *ctl, struct str json)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	struct str rest = str_from(ctl->command->question), text = STR("");

	while (rest.length) {
		size_t begin = str_find(rest, '{'), end = str_find(rest, '}');
		struct str before = {rest.data, begin}, names;

		if (end == rest.length) {
			text = ARENA_JOIN(&ctl->arena, text, rest);
			break;
		}
		names = (struct str){rest.data + begin + 1, end - begin - 1};
		text = ARENA_JOIN(&ctl->arena, text, before,
				  member_of(ctl, yyjson_doc_get_root(document), names));
		rest = str_from_offset(rest, end + 1);
	}
	yyjson_doc_free(document);
	return text;
}

/* Asks the person, with the object as the server describes it. */
static enum ctl_exit confirm(struct ctl *ctl, const struct ctl_request *request,
			     struct ctl_found *found)
{
	struct ctl_request look = *request;
	enum ctl_exit code = CTL_DONE;

	if (!ctl->command->question)
		return CTL_DONE;
	look.method = NULL;
	if (!found->json.data)
		code = ctl_ask_json(ctl, &look, &found->json);
	if (code != CTL_DONE)
		return code;
	return ctl_confirm(ctl, "%.*s", STR_ARG(write_question(ctl, found->json)));
}

/* ---- lists ---- */

/* Whether the answer is an array of objects that have the first of these columns. */
static bool is_list_of(struct str json, struct str columns)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	yyjson_val *rows = yyjson_doc_get_root(document), *row;
	bool is_list = yyjson_is_arr(rows);
	struct str first = {0};
	size_t i, count;

	(void)str_next(&columns, ' ', &first);
	yyjson_arr_foreach(rows, i, count, row) is_list &=
	    yyjson_obj_getn(row, first.data, first.length) != NULL;
	yyjson_doc_free(document);
	return is_list;
}

/* Keeps what belongs to --account, which must exist, in a list that an administrator asked for. */
static enum ctl_exit keep_own(struct ctl *ctl, struct str *json)
{
	struct ctl_found found = {0};
	enum ctl_exit code;

	if (!remote_is_of_another(ctl))
		return CTL_DONE;
	code = ctl_find_account(ctl, ctl_value(ctl, "account"), &found);
	if (code == CTL_DONE)
		*json = ctl_json_rows(ctl, *json, "account", ctl_value(ctl, "account"));
	return code;
}

/* ---- the request ---- */

enum { MEMBERS_MAX = 4 }; /* beside those of options */

/* Reads the last argument, which is a text, or one of the command's words, or a number. */
static enum ctl_exit read_argument(struct ctl *ctl, struct ctl_member *ret_member)
{
	const struct ctl_command *command = ctl->command;
	struct str value = ctl->positionals[ctl->options.positional_count - 1], word;
	struct str words = str_from(command->words);

	*ret_member =
	    (struct ctl_member){command->argument, value, command->words || command->takes_number};
	if (!ret_member->is_json)
		return utf8_is_valid(value)
			   ? CTL_DONE
			   : ctl_fail(CTL_USAGE, "%s must be UTF-8", ctl_last_argument(ctl));
	while (str_next(&words, ' ', &word)) {
		size_t sign = str_find(word, '=');

		if (str_equal(value, (struct str){word.data, sign})) {
			ret_member->value = str_from_offset(word, sign + 1);
			return CTL_DONE;
		}
	}
	if (command->takes_number && str_to_uint64(value, INT64_MAX, &(unsigned long long){0}))
		return CTL_DONE;
	return ctl_fail(CTL_USAGE, "%s must be %s; see displayctl %s --help",
			ctl_last_argument(ctl),
			!command->words		? "a number"
			: command->takes_number ? "a number or a word"
						: "one of its words",
			command->line.name);
}

static enum ctl_exit write_body(struct ctl *ctl, const struct ctl_member *more,
				struct str *ret_body)
{
	const struct ctl_command *command = ctl->command;
	bool changes = strcmp(command->method, "PATCH") == 0;
	struct ctl_member members[MEMBERS_MAX + 1] = {{0}};
	unsigned count = 0;

	if (command->argument && read_argument(ctl, &members[count++]) != CTL_DONE)
		return CTL_USAGE;
	for (; more && more->name; more++) {
		require(count < MEMBERS_MAX);
		members[count++] = *more;
	}
	*ret_body = ctl_body_of_options(ctl, members);
	if (changes && str_equal(*ret_body, STR("{}")))
		return ctl_fail(CTL_USAGE, "%s needs at least one option; see displayctl %s --help",
				command->line.name, command->line.name);
	return CTL_DONE;
}

/* Returns what messages name: the object of the command, else its account. */
static struct str subject_of(const struct ctl *ctl)
{
	struct str account = ctl_value(ctl, "account");

	if (ctl->positionals[0].data || account.data)
		return ctl->positionals[0].data ? ctl->positionals[0] : account;
	return ctl->remote ? ctl->remote->session.email : (struct str){0};
}

enum ctl_exit ctl_ask_plain(struct ctl *ctl, const struct ctl_member *more, struct str *ret_json)
{
	const struct ctl_command *command = ctl->command;
	bool is_read = strcmp(command->method, "GET") == 0;
	struct ctl_request request = {.method = is_read ? NULL : command->method,
				      .account = ctl_value(ctl, "account"),
				      .subject = subject_of(ctl)};
	struct ctl_found found = {0};
	enum ctl_exit code = CTL_DONE;

	if (command->has_body)
		code = write_body(ctl, more, &request.body);
	if (code == CTL_DONE)
		code = fill(ctl, path_of(ctl), &request.path, &found);
	if (code == CTL_DONE)
		code = confirm(ctl, &request, &found);
	if (command->missing)
		request.sentences[0] = (struct ctl_sentence){404, NULL, str_from(command->missing)};
	if (code == CTL_DONE)
		code = ctl_ask_json(ctl, &request, ret_json);
	if (code == CTL_DONE && command->columns && !command->list &&
	    !is_list_of(*ret_json, str_from(command->columns)))
		return problem_fail_version();
	if (code == CTL_DONE)
		code = keep_own(ctl, ret_json);
	/* An order and a removal answer nothing: show their object. */
	if (code == CTL_DONE && found.json.data && str_equal(str_trim(*ret_json), STR("{}")))
		*ret_json = found.json;
	return code;
}

enum ctl_exit ctl_plain(struct ctl *ctl)
{
	return ctl_plain_with(ctl, NULL);
}

enum ctl_exit ctl_plain_with(struct ctl *ctl, const struct ctl_member *more)
{
	struct str json = {0};
	enum ctl_exit code = ctl_ask_plain(ctl, more, &json);

	return code == CTL_DONE ? ctl_print_json(ctl, json) : code;
}
