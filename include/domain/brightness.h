/* Brightness that fits a board: the percentages of owners are even to the eye, those that a panel
 * is sent are not, and differ by board. Pure.
 *
 * A curve has five points: the percentages that are sent at 20, 40, 60, 80 and 100. Between them it
 * is straight; from 1 to 20 the first one is sent, which is the panel's lowest step, and the pixels
 * are darkened instead. Without a curve the number is sent unchanged. */
#pragma once

#include "base/arena.h"

#include <stdint.h>

enum { BRIGHTNESS_POINTS = 5 };

struct brightness_curve {
	uint8_t points[BRIGHTNESS_POINTS]; /* rising; all zero: no curve */
};

/* Checks own points, such as "3,8,16,35,100"; empty: none. Returns NULL, or the fault ("must ...").
 */
const char *brightness_points_check(struct str points);

/* Returns the curve of own points, or else of the board, below the board's safe maximum. board:
 * empty: not chosen. */
struct brightness_curve brightness_curve_of(struct str board, struct str points);

/* Returns the percentage to send to the panel. 0 stays 0. */
int brightness_sent(const struct brightness_curve *curve, int percent);

/* Returns how many twentieths of the pixels' brightness the panel's lowest step is too bright. */
int brightness_too_bright(const struct brightness_curve *curve, int percent);

/* Returns the percentage whose sent one is nearest, of several that of a point: the reverse, for
 * imports. */
int brightness_from_sent(const struct brightness_curve *curve, int sent);
