/* A script's tree as JSON, for the process that paints it:
 *   widget  {"widget": NAME, "fields": {...}}
 *   bytes   {"bytes": BASE64}
 *   handler {"function": "handler"}, of a schema's field
 *   frames  {"frames": [bytes...], "delay": MS, ...}, only as the whole tree
 * A widget with "at" was made at the source location with this number in the list. Around the tree
 * is
 *   {"places": [[FILE, LINE, COLUMN]...], "at": [FILE, LINE, COLUMN], "is_2x": true, "tree": ...}
 * where "at" is the source location of the function that has made the tree, or empty; "is_2x" is
 * there if the app draws for twice the width and height. All other
 * values are plain JSON. The tree is untrusted: it may be cyclic, deep, and have getters. Each
 * value is read once, and the output is bounded. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MAX_BYTES = 140 };

struct writer {
	struct run *run;
	JSContext *context;
	struct bytes *out;
	unsigned depth, values;
	const struct site *site; /* of the widget whose fields are written */
	bool is_raw;		 /* the tree consists of raw frames */
	int64_t shown;		 /* number of elements to write of the next list */
	size_t path_length;
	char path[PATH_MAX_BYTES]; /* like "Root.child Box.color"; cut if it is too long */
};

static int write_value(struct writer *writer, JSValueConst value);

static int complain(struct writer *writer, const char *what)
{
	JS_ThrowTypeError(writer->context, "%s%s%s", writer->path, writer->path[0] ? ": " : "",
			  what);
	return -1;
}

/* Appends a name to the path. Returns the length to which leave() resets it. */
static size_t enter(struct writer *writer, const char *format, const char *name, unsigned index)
{
	size_t before = writer->path_length, room = sizeof(writer->path) - before;
	int length;

	length = format ? snprintf(writer->path + before, room, format, name)
			: snprintf(writer->path + before, room, "[%u]", index);
	writer->path_length += (size_t)length < room ? (size_t)length : room - 1;
	return before;
}

static void leave(struct writer *writer, size_t before)
{
	writer->path_length = before;
	writer->path[before] = '\0';
}

static int write_number(struct writer *writer, JSValueConst value)
{
	double number;

	if (JS_ToFloat64(writer->context, &number, value) < 0)
		return -1;
	if (!isfinite(number))
		return complain(writer, "a number must be finite");
	if (number == floor(number) && fabs(number) < 9007199254740992.0)
		bytes_add_format(writer->out, "%.0f", number + 0.0);
	else
		bytes_add_format(writer->out, "%.17g", number);
	return 0;
}

static int write_string(struct writer *writer, JSValueConst value)
{
	size_t length;
	const char *text = JS_ToCStringLen(writer->context, &length, value);

	if (!text)
		return -1;
	bytes_add_json(writer->out, text, length);
	JS_FreeCString(writer->context, text);
	return 0;
}

static int write_elements(struct writer *writer, JSValueConst array)
{
	int64_t length, most = writer->shown;
	int status = JS_GetLength(writer->context, array, &length);

	writer->shown = INT64_MAX; /* for the lists in this one */
	if (status == 0 && length > most)
		length = most;
	if (status == 0 && length > TREE_VALUES_MAX)
		return complain(writer, "an array is too long");
	bytes_add_text(writer->out, "[");
	for (uint32_t i = 0; i < length && status == 0; i++) {
		JSValue element = JS_GetPropertyUint32(writer->context, array, i);
		size_t before = enter(writer, NULL, NULL, i);

		if (i > 0)
			bytes_add_text(writer->out, ",");
		status = JS_IsException(element) ? -1 : write_value(writer, element);
		JS_FreeValue(writer->context, element);
		leave(writer, before);
	}
	bytes_add_text(writer->out, "]");
	return status;
}

/* Returns how many elements of a list are written: an animation is cut at a frame. Each child of
 * these two widgets is at least a frame. */
static int64_t shown_of(const struct writer *writer, const char *name)
{
	if (writer->is_raw && strcmp(name, "frames") == 0)
		return RAW_FRAMES_MAX;
	if (writer->site && strcmp(name, "children") == 0 &&
	    (strcmp(writer->site->name, "Animation") == 0 ||
	     strcmp(writer->site->name, "Sequence") == 0))
		return FRAMES_MAX;
	return INT64_MAX;
}

