#include "picture_request.h"
#include "base/memory.h"
#include "http/coding.h"

static const struct {
	const char *suffix, *type;
	enum panelimage_format format;
} formats[] = {
    {".webp", "image/webp", PANELIMAGE_FORMAT_WEBP},
    {".png", "image/png", PANELIMAGE_FORMAT_PNG},
    {".gif", "image/gif", PANELIMAGE_FORMAT_GIF},
};

/* How exactly a range of Accept matches the type: 3 exactly, 2 by its first part, 1 any, 0 not. */
static int specificity(struct str range, const char *type)
{
	if (str_equal_ignore_case(range, str_from(type)))
		return 3;
	if (str_equal_ignore_case(range, STR("image/*")))
		return 2;
	return str_equal(range, STR("*/*"));
}

/* Weight of the most specific range that matches the type. */
static int quality_of(struct str accept, const char *type)
{
	int best = 0, quality = 0;
	struct str item;

	while (str_next(&accept, ',', &item)) {
		struct str range = str_trim((struct str){item.data, str_find(item, ';')});
		struct str parameters = str_from_offset(item, str_find(item, ';'));
		int found = specificity(range, type);

		if (found > best) {
			best = found;
			quality = http_weight(parameters);
		}
	}
	return quality;
}

static enum panelimage_format negotiate(struct str accept)
{
	enum panelimage_format format = PANELIMAGE_FORMAT_WEBP;
	int best = 0;

	for (size_t i = 0; i < array_length(formats); i++) {
		int quality = quality_of(accept, formats[i].type);

		if (quality > best) {
			best = quality;
			format = formats[i].format;
		}
	}
	return format;
}

static enum panelimage_format format_of_path(struct str path)
{
	while (path.length && path.data[path.length - 1] == '/')
		path.length--;
	for (size_t i = 0; i < array_length(formats); i++) {
		if (str_ends_with(path, str_from(formats[i].suffix)))
			return formats[i].format;
	}
	return PANELIMAGE_FORMAT_UNKNOWN;
}

static const char *read_scale(struct str scale, struct str look, struct picture_request *request)
{
	unsigned long long number;

	if (scale.data) {
		if (!str_to_uint64(scale, PANELIMAGE_SCALE_MAX, &number) || number < 2)
			return "scale must be an integer from 2 to 16";
		request->scale = (unsigned)number;
	}
	if (look.data && !str_equal(look, STR("led")))
		return "look must be led";
	if (look.data && !scale.data)
		return "look needs scale";
	request->has_leds = look.data != NULL;
	return NULL;
}

const char *picture_request_read(const struct http_request *request,
				 struct picture_request *ret_request)
{
	struct str accept = http_request_field(request, STR("accept"));
	const char *fault = read_scale(http_request_query(request, STR("scale")),
				       http_request_query(request, STR("look")), ret_request);

	if (fault)
		return fault;
	ret_request->format = format_of_path(request->path);
	if (ret_request->scale && ret_request->format != PANELIMAGE_FORMAT_UNKNOWN &&
	    ret_request->format != PANELIMAGE_FORMAT_PNG)
		return "scale is only for a PNG";
	if (ret_request->scale)
		ret_request->format = PANELIMAGE_FORMAT_PNG;
	if (ret_request->format == PANELIMAGE_FORMAT_UNKNOWN) {
		ret_request->is_negotiated = true;
		ret_request->format = accept.data ? negotiate(accept) : PANELIMAGE_FORMAT_WEBP;
	}
	return NULL;
}
