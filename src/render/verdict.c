#include "render/verdict.h"
#include "delivery/picture_size.h"
#include "record/record.h"

#include <panelimage/panelimage.h>

struct shown_problem {
	struct str kind, message, file;
	int64_t line, column;
};

static const struct record_field problem_fields[] = {
    RECORD_STR(struct shown_problem, kind, .name = "kind"),
    RECORD_STR(struct shown_problem, message, .name = "message"),
    RECORD_STR(struct shown_problem, file, .name = "file", .nullable = true),
    RECORD_INT(struct shown_problem, line, .name = "line", .nullable = true),
    RECORD_INT(struct shown_problem, column, .name = "column", .nullable = true),
};
static const struct record problem_record = RECORD(struct shown_problem, problem_fields);

struct shown_verdict {
	struct str state, summary, problem, remark, fields, frames, bytes;
	int64_t cpu_ms;
};

static const struct record_field verdict_fields[] = {
    RECORD_STR(struct shown_verdict, state, .name = "state"),
    RECORD_STR(struct shown_verdict, summary, .name = "summary"),
    RECORD_JSON(struct shown_verdict, problem, .name = "problem"),
    RECORD_JSON(struct shown_verdict, remark, .name = "remark"),
    RECORD_JSON(struct shown_verdict, fields, .name = "fields"),
    RECORD_JSON(struct shown_verdict, frames, .name = "frames"),
    RECORD_JSON(struct shown_verdict, bytes, .name = "bytes"),
    RECORD_INT(struct shown_verdict, cpu_ms, .name = "cpuMs"),
};
static const struct record verdict_record = RECORD(struct shown_verdict, verdict_fields);

/* ---- the judgement ---- */

bool verdict_wants_network(const struct engine_problem *problem, struct str hosts)
{
	return problem->kind == ENGINE_WRONG_SCRIPT && hosts.length > 0;
}

/* There is no main(); or the picture fails by a limit or a crash, whatever its settings are, unless
 * it has asked a host. */
static bool cannot_render(const struct engine_answer *rendered)
{
	enum engine_problem_kind kind = rendered->problem.kind;

	return kind == ENGINE_NO_APP ||
	       ((kind == ENGINE_LIMIT || kind == ENGINE_CRASH) && rendered->hosts.length == 0);
}

bool verdict_is_bad(const struct verdict_facts *facts)
{
	if (facts->load.kind != ENGINE_DONE)
		return !verdict_wants_network(&facts->load, facts->load_hosts);
	return facts->rendered && cannot_render(facts->rendered);
}

/* ---- words ---- */

static struct panelimage_info probe(const struct engine_answer *answer)
{
	struct panelimage_size size = picture_pixels(picture_panel_size(answer->picture));
	struct panelimage_info info = {0};
	struct panelimage_error error;

	if (answer->picture.length == 0 ||
	    panelimage_probe_webp((const uint8_t *)answer->picture.data, answer->picture.length,
				  size, &info, &error) < 0)
		return (struct panelimage_info){0};
	return info;
}

void verdict_append_picture(const struct engine_answer *answer, struct buffer *text)
{
	struct panelimage_info info = probe(answer);

	if (answer->picture.length == 0)
		buffer_append_str(text, STR("nothing to show"));
	else if (!info.animated)
		buffer_printf(text, "a still picture, %zu bytes", answer->picture.length);
	else
		buffer_printf(text, "%u frames in %.1f s, %zu bytes", info.frame_count,
			      info.duration_ms / 1000.0, answer->picture.length);
	if (answer->cut.length) {
		buffer_append_str(text, STR("; "));
		buffer_append_str(text, answer->cut);
	}
	buffer_printf(text, "; took %.1f ms of CPU time, %.1f MiB", (double)answer->cpu_us / 1000,
		      (double)answer->memory_bytes / (1 << 20));
}

