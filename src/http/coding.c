#include "http/coding.h"

/* Quality values in thousandths (RFC 9110 section 12.4.2). */
enum { QUALITY_MAX = HTTP_WEIGHT_MAX, QUALITY_UNSAID = -1 };

/* "0.5" is 500. A malformed quality value counts as 0: its coding is not wanted. */
static int parse_quality(struct str text)
{
	int quality = 0;
	int unit = QUALITY_MAX;

	if (text.length == 0 || text.length > 5 || (text.length > 1 && text.data[1] != '.'))
		return 0;
	for (size_t i = 0; i < text.length; i++) {
		if (i == 1)
			continue;
		if (text.data[i] < '0' || text.data[i] > '9')
			return 0;
		quality += (text.data[i] - '0') * unit;
		unit /= 10;
	}
	return quality <= QUALITY_MAX ? quality : 0;
}

int http_weight(struct str parameters)
{
	struct str parameter;

	while (str_next(&parameters, ';', &parameter)) {
		parameter = str_trim(parameter);
		if (str_starts_with(parameter, STR("q=")) || str_starts_with(parameter, STR("Q=")))
			return parse_quality(str_from_offset(parameter, 2));
	}
	return QUALITY_MAX;
}

static void read_accepted(struct str list, int qualities[static HTTP_CODING_COUNT], int *any)
{
	struct str item;

	while (str_next(&list, ',', &item)) {
		size_t end = str_find(item, ';');
		struct str name = str_trim((struct str){item.data, end});
		int weight = http_weight(str_from_offset(item, end < item.length ? end + 1 : end));

		if (str_equal_ignore_case(name, STR("br")))
			qualities[HTTP_CODING_BR] = weight;
		else if (str_equal_ignore_case(name, STR("gzip")) ||
			 str_equal_ignore_case(name, STR("x-gzip")))
			qualities[HTTP_CODING_GZIP] = weight;
		else if (str_equal_ignore_case(name, STR("identity")))
			qualities[HTTP_CODING_IDENTITY] = weight;
		else if (str_equal(name, STR("*")))
			*any = weight;
	}
}

enum http_coding http_choose_coding(const struct http_request *request,
				    const bool has[static HTTP_CODING_COUNT])
{
	int qualities[HTTP_CODING_COUNT] = {QUALITY_UNSAID, QUALITY_UNSAID, QUALITY_UNSAID};
	int any = QUALITY_UNSAID;
	int best = 0;
	enum http_coding coding = HTTP_CODING_IDENTITY;

	for (unsigned i = 0; i < request->field_count; i++) {
		if (str_equal_ignore_case(request->fields[i].name, STR("accept-encoding")))
			read_accepted(request->fields[i].value, qualities, &any);
	}
	for (unsigned i = 0; i < HTTP_CODING_COUNT; i++) {
		int quality = qualities[i] == QUALITY_UNSAID ? any : qualities[i];

		if (has[i] && quality > best) {
			best = quality;
			coding = i;
		}
	}
	return coding;
}
