#include "ctl/server/problem.h"
#include "ctl/server/remote.h"
#include "record/json_text.h"

/* Returns the problem's code; "" if it has none. */
static const char *code_in(yyjson_val *problem)
{
	const char *code = yyjson_get_str(yyjson_obj_get(problem, "code"));

	return code ? code : "";
}

static bool is_kind(const char *code, const struct problem_kind *kind)
{
	return strcmp(code, kind->code) == 0;
}

bool problem_is_no_room(const struct server_answer *answer)
{
	yyjson_doc *doc =
	    yyjson_read((const char *)answer->body.data, buffer_length(&answer->body), 0);
	const char *code = code_in(yyjson_doc_get_root(doc));
	bool is_full = is_kind(code, PROBLEM_DATABASE_FULL) || is_kind(code, PROBLEM_STORAGE_FULL);

	yyjson_doc_free(doc);
	return is_full;
}

static enum ctl_exit code_of(int status)
{
	switch (status) {
	case 400:
	case 413:
		return CTL_USAGE;
	case 404:
		return CTL_NOT_FOUND;
	case 401:
	case 403:
	case 409:
	case 412:
		return CTL_REFUSED;
	case 503:
		return CTL_DATABASE;
	default:
		return CTL_FAILED;
	}
}

static const struct ctl_fault *find_fault(const struct ctl_fault *faults, struct str member,
					  const char *code)
{
	for (; faults && faults->member; faults++)
		if (str_equal(member, str_from(faults->member)) &&
		    (!faults->problem || is_kind(code, faults->problem)))
			return faults;
	return NULL;
}

/* Prints the detail; after the name of the file that was sent if that is wrong. Returns the code.
 */
static enum ctl_exit fail_file(const struct ctl_request *request, enum ctl_exit code,
			       const char *detail)
{
	struct str file = code == CTL_USAGE ? request->file : (struct str){0};

	return ctl_fail(code, "%.*s%s%s", STR_ARG(file), file.length ? ": " : "", detail);
}

/* Prints what is wrong with a member of the body, by the name of the option or the app's setting
 * that sets it; by its own name if neither does. Returns the exit code. */
static enum ctl_exit say_fault(struct ctl *ctl, const struct ctl_request *request, const char *code,
			       struct str pointer, const char *detail)
{
	const struct str setting = STR("/settings/");
	struct str member = pointer.length > 1 ? str_from_offset(pointer, 1) : STR(""), text;
	const struct ctl_fault *known = find_fault(request->faults, member, code);

	if (known && known->text.data)
		return ctl_fail(known->code, "%.*s", STR_ARG(known->text));
	if (known)
		return ctl_fail(known->code, "%.*s %s", STR_ARG(known->name), detail);
	if (str_starts_with(pointer, setting))
		return ctl_fail(CTL_USAGE, "the setting %.*s %s",
				STR_ARG(str_from_offset(pointer, setting.length)), detail);
	if (!member.length)
		return fail_file(request, CTL_USAGE, detail);
	if (str_equal(member, str_from(ctl->command->argument)))
		return ctl_fail(CTL_USAGE, "%s %s", ctl_last_argument(ctl), detail);
	text = ctl_option_of(ctl, member);
	if (text.data)
		return ctl_fail(CTL_USAGE, "--%.*s %s", STR_ARG(text), detail);
	text = arena_printf(&ctl->arena, "%.*s %s", STR_ARG(member), detail);
	return fail_file(request, CTL_USAGE, text.data);
}

static enum ctl_exit fail_faults(struct ctl *ctl, const struct ctl_request *request,
				 const char *problem, yyjson_val *faults)
{
	enum ctl_exit code = CTL_USAGE;
	size_t i, count;
	yyjson_val *fault;

	yyjson_arr_foreach(faults, i, count, fault)
	{
		const char *detail = yyjson_get_str(yyjson_obj_get(fault, "detail"));

		code = say_fault(ctl, request, problem, json_text(yyjson_obj_get(fault, "pointer")),
				 detail ?: "is wrong");
	}
	return code;
}