/* Appends the problem after its place in the author's files. An app's only file has no name. */
static void append_problem(const struct engine_problem *problem, struct buffer *text)
{
	bool is_sole =
	    str_equal(problem->file, STR("app.star")) || str_equal(problem->file, STR("app.ts"));

	if (problem->file.length && !is_sole && problem->line > 0)
		buffer_printf(text, "%.*s:%d:%d: ", STR_ARG(problem->file), problem->line,
			      problem->column);
	else if (problem->file.length && !is_sole)
		buffer_printf(text, "%.*s: ", STR_ARG(problem->file));
	else if (problem->line > 0)
		buffer_printf(text, "line %d, column %d: ", problem->line, problem->column);
	buffer_append_str(text, problem->message);
}

static void append_summary(const struct verdict_facts *facts, struct buffer *text)
{
	const struct engine_answer *rendered = facts->rendered;

	if (verdict_is_bad(facts)) {
		append_problem(facts->load.kind == ENGINE_DONE ? &rendered->problem : &facts->load,
			       text);
		return;
	}
	if (facts->load.kind != ENGINE_DONE) {
		buffer_append_str(text, STR("its form needs the network: "));
		append_problem(&facts->load, text);
		return;
	}
	if (!rendered) {
		buffer_append_str(text, STR("its script loads"));
	} else if (rendered->problem.kind != ENGINE_DONE) {
		buffer_append_str(text, STR("its script loads; without network and settings it "
					    "makes no picture: "));
		append_problem(&rendered->problem, text);
	} else {
		verdict_append_picture(rendered, text);
	}
}

/* ---- JSON ---- */

static const char *kind_name(enum engine_problem_kind kind)
{
	switch (kind) {
	case ENGINE_WRONG_SCRIPT:
		return "script";
	case ENGINE_LIMIT:
		return "limit";
	case ENGINE_CRASH:
		return "crash";
	default:
		return "app";
	}
}

static struct str write_problem(const struct engine_problem *problem, struct arena *arena)
{
	struct shown_problem shown = {
	    .kind = str_from(kind_name(problem->kind)),
	    .message = problem->message.data ? problem->message : STR(""),
	    .file = problem->file.length ? problem->file : (struct str){0},
	    .line = problem->line,
	    .column = problem->column,
	};
	struct buffer json = {0};
	struct str text;

	record_write_json(&problem_record, &shown, &json);
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

static struct str write_number(int64_t number, struct arena *arena)
{
	return number < 0 ? STR("null") : arena_printf(arena, "%lld", (long long)number);
}

/* Returns the problem that is shown; NULL: none. */
static const struct engine_problem *problem_of(const struct verdict_facts *facts)
{
	if (facts->load.kind != ENGINE_DONE)
		return &facts->load;
	if (facts->rendered && facts->rendered->problem.kind != ENGINE_DONE)
		return &facts->rendered->problem;
	return NULL;
}

struct str verdict_write(const struct verdict_facts *facts, struct arena *arena)
{
	const struct engine_answer *rendered = facts->rendered;
	const struct engine_problem *problem = problem_of(facts);
	bool is_bad = verdict_is_bad(facts);
	bool has_picture = rendered && rendered->picture.length > 0;
	struct str written = problem ? write_problem(problem, arena) : STR("null");
	struct buffer summary = {0}, json = {0};
	struct panelimage_info info = {0};
	struct shown_verdict shown;
	struct str text;

	append_summary(facts, &summary);
	if (has_picture)
		info = probe(rendered);
	shown = (struct shown_verdict){
	    .state = is_bad ? STR("bad") : STR("good"),
	    .summary = buffer_view(&summary),
	    .problem = is_bad ? written : STR("null"),
	    .remark = is_bad ? STR("null") : written,
	    .fields = write_number(facts->fields, arena),
	    .frames = write_number(
		has_picture ? (info.animated ? (int64_t)info.frame_count : 1) : -1, arena),
	    .bytes = write_number(has_picture ? (int64_t)rendered->picture.length : -1, arena),
	    .cpu_ms = (int64_t)(facts->cpu_us + (rendered ? rendered->cpu_us : 0) + 999) / 1000,
	};
	record_write_json(&verdict_record, &shown, &json);
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	buffer_finish(&summary);
	return text;
}
