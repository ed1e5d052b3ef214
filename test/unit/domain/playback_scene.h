/* A test of playback, on a bed of its own: SCENE(what) { ... } */
#pragma once

#include "playback_bed.h"

#include "../cmocka_test.h"

static struct bed *bed;

static int set_up(void **state)
{
	(void)state;
	bed = bed_create();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bed_destroy(bed);
	return 0;
}

#define SCENE(name) TEST_IN(name, set_up, tear_down)