static const struct ctl_sentence *find_sentence(const struct ctl_request *request, int status,
						const char *code)
{
	for (unsigned i = 0; i < CTL_SENTENCES_MAX; i++) {
		const struct ctl_sentence *sentence = &request->sentences[i];

		if (sentence->status == status &&
		    (!sentence->problem || is_kind(code, sentence->problem)))
			return sentence;
	}
	return NULL;
}

/* Prints a sentence with the request's subject. Returns the code. */
static enum ctl_exit say_sentence(const struct ctl_request *request, enum ctl_exit code,
				  struct str text)
{
	size_t before = request->subject.data ? str_find(text, '%') : text.length;
	size_t after = before < text.length ? before + 1 : before;

	if (!text.data)
		return code;
	return ctl_fail(code, "%.*s%.*s%.*s", (int)before, text.data,
			after > before ? (int)request->subject.length : 0, request->subject.data,
			STR_ARG(str_from_offset(text, after)));
}

/* Prints the problem's detail, or a sentence that names the request's subject. */
static enum ctl_exit fail_detail(const struct ctl_request *request, enum ctl_exit exit_code,
				 const char *code, const char *detail)
{
	static const struct {
		const struct problem_kind *problem;
		const char *text;
	} naming[] = {
	    {PROBLEM_ACCOUNT_HAS_NO_DEVICE,
	     "% owns no device yet: make one first, see displayctl device create"},
	    {PROBLEM_ACCOUNT_NOT_FOUND, "there is no account %"},
	    {PROBLEM_APP_NOT_FOUND, "there is no app %"},
	    {PROBLEM_DEVICE_NOT_FOUND, "there is no device %"},
	    {PROBLEM_EMAIL_USED, "there is an account % already"},
	    {PROBLEM_KEY_NOT_FOUND, "there is no key %"},
	    {PROBLEM_LAST_ADMINISTRATOR,
	     "% is the last administrator; make another one first, see displayctl account link"},
	    {PROBLEM_WEBHOOK_NOT_FOUND, "the account has no webhook %"},
	};

	for (unsigned i = 0; request->subject.data && i < array_length(naming); i++)
		if (is_kind(code, naming[i].problem))
			return say_sentence(request, exit_code, str_from(naming[i].text));
	return fail_file(request, exit_code, detail);
}

enum ctl_exit problem_fail_version(void)
{
	return ctl_fail(CTL_FAILED, "unexpected answer of the server: it may have another version "
				    "than displayctl, see displayctl upgrade");
}

enum ctl_exit problem_fail(struct ctl *ctl, const struct ctl_request *request, int status,
			   yyjson_val *problem)
{
	const char *detail = yyjson_get_str(yyjson_obj_get(problem, "detail"));
	const char *problem_code = code_in(problem);
	yyjson_val *faults = yyjson_obj_get(problem, "errors");
	const struct ctl_sentence *sentence;
	enum ctl_exit code = code_of(status);

	if (!detail)
		return ctl_fail(ctl->remote ? CTL_FAILED : code,
				"the server answered with status %d", status);
	/* A server without codes is older than displayctl. */
	if (is_kind(problem_code, PROBLEM_PATH_NOT_FOUND) || status == 405 ||
	    (status == 404 && !*problem_code))
		return problem_fail_version();
	if (request->account.data && is_kind(problem_code, PROBLEM_ACCOUNT_NOT_FOUND))
		return ctl_fail_account(request->account);
	if (status == 401 && ctl->remote)
		return remote_fail_unknown(ctl, problem_code, detail);
	sentence = find_sentence(request, status, problem_code);
	if (sentence)
		return say_sentence(request, code, sentence->text);
	if (yyjson_arr_size(faults))
		return fail_faults(ctl, request, problem_code, faults);
	return fail_detail(request, code, problem_code, detail);
}