/* Writes a field. A schema's field may have a function, which is called for a request of the form.
 */
static int write_field(struct writer *writer, const char *name, JSValueConst value)
{
	writer->shown = shown_of(writer, name);
	if (!writer->site || !panel_is_form(writer->site->name) || strcmp(name, "handler") != 0 ||
	    !JS_IsFunction(writer->context, value))
		return write_value(writer, value);
	bytes_add_text(writer->out, "{\"function\":\"handler\"}");
	return 0;
}

/* Writes a member with its name, unless it is undefined. */
static int write_member(struct writer *writer, JSValueConst object, JSAtom atom, bool *is_first)
{
	JSValue value = JS_GetProperty(writer->context, object, atom);
	const char *name = JS_AtomToCString(writer->context, atom);
	struct source_location around = writer->run->where;
	int status = JS_IsException(value) || !name ? -1 : 0;

	if (status == 0 && !JS_IsUndefined(value)) {
		size_t before = enter(writer, ".%s", name, 0);

		if (!*is_first)
			bytes_add_text(writer->out, ",");
		*is_first = false;
		if (writer->site && writer->site->number > 0)
			writer->run->where = site_location(writer->site, name);
		bytes_add_json(writer->out, name, strlen(name));
		bytes_add_text(writer->out, ":");
		status = write_field(writer, name, value);
		if (status == 0)
			writer->run->where = around;
		leave(writer, before);
	}
	JS_FreeCString(writer->context, name);
	JS_FreeValue(writer->context, value);
	return status;
}

static int write_members(struct writer *writer, JSValueConst object)
{
	JSPropertyEnum *members;
	uint32_t count;
	bool is_first = true;
	int status = JS_GetOwnPropertyNames(writer->context, &members, &count, object,
					    JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY);

	if (status < 0)
		return -1;
	bytes_add_text(writer->out, "{");
	for (uint32_t i = 0; i < count && status == 0; i++)
		status = write_member(writer, object, members[i].atom, &is_first);
	bytes_add_text(writer->out, "}");
	JS_FreePropertyEnum(writer->context, members, count);
	return status;
}

static int write_widget(struct writer *writer, JSValueConst widget, const struct site *site)
{
	JSValue fields = JS_GetPropertyStr(writer->context, widget, "fields");
	struct source_location around = writer->run->where;
	const char *name = site->name;
	size_t before = enter(writer, writer->path_length ? " %s" : "%s", name, 0);
	const struct site *outer = writer->site;
	int status = -1;

	writer->site = site;
	bytes_add_format(writer->out, "{\"widget\":\"%s\"", name);
	if (site->number > 0) {
		bytes_add_format(writer->out, ",\"at\":%u", site->number);
		writer->run->where = site->location;
	}
	bytes_add_text(writer->out, ",\"fields\":");
	if (!JS_IsException(fields))
		status = write_members(writer, fields);
	bytes_add_text(writer->out, "}");
	writer->site = outer;
	if (status == 0)
		writer->run->where = around;
	leave(writer, before);
	JS_FreeValue(writer->context, fields);
	return status;
}

static int write_bytes(struct writer *writer, JSValueConst value)
{
	size_t length;
	const uint8_t *bytes = JS_GetUint8Array(writer->context, &length, value);

	if (!bytes && JS_HasException(writer->context))
		return -1; /* its buffer is gone */
	bytes_add_text(writer->out, "{\"bytes\":\"");
	bytes_add_base64(writer->out, bytes, length);
	bytes_add_text(writer->out, "\"}");
	return 0;
}

static int write_object(struct writer *writer, JSValueConst value)
{
	const struct site *site = panel_site(writer->run, value);

	if (site)
		return write_widget(writer, value, site);
	if (JS_IsArray(value))
		return write_elements(writer, value);
	if (JS_GetTypedArrayType(value) == JS_TYPED_ARRAY_UINT8)
		return write_bytes(writer, value);
	if (JS_IsFunction(writer->context, value))
		return complain(writer, "a function has no place in what is shown");
	return complain(writer, "this object is no widget");
}

