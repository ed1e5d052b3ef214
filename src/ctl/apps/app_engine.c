#include "app_engine.h"

#include "base/memory.h"
#include "base/zones.h"
#include "domain/display.h"
#include "typescript.h"

enum {
	STARLARK_TIMEOUT_MS = 10 * 1000,
	SCRIPT_TIMEOUT_MS = 2 * 1000,
	NETWORK_MS = 8 * 1000, /* that a script may wait for it besides */
	/* Times are those of the processor; renderers end requests by the clock, too. */
	WALL_TIMES = 3,
	WALL_MS = 5 * 1000,
	ZONE_CHANGES_MAX = 1000,
};

/* Range of the zone's offsets that scripts in TypeScript get. */
#define ZONE_FROM_S INT64_C(-2208988800) /* 1900 */
#define ZONE_UNTIL_S INT64_C(4102444800) /* 2100 */

struct app_engine {
	struct renderer *painter; /* for Starlark, and for trees of widgets */
	struct renderer *script;  /* for TypeScript, or NULL */
	struct renderer_answer compiled;
};

struct app_engine *app_engine_start(bool is_typescript, char ret_why[static RENDERER_WHY_MAX])
{
	struct app_engine *engine = memory_zalloc(sizeof(*engine));

	if (is_typescript)
		engine->script = renderer_start(RENDERER_TYPESCRIPT, ret_why);
	if (!is_typescript || engine->script)
		engine->painter = renderer_start(RENDERER_STARLARK, ret_why);
	if (engine->painter)
		return engine;
	app_engine_stop(engine);
	return NULL;
}

void app_engine_stop(struct app_engine *engine)
{
	if (!engine)
		return;
	renderer_stop(engine->script);
	renderer_stop(engine->painter);
	app_engine_finish_answer(&engine->compiled);
	free(engine);
}

void app_engine_use_network(struct app_engine *engine, struct app_network *network)
{
	renderer_use_network(engine->script ? engine->script : engine->painter, network);
}

static void describe(const struct renderer *renderer, struct buffer *text)
{
	buffer_printf(text, "%s in a sandbox of: %s\n", renderer_library(renderer),
		      renderer_layers(renderer));
}

void app_engine_describe(const struct app_engine *engine, struct buffer *text)
{
	if (engine->script)
		describe(engine->script, text);
	describe(engine->painter, text);
}

void app_engine_finish_answer(struct renderer_answer *answer)
{
	yyjson_doc_free(answer->head);
	buffer_finish(&answer->blob);
	*answer = (struct renderer_answer){0};
}

static yyjson_val *answer_member(const struct renderer_answer *answer, const char *name)
{
	return yyjson_obj_get(yyjson_doc_get_root(answer->head), name);
}

static void set_member(yyjson_mut_doc *doc, const char *name, yyjson_mut_val *value)
{
	yyjson_mut_obj_put(yyjson_mut_doc_get_root(doc), yyjson_mut_str(doc, name), value);
}

/* A process in the sandbox has no tz database. -1: there is no such zone. */
static int add_zone(yyjson_mut_doc *head)
{
	struct zone_change changes[ZONE_CHANGES_MAX];
	const char *name =
	    yyjson_mut_get_str(yyjson_mut_obj_get(yyjson_mut_doc_get_root(head), "timezone"));
	const struct zone *zone = zones_find(str_from(name));
	yyjson_mut_val *array = yyjson_mut_arr(head);
	unsigned count;

	if (!zone)
		return -1;
	count = zone_changes(zone, ZONE_FROM_S, ZONE_UNTIL_S, changes, ZONE_CHANGES_MAX);
	for (unsigned i = 0; i < count; i++) {
		yyjson_mut_arr_add_sint(head, array, changes[i].at_s);
		yyjson_mut_arr_add_int(head, array, changes[i].offset_s);
	}
	set_member(head, "zone", array);
	return 0;
}

/* The time and memory of both processes, and what the script has printed. */
static void merge(const struct renderer_answer *script, struct renderer_answer *answer)
{
	static const char *const sums[] = {"elapsed_us", "cpu_us", "memory_bytes"};
	static const char *const kept[] = {"log", "log_dropped", "hosts", "interval_s"};
	yyjson_mut_doc *head = yyjson_doc_mut_copy(answer->head, NULL);

	for (size_t i = 0; i < array_length(sums); i++)
		set_member(
		    head, sums[i],
		    yyjson_mut_sint(head, yyjson_get_sint(answer_member(script, sums[i])) +
					      yyjson_get_sint(answer_member(answer, sums[i]))));
	for (size_t i = 0; i < array_length(kept); i++) {
		yyjson_val *value = answer_member(script, kept[i]);

		if (value)
			set_member(head, kept[i], yyjson_val_mut_copy(head, value));
	}
	yyjson_mut_obj_remove_key(yyjson_mut_doc_get_root(head), "steps");
	yyjson_doc_free(answer->head);
	answer->head = yyjson_mut_doc_imut_copy(head, NULL);
	yyjson_mut_doc_free(head);
}

