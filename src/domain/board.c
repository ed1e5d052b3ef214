#include "domain/board.h"
#include "base/memory.h"

static const char *const names[] = {
    "tidbyt_gen1",	"tidbyt_gen2",	   "tronbyt_s3",
    "tronbyt_s3_wide",	"matrixportal_s3", "matrixportal_s3_waveshare",
    "waveshare_s3",	"pixoticker",	   "raspberrypi",
    "raspberrypi_wide", "other",
};

const char *board_check(struct str name)
{
	for (size_t i = 0; i < array_length(names); i++)
		if (str_equal(name, str_from(names[i])))
			return NULL;
	return "must be tidbyt_gen1, tidbyt_gen2, tronbyt_s3, tronbyt_s3_wide, matrixportal_s3, "
	       "matrixportal_s3_waveshare, waveshare_s3, pixoticker, raspberrypi, "
	       "raspberrypi_wide or other";
}

enum panel_size board_size(struct str name)
{
	bool is_wide =
	    str_equal(name, STR("tronbyt_s3_wide")) || str_equal(name, STR("raspberrypi_wide"));

	return is_wide ? PANEL_SIZE_128X64 : PANEL_SIZE_64X32;
}
