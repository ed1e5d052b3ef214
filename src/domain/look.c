#include "domain/look.h"
#include "base/require.h"

struct color_filter_kind {
	const char *name;
	int16_t mix[3][3];
};

static const struct color_filter_kind kinds[COLOR_FILTERS] = {
    [COLOR_FILTER_NONE] = {"none", {{1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}}},
    [COLOR_FILTER_DIMMED] = {"dimmed", {{250, 0, 0}, {0, 250, 0}, {0, 0, 250}}},
    [COLOR_FILTER_REDSHIFT] = {"redshift", {{1000, 250, 50}, {0, 750, 0}, {0, 0, 300}}},
    [COLOR_FILTER_WARM] = {"warm", {{1050, 50, 0}, {0, 950, 0}, {0, 0, 800}}},
    [COLOR_FILTER_SUNSET] = {"sunset", {{1100, 250, 0}, {50, 800, 50}, {100, 50, 500}}},
    [COLOR_FILTER_SEPIA] = {"sepia", {{393, 769, 189}, {349, 686, 168}, {272, 534, 131}}},
    [COLOR_FILTER_VINTAGE] = {"vintage", {{800, 300, 100}, {200, 700, 100}, {150, 250, 450}}},
    [COLOR_FILTER_DUSK] = {"dusk", {{900, 0, 150}, {0, 650, 100}, {50, 100, 650}}},
    [COLOR_FILTER_COOL] = {"cool", {{800, 0, 50}, {0, 950, 50}, {0, 50, 1150}}},
    [COLOR_FILTER_BW] = {"bw", {{299, 587, 114}, {299, 587, 114}, {299, 587, 114}}},
    [COLOR_FILTER_ICE] = {"ice", {{350, 350, 100}, {250, 550, 150}, {250, 450, 500}}},
    [COLOR_FILTER_MOONLIGHT] = {"moonlight", {{300, 200, 50}, {200, 350, 100}, {250, 350, 500}}},
    [COLOR_FILTER_NEON] = {"neon", {{1700, -500, -200}, {-300, 1600, -300}, {-200, -500, 1700}}},
    [COLOR_FILTER_PASTEL] = {"pastel", {{750, 250, 250}, {250, 750, 250}, {250, 250, 750}}},
};

bool color_filter_find(struct str name, enum color_filter *ret_filter)
{
	*ret_filter = COLOR_FILTER_INHERIT;
	for (unsigned i = 0; i < COLOR_FILTERS; i++)
		if (str_equal(name, str_from(kinds[i].name)))
			*ret_filter = (enum color_filter)i;
	return *ret_filter != COLOR_FILTER_INHERIT || str_equal(name, STR("inherit"));
}

enum color_filter color_filter_of(struct str name)
{
	enum color_filter filter;

	return color_filter_find(name, &filter) ? filter : COLOR_FILTER_NONE;
}

struct str color_filter_name(enum color_filter filter)
{
	return filter == COLOR_FILTER_INHERIT ? STR("inherit") : str_from(kinds[filter].name);
}

const char *color_filter_check_inherited(struct str name)
{
	enum color_filter filter;

	return color_filter_find(name, &filter)
		   ? NULL
		   : "must be inherit, none, dimmed, redshift, warm, sunset, sepia, vintage, dusk, "
		     "cool, bw, ice, moonlight, neon or pastel";
}

const char *color_filter_check(struct str name)
{
	enum color_filter filter;

	return color_filter_find(name, &filter) && filter != COLOR_FILTER_INHERIT
		   ? NULL
		   : "must be none, dimmed, redshift, warm, sunset, sepia, vintage, dusk, cool, "
		     "bw, ice, moonlight, neon or pastel";
}

const int16_t (*color_filter_mix(enum color_filter filter))[3]
{
	require(filter < COLOR_FILTERS);
	return kinds[filter].mix;
}
