#include "domain/brightness.h"
#include "base/memory.h"

#include <string.h>

enum { STEP = 100 / BRIGHTNESS_POINTS };

struct board_curve {
	const char *board;
	struct brightness_curve curve;
};

/* The first Tidbyt draws more current than its supply gives above 50 %. */
static const struct board_curve board_curves[] = {
    {"tidbyt_gen1", {{1, 15, 25, 35, 50}}},
    {"tidbyt_gen2", {{3, 8, 16, 35, 100}}},
};
static const struct brightness_curve other_boards = {{1, 8, 12, 35, 100}};

static const struct brightness_curve *curve_of_board(struct str board)
{
	for (size_t i = 0; i < array_length(board_curves); i++)
		if (str_equal(board, str_from(board_curves[i].board)))
			return &board_curves[i].curve;
	return &other_boards;
}

static bool read_points(struct str text, struct brightness_curve *ret_curve)
{
	unsigned long long least = 1;

	if (str_ends_with(text, STR(",")))
		return false;
	for (unsigned i = 0; i < BRIGHTNESS_POINTS; i++) {
		struct str part;
		unsigned long long percent;

		if (!str_next(&text, ',', &part) || part.length > 3 ||
		    !str_to_uint64(part, 100, &percent) || percent < least)
			return false;
		least = percent;
		ret_curve->points[i] = (uint8_t)percent;
	}
	return !text.length;
}

const char *brightness_points_check(struct str points)
{
	struct brightness_curve curve;

	return points.length == 0 || read_points(points, &curve)
		   ? NULL
		   : "must be five percentages from 1 to 100, none below the one before, such as "
		     "3,8,16,35,100";
}

struct brightness_curve brightness_curve_of(struct str board, struct str points)
{
	struct brightness_curve curve = {0};
	const struct brightness_curve *of_board = curve_of_board(board);

	if (!read_points(points, &curve))
		return board.length ? *of_board : (struct brightness_curve){0};
	for (unsigned i = 0; board.length && i < BRIGHTNESS_POINTS; i++)
		if (curve.points[i] > of_board->points[BRIGHTNESS_POINTS - 1])
			curve.points[i] = of_board->points[BRIGHTNESS_POINTS - 1];
	return curve;
}

int brightness_sent(const struct brightness_curve *curve, int percent)
{
	int step = percent / STEP, above = percent % STEP, low;

	if (curve->points[0] == 0 || percent == 0)
		return percent;
	if (step == 0)
		return curve->points[0];
	low = curve->points[step - 1];
	if (step == BRIGHTNESS_POINTS)
		return low;
	return low + ((curve->points[step] - low) * above + STEP / 2) / STEP;
}

int brightness_too_bright(const struct brightness_curve *curve, int percent)
{
	return curve->points[0] == 0 || percent == 0 || percent >= STEP ? 0 : STEP - percent;
}

int brightness_from_sent(const struct brightness_curve *curve, int sent)
{
	int percent = STEP;

	if (curve->points[0] == 0 || sent == 0)
		return sent;
	for (int i = 0; i < BRIGHTNESS_POINTS; i++)
		if (curve->points[i] == sent)
			return STEP * (i + 1);
	while (percent < 100 && brightness_sent(curve, percent) < sent)
		percent++;
	if (percent > STEP &&
	    sent - brightness_sent(curve, percent - 1) < brightness_sent(curve, percent) - sent)
		percent--;
	return percent;
}
