#include "ctl/server/status_storage.h"
#include "base/clock.h"
#include "ctl/server/status_cell.h"
#include "ctl/server/status_json.h"
#include "ctl/server/status_line.h"

#include <string.h>
#include <time.h>

/* Thresholds of the alerts in share/prometheus. */
enum {
	DISK_SHORT_PART = 10,
	BACKUP_OLD_S = 2 * 24 * 60 * 60,
	CERTIFICATE_SHORT_S = 14 * 24 * 60 * 60,
};

/* Seconds since 1970 of a time of the server's; 0: not a time. */
static int64_t read_time(const char *text)
{
	struct tm time = {0};

	return strptime(text, "%Y-%m-%dT%H:%M:%S", &time) ? (int64_t)timegm(&time) : 0;
}

static int64_t now_s(void)
{
	return clock_wall_us() / 1000000;
}

static void put_styled(struct buffer *out, enum status_style style, struct str text)
{
	buffer_append_char(out, (char)style);
	buffer_append_str(out, text);
	buffer_append_char(out, STATUS_PLAIN);
}

static void put_bytes(struct buffer *out, int64_t bytes)
{
	const double mib = (double)bytes / (1024 * 1024);

	if (mib < 1024)
		buffer_printf(out, "%.0f MiB", mib);
	else
		buffer_printf(out, "%.1f GiB", mib / 1024);
}

static void put_backup(struct buffer *out, const char *at)
{
	int64_t at_s = read_time(at);
	bool is_old = at_s < now_s() - BACKUP_OLD_S;

	buffer_append_str(out, STR(", "));
	if (at_s == 0) {
		put_styled(out, STATUS_YELLOW, STR("never backed up"));
		return;
	}
	buffer_append_char(out, is_old ? STATUS_YELLOW : STATUS_PLAIN);
	buffer_append_str(out, STR("backed up "));
	status_put_age(out, at, false);
	buffer_append_str(out, STR(" ago"));
	buffer_append_char(out, STATUS_PLAIN);
}

void status_put_storage(struct buffer *out, const yyjson_val *now)
{
	const yyjson_val *database = status_member(now, "database");
	int64_t all = status_number(database, "diskBytes");
	int64_t left = status_number(database, "diskFreeBytes");
	bool is_short = left < all / DISK_SHORT_PART;

	buffer_append_str(out, STR("storage   "));
	put_bytes(out, status_number(database, "bytes"));
	if (all > 0) {
		buffer_append_str(out, STR(", "));
		buffer_append_char(out, is_short ? STATUS_YELLOW : STATUS_PLAIN);
		put_bytes(out, left);
		buffer_append_str(out, STR(" of the disk left"));
		buffer_append_char(out, STATUS_PLAIN);
	}
	put_backup(out, status_text(database, "lastBackupAt"));
	buffer_append_char(out, '\n');
}

void status_put_certificate(struct buffer *out, const yyjson_val *now)
{
	const char *end = status_text(now, "certificateEndsAt");
	int64_t end_s = read_time(end);

	if (end_s == 0)
		return;
	buffer_append_str(out, STR("TLS       "));
	buffer_append_char(out, end_s < now_s() + CERTIFICATE_SHORT_S ? STATUS_RED : STATUS_PLAIN);
	buffer_printf(out, "certificate %s %.10s", end_s < now_s() ? "ended on" : "ends on", end);
	buffer_append_char(out, STATUS_PLAIN);
	buffer_append_char(out, '\n');
}
