/* The script's clock, which stands still, and its time zone: inputs of a render. The engine asks
 * these instead of the C library (packagefiles/quickjs/meson.build). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Change of the clocks: from at_s on, in seconds since 1970, local time is ahead of UTC by
 * offset_s. */
struct clock_change {
	int64_t at_s;
	int32_t offset_s;
};

enum { CLOCK_CHANGES_MAX = 1000 };

/* Sets the clock and the zone. changes are sorted by time; before the first one its offset counts,
 * too. They belong to the caller and must stay valid until the next call. */
void clock_set(int64_t now_ms, const struct clock_change *changes, size_t count);

int64_t clock_now_ms(void);
int32_t clock_offset_s(int64_t at_s);

/* Returns the real time, for limits and reports. */
int64_t clock_monotonic_us(void);
