#include "ctl/server/status_cell.h"
#include "base/clock.h"
#include "ctl/shell/table.h"

#include <inttypes.h>
#include <time.h>

void status_put_age(struct buffer *out, const char *since, bool is_long)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
	struct tm begun = {0};
	int64_t seconds = 0;
	unsigned i = 0;

	if (strptime(since, "%Y-%m-%dT%H:%M:%S", &begun))
		seconds = clock_wall_us() / 1000000 - (int64_t)timegm(&begun);
	if (seconds < 0)
		seconds = 0;
	while (i < 3 && seconds < units[i].seconds)
		i++;
	buffer_printf(out, "%" PRId64 " %s", seconds / units[i].seconds, units[i].name);
	if (is_long && i < 2)
		buffer_printf(out, " %" PRId64 " %s",
			      seconds % units[i].seconds / units[i + 1].seconds, units[i + 1].name);
}

void status_put_us(struct buffer *out, int64_t us)
{
	if (us >= 1000000)
		buffer_printf(out, "%.1f s", (double)us / 1000000);
	else if (us >= 100000)
		buffer_printf(out, "%.0f ms", (double)us / 1000);
	else
		buffer_printf(out, "%.1f ms", (double)us / 1000);
}

void status_put_cell(struct buffer *out, struct buffer *cell, size_t width)
{
	size_t taken = table_width(buffer_view(cell));

	for (; taken < width + 2; taken++)
		buffer_append_char(out, ' ');
	buffer_append_str(out, buffer_view(cell));
	buffer_clear(cell);
}

void status_put_number(struct buffer *out, int64_t number, size_t width)
{
	struct buffer cell = {0};

	buffer_printf(&cell, "%" PRId64, number);
	status_put_cell(out, &cell, width);
	buffer_finish(&cell);
}

void status_put_rate(struct buffer *out, double rate, size_t width)
{
	struct buffer cell = {0};

	buffer_printf(&cell, "%.1f", rate);
	status_put_cell(out, &cell, width);
	buffer_finish(&cell);
}

void status_put_duration(struct buffer *out, int64_t us, size_t width)
{
	struct buffer cell = {0};

	status_put_us(&cell, us);
	status_put_cell(out, &cell, width);
	buffer_finish(&cell);
}
