/* Rule that applies after the last transition of a zone's file: POSIX's form of TZ, as RFC 9636
 * section 3.3 extends it, such as "CET-1CEST,M3.5.0,M10.5.0/3". */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum zone_day_kind {
	ZONE_DAY_JULIAN,   /* J1 to J365: February 29 is never counted */
	ZONE_DAY_OF_YEAR,  /* 0 to 365 */
	ZONE_DAY_OF_MONTH, /* M3.5.0: the last Sunday in March */
};

struct zone_day {
	enum zone_day_kind kind;
	int month;  /* 1 to 12 */
	int week;   /* 1 to 5; 5 is the last one */
	int day;    /* of the week (0 is Sunday) or of the year */
	int time_s; /* from that day's local midnight; up to a week before or after it */
};

struct zone_rule {
	int offset_s; /* ahead of UTC */
	int summer_offset_s;
	bool has_summer;
	struct zone_day summer_start; /* local time without summer time */
	struct zone_day summer_end;   /* local time in summer */
};

/* The version of the file, '2' to '4', decides whether the hours of a change may be negative or
 * more than 24. Returns false unless text is exactly one rule. */
__attribute__((warn_unused_result)) bool zone_rule_parse(struct str text, char version,
							 struct zone_rule *ret_rule);

int zone_rule_offset_s(const struct zone_rule *rule, int64_t wall_s);