static int write_value(struct writer *writer, JSValueConst value)
{
	int status;

	if (++writer->values > TREE_VALUES_MAX)
		return complain(writer, "the tree has more than 200000 values");
	if (writer->out->failed)
		return complain(writer, "the tree has more than 4 MiB");
	if (writer->depth == TREE_DEPTH_MAX)
		return complain(writer, "the tree is more than 100 levels deep, or holds itself");
	writer->depth++;
	if (JS_IsNull(value) || JS_IsUndefined(value)) {
		bytes_add_text(writer->out, "null");
		status = 0;
	} else if (JS_IsBool(value)) {
		bytes_add_text(writer->out, JS_ToBool(writer->context, value) ? "true" : "false");
		status = 0;
	} else if (JS_IsNumber(value)) {
		status = write_number(writer, value);
	} else if (JS_IsString(value)) {
		status = write_string(writer, value);
	} else if (JS_IsObject(value)) {
		status = write_object(writer, value);
	} else {
		status = complain(writer, "must be text, a number, a list or a widget");
	}
	writer->depth--;
	return status;
}

/* Writes raw frames, whose pictures must have the displayed size. */
static int write_frames(struct writer *writer, JSValueConst value, JSValueConst frames)
{
	const struct request *request = &writer->run->request;
	size_t times = (size_t)request_magnification(writer->run);
	size_t wanted = times * request->width * times * request->height * 3;
	int64_t count;

	if (JS_GetLength(writer->context, frames, &count) < 0)
		return -1;
	for (uint32_t i = 0; i < count && i < RAW_FRAMES_MAX; i++) {
		JSValue frame = JS_GetPropertyUint32(writer->context, frames, i);
		size_t length = 0;
		bool fits = JS_GetTypedArrayType(frame) == JS_TYPED_ARRAY_UINT8 &&
			    JS_GetUint8Array(writer->context, &length, frame) && length == wanted;

		JS_FreeValue(writer->context, JS_GetException(writer->context));
		JS_FreeValue(writer->context, frame);
		if (!fits) {
			JS_ThrowTypeError(writer->context,
					  "frames[%u] must be a Uint8Array of %zu bytes", i,
					  wanted);
			return -1;
		}
	}
	writer->is_raw = true;
	return write_members(writer, value);
}

/* Writes the start of a tree: the list of source locations, and the location of the whole tree. */
static void begin_tree(struct writer *writer)
{
	const struct source_location *where = &writer->run->where;

	writer->out->most = TREE_MAX;
	bytes_add_text(writer->out, "{\"places\":");
	sites_write(writer->run, writer->out);
	bytes_add_text(writer->out, ",\"at\":[");
	if (where->file) {
		bytes_add_json(writer->out, where->file->name, strlen(where->file->name));
		bytes_add_format(writer->out, ",%u,%u", where->line, where->column);
	}
	bytes_add_text(writer->out, "],");
	if (request_magnification(writer->run) > 1)
		bytes_add_text(writer->out, "\"is_2x\":true,");
	bytes_add_text(writer->out, "\"tree\":");
}

static int end_tree(struct writer *writer, int status)
{
	bytes_add_text(writer->out, "}");
	if (status == 0 && writer->out->failed)
		return complain(writer, "the tree has more than 4 MiB");
	return status;
}

int tree_write(struct run *run, JSValueConst value)
{
	struct writer writer = {
	    .run = run, .context = run->context, .out = &run->tree, .shown = INT64_MAX};
	JSValue frames = JS_UNDEFINED;
	int status;

	begin_tree(&writer);
	if (JS_IsObject(value) && !JS_IsArray(value) && !panel_widget_name(run, value))
		frames = JS_GetPropertyStr(run->context, value, "frames");
	if (JS_IsException(frames))
		return -1;
	status =
	    JS_IsArray(frames) ? write_frames(&writer, value, frames) : write_value(&writer, value);
	JS_FreeValue(run->context, frames);
	return end_tree(&writer, status);
}

int tree_write_reply(struct run *run, const char *field, JSValueConst value)
{
	struct writer writer = {
	    .run = run, .context = run->context, .out = &run->tree, .shown = INT64_MAX};
	bool makes_fields = JS_IsArray(value) && strcmp(field, "form.Generated") == 0;
	int status;

	begin_tree(&writer);
	if (makes_fields)
		bytes_add_text(writer.out,
			       "{\"widget\":\"form.Schema\",\"fields\":{\"version\":\"1\","
			       "\"fields\":");
	status = write_value(&writer, value);
	if (makes_fields)
		bytes_add_text(writer.out, "}}");
	return end_tree(&writer, status);
}