/* A schema or a result that was too long for the head stands there like any other. */
static void take_blob(struct renderer_answer *answer)
{
	const char *name = yyjson_get_str(answer_member(answer, "blob_is"));
	struct str blob = buffer_view(&answer->blob);
	yyjson_doc *parsed, *whole;
	yyjson_mut_doc *head;

	if (!name)
		return;
	parsed = yyjson_read(blob.data, blob.length, 0);
	head = yyjson_doc_mut_copy(answer->head, NULL);
	if (strcmp(name, "schema") == 0 && parsed)
		set_member(head, name, yyjson_val_mut_copy(head, yyjson_doc_get_root(parsed)));
	else
		set_member(head, name, yyjson_mut_strncpy(head, blob.data, blob.length));
	/* The name lies in the answer's head. */
	whole = yyjson_mut_doc_imut_copy(head, NULL);
	yyjson_doc_free(parsed);
	yyjson_doc_free(answer->head);
	answer->head = whole;
	yyjson_mut_doc_free(head);
}

/* Asks the renderer for what is wanted, within its time. */
static int ask(struct renderer *renderer, yyjson_mut_doc *head, const char *what, struct str blob,
	       int64_t timeout_ms, struct renderer_answer *ret_answer,
	       char ret_why[static RENDERER_WHY_MAX])
{
	int status;

	set_member(head, "what", yyjson_mut_str(head, what));
	set_member(head, "timeout_ms", yyjson_mut_sint(head, timeout_ms));
	set_member(head, "width", yyjson_mut_uint(head, DISPLAY_WIDTH));
	set_member(head, "height", yyjson_mut_uint(head, DISPLAY_HEIGHT));
	status = renderer_ask(renderer, head, blob, WALL_TIMES * timeout_ms + WALL_MS + NETWORK_MS,
			      ret_answer, ret_why);
	if (status == 0)
		take_blob(ret_answer);
	return status;
}

/* Takes a tree to its picture or schema. */
static int paint(struct app_engine *engine, yyjson_mut_doc *head, const char *what,
		 struct renderer_answer *script, struct renderer_answer *ret_answer,
		 char ret_why[static RENDERER_WHY_MAX])
{
	int status = ask(engine->painter, head, what, buffer_view(&script->blob),
			 STARLARK_TIMEOUT_MS, ret_answer, ret_why);

	if (status == 0)
		merge(script, ret_answer);
	app_engine_finish_answer(script);
	return status;
}

/* Request to the painter about the tree that a script answered with. */
static const char *painting(const char *what)
{
	if (strcmp(what, "schema") == 0)
		return "describe";
	return strcmp(what, "handler") == 0 ? "reply" : "paint";
}

static int ask_script(struct app_engine *engine, yyjson_mut_doc *head, const char *what,
		      struct str script, struct renderer_answer *ret_answer,
		      char ret_why[static RENDERER_WHY_MAX])
{
	struct renderer_answer made;

	if (!engine->compiled.head && typescript_compile(script, &engine->compiled, ret_why) < 0)
		return -1;
	if (answer_member(&engine->compiled, "error")) {
		*ret_answer = engine->compiled;
		engine->compiled = (struct renderer_answer){0};
		return 0;
	}
	if (add_zone(head) < 0) {
		snprintf(ret_why, RENDERER_WHY_MAX, "unknown time zone");
		return -1;
	}
	if (ask(engine->script, head, what, buffer_view(&engine->compiled.blob), SCRIPT_TIMEOUT_MS,
		&made, ret_why) < 0)
		return -1;
	if (!answer_member(&made, "error"))
		return paint(engine, head, painting(what), &made, ret_answer, ret_why);
	*ret_answer = made;
	return 0;
}

int app_engine_ask(struct app_engine *engine, yyjson_mut_doc *head, struct str script,
		   struct renderer_answer *ret_answer, char ret_why[static RENDERER_WHY_MAX])
{
	yyjson_mut_val *member = yyjson_mut_obj_get(yyjson_mut_doc_get_root(head), "what");
	const char *what = yyjson_mut_get_str(member);

	if (engine->script)
		return ask_script(engine, head, what, script, ret_answer, ret_why);
	return ask(engine->painter, head, what, script, STARLARK_TIMEOUT_MS, ret_answer, ret_why);
}
