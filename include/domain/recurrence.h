/* Rules of recurrence: the days on which an entry is shown, in the syntax of RFC 5545,
 * section 3.3.10. Only the database computes the days (recurrence_days() in sql/migration). Pure.
 *
 *   FREQ=DAILY;INTERVAL=3                    each third day from the start
 *   FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU       each second weekend; weeks begin with WKST, by default
 * MO FREQ=MONTHLY;BYMONTHDAY=1,-1             the first and the last day of each month
 *   FREQ=MONTHLY;BYDAY=2TU                   the second Tuesday of each month
 *   FREQ=YEARLY;UNTIL=20301224               the start's day and month, at last on 24 December 2030
 *
 * FREQ comes first, each part once, UNTIL is a date. BYDAY and BYMONTHDAY exclude each other. */
#pragma once

#include <text/str.h>

enum { RECURRENCE_LENGTH_MAX = 200, RECURRENCE_INTERVAL_MAX = 999 };

/* Returns NULL if the rule is empty or one that is taken; otherwise why it is refused, after its
 * name. */
const char *recurrence_rule_check(struct str rule);

/* Returns NULL if the text is empty or a date as in "2026-12-01"; otherwise why it is refused,
 * after its name. */
const char *recurrence_start_check(struct str date);

/* Parses a date as in "2026-12-01" that exists. ret_weekday: 0 is Monday. */
bool recurrence_read_date(struct str date, int *ret_weekday);
