#include "domain/panel_size.h"
#include "base/memory.h"
#include "base/require.h"

struct size {
	const char *name;
	uint32_t width, height;
};

static const struct size sizes[] = {
    [PANEL_SIZE_64X32] = {"64x32", 64, 32},
    [PANEL_SIZE_128X64] = {"128x64", 128, 64},
};
_Static_assert(array_length(sizes) == PANEL_SIZES, "a size without its pixels");

static const struct size *panel_size_find(struct str name)
{
	for (size_t i = 0; i < array_length(sizes); i++)
		if (str_equal(name, str_from(sizes[i].name)))
			return &sizes[i];
	return NULL;
}

const char *panel_size_check(struct str name)
{
	return panel_size_find(name) ? NULL : "must be 64x32 or 128x64";
}

enum panel_size panel_size_of(struct str name)
{
	const struct size *size = panel_size_find(name);

	return size ? (enum panel_size)(size - sizes) : PANEL_SIZE_64X32;
}

static const struct size *size_at(enum panel_size size)
{
	require(size < PANEL_SIZES);
	return &sizes[size];
}

struct str panel_size_name(enum panel_size size)
{
	return str_from(size_at(size)->name);
}

uint32_t panel_size_width(enum panel_size size)
{
	return size_at(size)->width;
}

uint32_t panel_size_height(enum panel_size size)
{
	return size_at(size)->height;
}
