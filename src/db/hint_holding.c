#include "hint_holding.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

static void clear_bit(_Atomic uint64_t *set, uint64_t bit)
{
	/* Most memory of the masks is untouched, and stays so. */
	if (atomic_load_explicit(set, memory_order_relaxed) & bit)
		atomic_fetch_and(set, ~bit);
}

void hint_holding_init(struct hint_holding *holding, struct hint_owner *common, unsigned number)
{
	*holding = (struct hint_holding){
	    .common = common,
	    .bit = hint_worker_bit(number),
	    .held = memory_zalloc(HINT_MASKS * sizeof(uint16_t)),
	};
	for (unsigned i = 0; i < HINT_MASKS; i++)
		clear_bit(&common->masks[i], holding->bit);
	clear_bit(&common->all, holding->bit);
}

void hint_holding_finish(struct hint_holding *holding)
{
	free(holding->held);
}

void hint_holding_hold(struct hint_holding *holding, struct id device_id)
{
	unsigned entry = id_slot(device_id, HINT_MASKS);

	if (holding->held[entry]++ == 0)
		atomic_fetch_or(&holding->common->masks[entry], holding->bit);
}

void hint_holding_release(struct hint_holding *holding, struct id device_id)
{
	unsigned entry = id_slot(device_id, HINT_MASKS);

	require(holding->held[entry] > 0);
	if (--holding->held[entry] == 0)
		clear_bit(&holding->common->masks[entry], holding->bit);
}

void hint_holding_hold_all(struct hint_holding *holding)
{
	if (holding->held_all++ == 0)
		atomic_fetch_or(&holding->common->all, holding->bit);
}

void hint_holding_release_all(struct hint_holding *holding)
{
	require(holding->held_all > 0);
	if (--holding->held_all == 0)
		clear_bit(&holding->common->all, holding->bit);
}

uint64_t hint_holders(const struct hint_owner *common, struct str word)
{
	static const struct str of_devices[] = {STR("device"),	STR("push"), STR("watch"),
						STR("unwatch"), STR("came"), STR("shows")};
	struct str kind = {word.data, str_find(word, ':')}, rest;
	struct id id;

	/* Stamps of rows, cursors and numbers of panels are shared: the carrier sets them for all.
	 */
	if (str_equal(kind, STR("read")) || str_equal(kind, STR("polled")) ||
	    str_equal(kind, STR("load")))
		return 0;
	if (kind.length == word.length)
		return HINT_ALL_WORKERS;
	rest = str_from_offset(word, kind.length + 1);
	for (unsigned i = 0; i < array_length(of_devices); i++)
		if (str_equal(kind, of_devices[i]) &&
		    id_parse((struct str){rest.data, str_find(rest, ':')}, &id) && !id_is_none(id))
			return atomic_load(&common->all) |
			       atomic_load(&common->masks[id_slot(id, HINT_MASKS)]);
	return HINT_ALL_WORKERS;
}
