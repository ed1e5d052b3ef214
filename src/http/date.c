#include "http/date.h"
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

struct str http_date_now(struct http_date *date)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t now = clock_wall_us() / 1000000;
	time_t seconds = now;
	struct tm tm;

	if (now != date->second) {
		date->second = now;
		gmtime_r(&seconds, &tm);
		/* Avoid strftime(): its names follow the locale. */
		snprintf(date->text, sizeof(date->text), "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT",
			 days + tm.tm_wday * 3, (unsigned)tm.tm_mday % 100, months + tm.tm_mon * 3,
			 (unsigned)(tm.tm_year + 1900) % 10000, (unsigned)tm.tm_hour % 100,
			 (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100);
	}
	return (struct str){date->text, HTTP_DATE_LENGTH};
}
