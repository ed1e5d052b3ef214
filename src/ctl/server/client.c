#include "ctl/server/client.h"
#include "base/clock.h"
#include "ctl/server/problem.h"
#include "ctl/server/remote.h"
#include "main/state_dir.h"

#include <poll.h>
#include <yyjson.h>

enum { WAIT_FOR_SERVER_MS = 30 * 1000, LOOK_AGAIN_MS = 50, LOOK_AGAIN_REMOTE_MS = 1000 };

/* ---- asking ---- */

/* Reports that the server of --server is unreachable. displayctl does not wait for this server,
 * which somebody else starts. */
static enum ctl_exit fail_unavailable(const struct ctl *ctl, const struct reason *why,
				      const char *doubt)
{
	return ctl_fail(CTL_DATABASE, "%s: %s%s", ctl->remote->base.data, why->text, doubt);
}

/* Repeats the request while a server starts, or answers 503 because its database is starting. */
static enum ctl_exit ask_patiently(struct ctl *ctl, const struct server_target *target,
				   const struct server_request *request,
				   struct server_answer *ret_answer)
{
	uint64_t begun_ms = clock_monotonic_ms(), wait_ms = WAIT_FOR_SERVER_MS;
	const char *doubt =
	    ""; /* added to the error if an earlier try of a write may have been done */
	struct reason why;

	if (request->patience_ms > WAIT_FOR_SERVER_MS)
		wait_ms = (uint64_t)request->patience_ms;

	for (;;) {
		enum server_result result = server_socket_ask(target, request, ret_answer, &why);
		bool is_over = clock_monotonic_ms() - begun_ms >= wait_ms;

		if (result == SERVER_ANSWERED && (ret_answer->status != 503 || is_over))
			return CTL_DONE;
		if (result == SERVER_STOPPED)
			return CTL_FAILED;
		if (result != SERVER_ANSWERED && result != SERVER_UNREACHED &&
		    strcmp(request->method, "GET") != 0)
			doubt = "; it may have been done";
		if (result == SERVER_UNAVAILABLE && ctl->remote)
			return fail_unavailable(ctl, &why, doubt);
		if (result == SERVER_UNAVAILABLE && state_dir_is_locked(target->state_dir) == 0)
			return ctl_fail(CTL_DATABASE, CTL_NO_SERVER "%s", ctl->config.state_dir,
					doubt);
		if (result == SERVER_FAILED || result == SERVER_UNREACHED ||
		    (result == SERVER_UNAVAILABLE && is_over))
			return ctl_fail(CTL_DATABASE, "%s%s", why.text, doubt);
		/* Do not repeat after a full disk: it will not get room soon. */
		if (result == SERVER_ANSWERED && problem_is_no_room(ret_answer))
			return CTL_DONE;
		server_answer_finish(ret_answer);
		if (target->connection) /* another worker may be ready */
			server_connection_close(target->connection);
		poll(NULL, 0, ctl->remote ? LOOK_AGAIN_REMOTE_MS : LOOK_AGAIN_MS);
	}
}

/* Sends a write once: after a lost answer it is unknown whether the write was done. The server of
 * this machine gets it as soon as it is ready, over the connection that reported this. */
static enum ctl_exit ask_once(struct ctl *ctl, struct server_target *target,
			      const struct server_request *request,
			      struct server_answer *ret_answer)
{
	const struct server_request ready = {.method = "GET", .path = STR("/readyz")};
	enum ctl_exit code = CTL_DONE;
	enum server_result result;
	struct reason why;

	if (!ctl->remote) {
		code = ask_patiently(ctl, target, &ready, ret_answer);
		server_answer_finish(ret_answer);
	}
	if (code != CTL_DONE)
		return code;
	result = server_socket_ask(target, request, ret_answer, &why);
	if (result == SERVER_UNREACHED)
		return ctl_fail(CTL_DATABASE, "%s", why.text);
	if (result == SERVER_STOPPED)
		return CTL_FAILED;
	if (result != SERVER_ANSWERED)
		return ctl_fail(CTL_DATABASE, "%s; the change may have been made", why.text);
	return CTL_DONE;
}

static enum ctl_exit send_request(struct ctl *ctl, const struct server_request *request,
				  bool is_once, struct server_answer *ret_answer)
{
	struct server_target target = remote_target(ctl);
	enum ctl_exit code;

	if (!is_once)
		return ask_patiently(ctl, &target, request, ret_answer);
	target.connection = server_connection_new();
	code = ask_once(ctl, &target, request, ret_answer);
	server_connection_free(target.connection);
	return code;
}

/* Whether the text has control characters. No account's address has any, and none may be sent in a
 * header field. */
static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
			return true;
	return false;
}

/* Appends the part of a Set-Cookie field that is sent back: "NAME=VALUE". */
static void keep_cookie(struct ctl *ctl, struct str value, struct str *cookies)
{
	struct str pair = {value.data, str_find(value, ';')};

	*cookies = cookies->data ? ARENA_JOIN(&ctl->arena, *cookies, STR("; "), pair)
				 : arena_copy(&ctl->arena, pair);
}

/* Copies the wanted fields and the cookies into the arena. text: "NAME:VALUE" and a newline for
 * each field; cookies may be NULL. */
static void keep_fields(struct ctl *ctl, struct str text, struct ctl_field *fields,
			struct str *cookies)
{
	for (; text.length; text = str_from_offset(text, str_find(text, '\n') + 1)) {
		struct str line = {text.data, str_find(text, '\n')};
		size_t colon = str_find(line, ':');
		struct str name = {line.data, colon}, value = str_from_offset(line, colon + 1);

		if (cookies && str_equal_ignore_case(name, STR("Set-Cookie")))
			keep_cookie(ctl, value, cookies);
		for (struct ctl_field *field = fields; field && field->name; field++)
			if (str_equal_ignore_case(name, str_from(field->name)))
				field->value = arena_copy(&ctl->arena, value);
	}
}

