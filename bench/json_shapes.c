/* Measures the CPU time to parse JSON bodies of 4 MiB, the largest accepted, in the worst shapes,
 * and the peak memory of the process.
 *
 *   json_shapes        one line of JSON: shape -> milliseconds, the slowest of several
 *
 * Target: at most 10 ms each. */
#include "base/buffer.h"
#include "base/limits.h"
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS = 5, NAME_BYTES = 400 };

static struct buffer text;

static void repeat(const char *prefix, const char *unit, const char *suffix)
{
	size_t end = LIMIT_UPLOAD_BODY_BYTES - strlen(suffix) - strlen(unit);

	buffer_clear(&text);
	buffer_append(&text, prefix, strlen(prefix));
	while (buffer_length(&text) <= end)
		buffer_append(&text, unit, strlen(unit));
	buffer_append(&text, suffix, strlen(suffix));
}

/* Writes as many names as are accepted, which differ only at their ends; last may repeat one. */
static void repeat_names(const char *last)
{
	buffer_clear(&text);
	for (unsigned i = 0; i < LIMIT_JSON_VALUES / 2 - 2; i++)
		buffer_printf(&text, "%c\"%0*u\":0", i ? ',' : '{', 2 * NAME_BYTES,
			      i * 7919 % 10000);
	buffer_printf(&text, "%s}", last);
}

/* Writes as many numbers as are accepted, whose value is between two doubles that differ only in
 * their last digits. */
static void repeat_numbers(unsigned length)
{
	static const char digits[] =
	    "8900295434041004507222397087751879916941573175754393013799659960307249875342296962367"
	    "14136034235020051587451321199280099";
	char number[512];
	unsigned more = length - (unsigned)strlen(digits) - (unsigned)strlen("e-0427");

	memset(number, '1', sizeof(number));
	memcpy(number, digits, strlen(digits));
	snprintf(number + strlen(digits) + more, 16, "e-%04u", 427 + more);
	buffer_clear(&text);
	for (unsigned i = 0; i < LIMIT_JSON_VALUES - 2; i++)
		buffer_printf(&text, "%c%s", i ? ',' : '[', number);
	buffer_append_char(&text, ']');
}

static double parse_ms(void)
{
	struct json_document document = {0};
	struct timespec begin, end;
	struct arena arena = {0};
	struct str reason;
	bool is_good;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	is_good = json_parse(buffer_view(&text), &arena, &document, &reason);
	if (is_good)
		json_document_finish(&document);
	arena_finish(&arena);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	return (double)(end.tv_sec - begin.tv_sec) * 1e3 +
	       (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

static void report(const char *shape)
{
	double slowest_ms = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double ms = parse_ms();

		slowest_ms = ms > slowest_ms ? ms : slowest_ms;
	}
	printf("\"%s\": %.2f, ", shape, slowest_ms);
}

int main(void)
{
	struct rusage usage;

	printf("{");
	repeat("", "[", "");
	report("brackets");
	repeat("", "{\"a\":", "");
	report("objects");
	repeat("[", "[],", "0]");
	report("pairs");
	repeat("[", "0,", "0]");
	report("zeros");
	repeat("[", "\"\",", "0]");
	report("short strings");
	repeat("", "1", "");
	report("digits");
	repeat("0.", "0", "1");
	report("fraction");
	repeat("", " ", "0");
	report("spaces");
	repeat("\"", "x", "\"");
	report("letters");
	repeat("\"", "\xc3\xa9", "\"");
	report("two-byte characters");
	repeat("\"", "\\\"", "\"");
	report("quotes");
	repeat("\"", "\\\\", "\"");
	report("backslashes");
	repeat("\"", "\\u00e9", "\"");
	report("escapes");
	repeat("\"", "\\ud83d\\ude00", "\"");
	report("surrogates");
	repeat("\"", "x", "");
	report("open string");
	repeat_names("");
	report("names");
	repeat_names(",\"x\":0,\"x\":0");
	report("repeated name");
	repeat_numbers(LIMIT_JSON_NUMBER);
	report("long numbers");
	repeat_numbers(400);
	report("longer numbers");
	getrusage(RUSAGE_SELF, &usage);
	printf("\"max_rss_mib\": %ld}\n", usage.ru_maxrss / 1024);
	buffer_finish(&text);
	return 0;
}
