#include "base/decimal.h"
#include "definitions.h"
#include "metric/read.h"
#include "slot.h"

#include <inttypes.h>

/* Prometheus' text format 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */

enum { LABELS_MAX = 4 };

/* Series: the text between the braces. */
struct series {
	const char *names[LABELS_MAX];
	const char *values[LABELS_MAX];
	unsigned count;
};

static const char *const kind_names[] = {
    [METRIC_COUNTER] = "counter",
    [METRIC_GAUGE] = "gauge",
    [METRIC_HISTOGRAM] = "histogram",
};

static void put_text(struct buffer *text, const char *part)
{
	buffer_append_str(text, str_from(part));
}

static void put_number(struct buffer *text, int64_t number)
{
	char digits[DECIMAL_BYTES_MAX];

	buffer_append(text, digits, decimal_format(number, digits));
}

/* Writes seconds without trailing zeros. */
static void put_seconds(struct buffer *text, int64_t microseconds)
{
	uint64_t size = microseconds < 0 ? -(uint64_t)microseconds : (uint64_t)microseconds;
	uint64_t rest = size % 1000000;
	int digits = 6;

	if (microseconds < 0)
		buffer_append_char(text, '-');
	put_number(text, (int64_t)(size / 1000000));
	while (digits > 0 && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	if (digits > 0)
		buffer_printf(text, ".%0*" PRIu64, digits, rest);
}

static void put_value(struct buffer *text, const struct metric_definition *definition,
		      int64_t value)
{
	if (definition->unit == METRIC_MICROSECONDS)
		put_seconds(text, value);
	else
		put_number(text, value);
}

/* quote: character that is escaped in addition to backslash and line feed; 0: none. */
static void put_escaped(struct buffer *text, const char *value, char quote)
{
	for (; *value; value++) {
		if (*value == '\n') {
			put_text(text, "\\n");
			continue;
		}
		if (*value == '\\' || (quote && *value == quote))
			buffer_append_char(text, '\\');
		buffer_append_char(text, *value);
	}
}

static void add_label(struct series *series, const char *name, const char *value)
{
	series->names[series->count] = name;
	series->values[series->count++] = value;
}

/* Writes the line up to its value. */
static void begin_line(struct buffer *text, const struct metric_definition *definition,
		       const char *suffix, const struct series *series)
{
	put_text(text, definition->name);
	put_text(text, suffix);
	for (unsigned i = 0; i < series->count; i++) {
		buffer_append_char(text, i == 0 ? '{' : ',');
		put_text(text, series->names[i]);
		put_text(text, "=\"");
		put_escaped(text, series->values[i], '"');
		buffer_append_char(text, '"');
	}
	if (series->count > 0)
		buffer_append_char(text, '}');
	buffer_append_char(text, ' ');
}

static void end_line(struct buffer *text, const struct metric_definition *definition, int64_t value)
{
	put_value(text, definition, value);
	buffer_append_char(text, '\n');
}

static void add_values(struct series *series, enum metric_by by, unsigned value)
{
	for (unsigned i = 0; i < METRIC_LABEL_NAMES && metric_labels[by].names[i]; i++)
		add_label(series, metric_labels[by].names[i], metric_label_value(by, value, i));
}

static bool is_sparse(const struct metric_definition *definition)
{
	return metric_label_is_open(definition->by[0]);
}

/* Writes the current value of each bucket, while others may count: each line is right by itself,
 * and the buckets agree with the count. */
static void write_histogram(const struct metric_sums *sums, enum metric metric, unsigned label,
			    const struct series *series, struct buffer *text)
{
	static const struct metric_definition plain_count = {.unit = METRIC_PLAIN};
	const struct metric_definition *definition = &metric_definitions[metric];
	const struct metric_buckets *buckets = definition->buckets;
	unsigned first = label * metric_width(metric);
	struct buffer bound = {0};
	int64_t count = 0;

	for (unsigned i = 0; i <= buckets->count; i++) {
		struct series bucket = *series;

		buffer_clear(&bound);
		if (i < buckets->count)
			put_value(&bound, definition, (int64_t)buckets->bounds[i]);
		else
			put_text(&bound, "+Inf");
		buffer_append_char(&bound, '\0');
		add_label(&bucket, "le", buffer_view(&bound).data);
		count += metric_total(sums, metric, first + i);
		begin_line(text, definition, "_bucket", &bucket);
		end_line(text, &plain_count, count);
	}
	buffer_finish(&bound);
	begin_line(text, definition, "_sum", series);
	end_line(text, definition, metric_total(sums, metric, first + buckets->count + 1));
	begin_line(text, definition, "_count", series);
	end_line(text, &plain_count, count);
}

static void write_series(const struct metric_sums *sums, enum metric metric, unsigned label,
			 const struct series *series, struct buffer *text)
{
	const struct metric_definition *definition = &metric_definitions[metric];
	int64_t value;

	if (definition->kind == METRIC_HISTOGRAM) {
		if (!is_sparse(definition) || metric_observations(sums, metric, label) > 0)
			write_histogram(sums, metric, label, series, text);
		return;
	}
	value = metric_total(sums, metric, label);
	if (value == 0 && is_sparse(definition))
		return;
	begin_line(text, definition, "", series);
	end_line(text, definition, value);
}

/* Values of the first label that may have been counted. */
static unsigned count_values(const struct metric_sums *sums, enum metric_by by)
{
	unsigned count = metric_label_count(by);

	return by == METRIC_BY_PROCESS && count > sums->processes ? sums->processes : count;
}

/* Whether a route is unused, by its duration, which every request has: so the memory of statuses is
 * not read for the many unused routes. */
static bool is_unused(const struct metric_sums *sums, enum metric metric, unsigned value)
{
	return metric == METRIC_HTTP_REQUESTS &&
	       metric_observations(sums, METRIC_HTTP_DURATION, value) == 0;
}

static void write_metric(const struct metric_sums *sums, enum metric metric, struct buffer *text)
{
	const struct metric_definition *definition = &metric_definitions[metric];
	unsigned firsts = count_values(sums, definition->by[0]);
	unsigned seconds = metric_label_count(definition->by[1]);

	buffer_printf(text, "# HELP %s ", definition->name);
	put_escaped(text, definition->help, 0);
	buffer_printf(text, "\n# TYPE %s %s\n", definition->name, kind_names[definition->kind]);
	for (unsigned i = 0; i < firsts; i++) {
		if (is_unused(sums, metric, i))
			continue;
		for (unsigned j = 0; j < seconds; j++) {
			struct series series = {0};

			add_values(&series, definition->by[0], i);
			add_values(&series, definition->by[1], j);
			write_series(sums, metric, metric_pair(metric, i, j), &series, text);
		}
	}
}

void metric_write_text(const struct metric_reader *reader, struct buffer *text)
{
	struct metric_sums sums;

	metric_sums_init(&sums, reader);
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
		write_metric(&sums, metric, text);
}
