#include "base/id_capitals.h"
#include "base/id.h"

bool id_has_capitals(struct str text)
{
	struct id id;

	if (!id_parse(text, &id))
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] >= 'A' && text.data[i] <= 'F')
			return true;
	return false;
}
