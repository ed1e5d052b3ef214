#include "record/fault.h"
#include "base/limits.h"
#include "record/json.h"

#include <ctype.h>

struct str faults_pointer(struct arena *arena, struct str name)
{
	char *text = arena_alloc(arena, 2 * name.length + 1);
	size_t length = 0;

	text[length++] = '/';
	for (size_t i = 0; i < name.length; i++) {
		char c = name.data[i];

		if (c == '~' || c == '/') {
			text[length++] = '~';
			text[length++] = c == '~' ? '0' : '1';
		} else {
			text[length++] = c;
		}
	}
	return (struct str){text, length};
}

void faults_init_to(struct faults *faults, struct arena *arena, unsigned most)
{
	*faults = (struct faults){.arena = arena, .most = most};
}

void faults_init(struct faults *faults, struct arena *arena)
{
	faults_init_to(faults, arena, LIMIT_FAULTS);
}

/* Makes room for one more. */
static void grow(struct faults *faults)
{
	unsigned room = faults->room ? 2 * faults->room : LIMIT_FAULTS;
	struct fault *list = arena_alloc(faults->arena, room * sizeof(list[0]));

	if (faults->count)
		memcpy(list, faults->list, faults->count * sizeof(list[0]));
	faults->list = list;
	faults->room = room;
}

/* Returns NULL if there are too many already. */
static struct fault *new_fault(struct faults *faults)
{
	if (faults->count == faults->most) {
		faults->dropped++;
		return NULL;
	}
	if (faults->count == faults->room)
		grow(faults);
	return &faults->list[faults->count++];
}

void faults_add(struct faults *faults, struct str name, const char *format, ...)
{
	struct fault *fault = new_fault(faults);
	va_list args;

	if (!fault)
		return;
	fault->name = name;
	fault->pointer = name.data ? faults_pointer(faults->arena, name) : (struct str){"", 0};
	va_start(args, format);
	fault->detail = arena_vprintf(faults->arena, format, args);
	va_end(args);
}

bool faults_has(const struct faults *faults, struct str name)
{
	for (unsigned i = 0; i < faults->count; i++) {
		struct str pointer = faults->list[i].pointer;

		if (pointer.length && str_equal(str_from_offset(pointer, 1), name))
			return true;
	}
	return false;
}

void faults_add_in(struct faults *faults, struct str in, struct str name, const char *format, ...)
{
	struct fault *fault = new_fault(faults);
	va_list args;

	if (!fault)
		return;
	fault->name = name;
	fault->pointer = ARENA_JOIN(faults->arena, faults_pointer(faults->arena, in),
				    faults_pointer(faults->arena, name));
	va_start(args, format);
	fault->detail = arena_vprintf(faults->arena, format, args);
	va_end(args);
}

void faults_add_at(struct faults *faults, struct str pointer, struct str detail)
{
	struct fault *fault = new_fault(faults);

	if (fault)
		*fault = (struct fault){.name = pointer.length ? pointer : (struct str){0},
					.pointer = pointer,
					.detail = detail};
}

/* Returns the subject of a fault: the member's name, or its path without the first slash. A name of
 * the caller's that looks like no name is quoted. */
static struct str subject_of(const struct faults *faults, struct str name)
{
	if (name.length > 1 && name.data[0] == '/')
		name = str_from_offset(name, 1);
	if (name.length && isalnum((unsigned char)name.data[0]))
		return name;
	return arena_printf(faults->arena, "the field \"%.*s\"", STR_ARG(name));
}

struct str faults_sentence(const struct faults *faults)
{
	const struct fault *fault = faults->list;

	if (faults->dropped)
		return arena_printf(faults->arena, "the body has %u faults, of which errors has %u",
				    faults->count + faults->dropped, faults->count);
	if (faults->count > 1)
		return arena_printf(faults->arena, "the body has %u faults, see errors",
				    faults->count);
	if (!fault->name.data)
		return arena_printf(faults->arena, "the body %.*s", STR_ARG(fault->detail));
	if (fault->name.length && str_starts_with(fault->detail, fault->name))
		return fault->detail;
	return arena_printf(faults->arena, "%.*s %.*s", STR_ARG(subject_of(faults, fault->name)),
			    STR_ARG(fault->detail));
}

void faults_write_json(const struct faults *faults, struct buffer *buffer)
{
	buffer_append_str(buffer, STR("\"errors\":["));
	for (unsigned i = 0; i < faults->count; i++) {
		if (i > 0)
			buffer_append_char(buffer, ',');
		buffer_append_str(buffer, STR("{\"pointer\":"));
		json_write_str(buffer, faults->list[i].pointer);
		buffer_append_str(buffer, STR(",\"detail\":"));
		json_write_str(buffer, faults->list[i].detail);
		buffer_append_char(buffer, '}');
	}
	buffer_append_char(buffer, ']');
}
