#include "base/require.h"
#include "definitions.h"
#include "metric/metric.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
	const char *path;
	const char *method;
} routes[METRIC_ROUTES_MAX] = {
    {"unknown", "GET"},	  {"unknown", "HEAD"},	 {"unknown", "POST"},	 {"unknown", "PUT"},
    {"unknown", "PATCH"}, {"unknown", "DELETE"}, {"unknown", "OPTIONS"}, {"unknown", "other"},
};
static unsigned route_count = METRIC_ROUTES_FIRST;

static const char *statements[METRIC_STATEMENTS_MAX];
static unsigned statement_count;

static char processes[METRIC_PROCESSES_MAX][16];

uint8_t metric_status_labels[METRIC_STATUS_MAX + 1];

void metric_name_route(unsigned number, const char *method, const char *path)
{
	require(number >= METRIC_ROUTES_FIRST && number < METRIC_ROUTES_MAX);
	routes[number].path = path;
	routes[number].method = method;
	if (number >= route_count)
		route_count = number + 1;
}

void metric_name_statement(unsigned number, const char *name)
{
	require(number < METRIC_STATEMENTS_MAX);
	statements[number] = name;
	if (number >= statement_count)
		statement_count = number + 1;
}

unsigned metric_label_slots(enum metric_by by)
{
	switch (by) {
	case METRIC_BY_NOTHING:
		return 1;
	case METRIC_BY_ROUTE:
		return METRIC_ROUTES_MAX;
	case METRIC_BY_STATEMENT:
		return METRIC_STATEMENTS_MAX;
	case METRIC_BY_PROCESS:
		return METRIC_PROCESSES_MAX;
	default:
		return metric_labels[by].count;
	}
}

unsigned metric_label_count(enum metric_by by)
{
	if (by == METRIC_BY_ROUTE)
		return route_count;
	return by == METRIC_BY_STATEMENT ? statement_count : metric_label_slots(by);
}

bool metric_label_is_open(enum metric_by by)
{
	return by != METRIC_BY_NOTHING && metric_labels[by].count == 0;
}

const char *metric_label_value(enum metric_by by, unsigned value, unsigned name)
{
	switch (by) {
	case METRIC_BY_ROUTE:
		return name == 0 ? routes[value].path : routes[value].method;
	case METRIC_BY_STATEMENT:
		return statements[value];
	case METRIC_BY_PROCESS:
		return processes[value];
	default:
		return metric_labels[by].values[value];
	}
}

void metric_prepare_labels(void)
{
	const struct metric_label *label = &metric_labels[METRIC_BY_STATUS];

	for (unsigned i = 1; i < label->count; i++)
		metric_status_labels[strtoul(label->values[i], NULL, 10)] = (uint8_t)i;
	snprintf(processes[0], sizeof(processes[0]), "supervisor");
	for (unsigned i = 1; i < METRIC_PROCESSES_MAX; i++)
		snprintf(processes[i], sizeof(processes[0]), "worker-%u", i);
}
