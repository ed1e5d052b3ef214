#include "open_loop.h"

#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* values are sorted. */
static unsigned at(const uint32_t *values, uint64_t count, double share)
{
	uint64_t index = (uint64_t)(share * (double)count);

	if (count == 0)
		return 0;
	return values[index < count ? index : count - 1];
}

static double mean(const uint32_t *values, uint64_t count)
{
	double sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : 0;
}

static void print_statuses(const struct outcome *outcome, const char *format, const char *between)
{
	const char *separator = "";

	for (unsigned status = 0; status < OPEN_LOOP_STATUS_MAX; status++) {
		if (!outcome->statuses[status])
			continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		printf(format, separator, status, (unsigned long long)outcome->statuses[status]);
#pragma GCC diagnostic pop
		separator = between;
	}
}

static void print_json(const struct plan *plan, const struct outcome *o, double rate)
{
	printf("{\"requests\": %llu, \"seconds\": %.3f, \"wanted_rate\": %.1f, \"rate\": %.1f, ",
	       (unsigned long long)o->count, o->seconds, plan->rate, rate);
	printf("\"connections\": %u, \"statuses\": {", plan->connections);
	print_statuses(o, "%s\"%u\": %llu", ", ");
	printf("}, \"broken\": %llu, \"unanswered\": %llu, \"connects\": %llu, "
	       "\"body_bytes\": %llu, ",
	       (unsigned long long)o->broken, (unsigned long long)o->unanswered,
	       (unsigned long long)o->connects, (unsigned long long)o->body_bytes);
	printf("\"mean_us\": %.1f, \"p50_us\": %u, \"p90_us\": %u, \"p99_us\": %u, "
	       "\"p999_us\": %u, \"max_us\": %u, ",
	       mean(o->latency_us, o->count), at(o->latency_us, o->count, 0.5),
	       at(o->latency_us, o->count, 0.9), at(o->latency_us, o->count, 0.99),
	       at(o->latency_us, o->count, 0.999), at(o->latency_us, o->count, 1));
	printf("\"lag_mean_us\": %.1f, \"lag_p99_us\": %u, \"cpu_us_each\": %.2f}\n",
	       mean(o->lag_us, o->count), at(o->lag_us, o->count, 0.99),
	       o->count ? o->cpu_us / (double)o->count : 0);
}

static void print_text(const struct plan *plan, const struct outcome *o, double rate)
{
	printf("%llu requests over %u connections, %.1f/s wanted, %.1f/s answered; ",
	       (unsigned long long)o->count, plan->connections, plan->rate, rate);
	print_statuses(o, "%s%u: %llu", ", ");
	printf("\n%llu broken, %llu unanswered, %.2f us of CPU each here\n",
	       (unsigned long long)o->broken, (unsigned long long)o->unanswered,
	       o->count ? o->cpu_us / (double)o->count : 0);
	printf("from when it was to be sent, us: mean %.0f, p50 %u, p90 %u, p99 %u, p99.9 %u, "
	       "max %u\n",
	       mean(o->latency_us, o->count), at(o->latency_us, o->count, 0.5),
	       at(o->latency_us, o->count, 0.9), at(o->latency_us, o->count, 0.99),
	       at(o->latency_us, o->count, 0.999), at(o->latency_us, o->count, 1));
	printf("of it before it was sent, us: mean %.0f, p99 %u\n", mean(o->lag_us, o->count),
	       at(o->lag_us, o->count, 0.99));
}

void report_print(const struct plan *plan, struct outcome *outcome)
{
	uint64_t answered = outcome->count - outcome->broken - outcome->unanswered;
	double rate = outcome->seconds > 0 ? (double)answered / outcome->seconds : 0;

	qsort(outcome->latency_us, outcome->count, sizeof(uint32_t), compare);
	qsort(outcome->lag_us, outcome->count, sizeof(uint32_t), compare);
	if (plan->is_json)
		print_json(plan, outcome, rate);
	else
		print_text(plan, outcome, rate);
}