static enum ctl_exit fail_answer(struct ctl *ctl, const struct ctl_request *request,
				 const struct server_answer *answer)
{
	struct ctl_field fields[] = {{.name = "Location"}, {0}};
	struct str body = buffer_view(&answer->body);
	yyjson_doc *problem = body.length ? yyjson_read(body.data, body.length, 0) : NULL;
	enum ctl_exit code;

	keep_fields(ctl, buffer_view(&answer->fields), fields, NULL);
	if (ctl->remote && answer->status / 100 == 3 && fields[0].value.data)
		code = remote_fail_redirect(ctl, answer->status, fields[0].value);
	else
		code = problem_fail(ctl, request, answer->status, yyjson_doc_get_root(problem));
	yyjson_doc_free(problem);
	return code;
}

/* Asks, and returns the body of the answer. Free ret_body with buffer_finish() in either case. */
static enum ctl_exit ask_text(struct ctl *ctl, const struct ctl_request *request,
			      struct buffer *ret_body)
{
	const struct server_request sent = {.method = request->method ? request->method : "GET",
					    .path = request->path,
					    .account =
						ctl->remote ? (struct str){0} : request->account,
					    .body = request->body,
					    .patience_ms = request->patience_ms,
					    .take = request->take,
					    .take_context = request->take_context,
					    .fields = remote_fields(ctl, request->path)};
	struct server_answer answer = {0};
	enum ctl_exit code;

	*ret_body = (struct buffer){0};
	if (has_control(request->account))
		return ctl_fail_account(request->account);
	code = send_request(ctl, &sent, request->method && !request->may_repeat, &answer);
	if (code == CTL_DONE && !(answer.status >= 200 && answer.status <= 299))
		code = fail_answer(ctl, request, &answer);
	if (code == CTL_DONE) {
		keep_fields(ctl, buffer_view(&answer.fields), request->fields, request->cookies);
		remote_note_answer(ctl, request->path);
	}
	*ret_body = answer.body;
	buffer_finish(&answer.fields);
	return code;
}

enum ctl_exit ctl_ask_json(struct ctl *ctl, const struct ctl_request *request, struct str *ret_json)
{
	struct buffer body;
	enum ctl_exit code = ask_text(ctl, request, &body);
	struct str text = buffer_view(&body);
	yyjson_doc *document =
	    code == CTL_DONE && text.length ? yyjson_read(text.data, text.length, 0) : NULL;

	if (code == CTL_DONE && !document)
		code = ctl_fail(CTL_FAILED, "the server's answer is not valid JSON");
	yyjson_doc_free(document);
	*ret_json = arena_copy(&ctl->arena, text);
	buffer_finish(&body);
	return code;
}

enum ctl_exit ctl_ask_bytes(struct ctl *ctl, const struct ctl_request *request)
{
	struct buffer body;
	enum ctl_exit code = ask_text(ctl, request, &body);

	buffer_finish(&body);
	return code;
}

static const struct json_value *value_of(yyjson_val *value)
{
	return (const struct json_value *)(void *)value;
}

static enum ctl_exit read_rows(struct ctl *ctl, yyjson_val *array, const struct record *record,
			       struct ctl_rows *ret_rows)
{
	size_t i, count;
	yyjson_val *item;

	*ret_rows = (struct ctl_rows){0};
	if (!yyjson_is_arr(array))
		return problem_fail_version();
	ret_rows->rows = arena_zalloc(&ctl->arena, (yyjson_arr_size(array) + 1) * record->size);
	ret_rows->count = (unsigned)yyjson_arr_size(array);
	yyjson_arr_foreach(array, i, count, item)
	{
		if (!record_read_answer(record, value_of(item), &ctl->arena,
					(char *)ret_rows->rows + i * record->size))
			return problem_fail_version();
	}
	return CTL_DONE;
}

enum ctl_exit ctl_read_rows(struct ctl *ctl, struct str json, const struct record *record,
			    struct ctl_rows *ret_rows)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	enum ctl_exit code = read_rows(ctl, yyjson_doc_get_root(document), record, ret_rows);

	yyjson_doc_free(document);
	return code;
}

enum ctl_exit ctl_read_row(struct ctl *ctl, struct str json, const struct record *record,
			   void *ret_row)
{
	yyjson_doc *document = yyjson_read(json.data, json.length, 0);
	bool is_read = record_read_answer(record, value_of(yyjson_doc_get_root(document)),
					  &ctl->arena, ret_row);

	yyjson_doc_free(document);
	return is_read ? CTL_DONE : problem_fail_version();
}

enum ctl_exit ctl_ask_rows(struct ctl *ctl, const struct ctl_request *request,
			   const struct record *record, struct ctl_rows *ret_rows)
{
	struct str json = {0};
	enum ctl_exit code = ctl_ask_json(ctl, request, &json);

	return code == CTL_DONE ? ctl_read_rows(ctl, json, record, ret_rows) : code;
}

enum ctl_exit ctl_ask_row(struct ctl *ctl, const struct ctl_request *request,
			  const struct record *record, void *ret_row)
{
	struct str json = {0};
	enum ctl_exit code = ctl_ask_json(ctl, request, &json);

	return code == CTL_DONE && record ? ctl_read_row(ctl, json, record, ret_row) : code;
}

enum ctl_exit ctl_show(struct ctl *ctl, const struct ctl_request *request)
{
	struct str json = {0};
	enum ctl_exit code = ctl_ask_json(ctl, request, &json);

	return code == CTL_DONE ? ctl_print_json(ctl, json) : code;
}
