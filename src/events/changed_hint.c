#include "events/changed_hint.h"

bool changed_is_topic(struct str text)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_' || c == '.' || c == ':'))
			return false;
	}
	return text.length > 0 && text.length <= TOPIC_BYTES_MAX;
}

bool changed_parse(struct str text, struct id *ret_account_id, struct str *ret_topic)
{
	if (text.length <= ID_TEXT_LENGTH || text.data[ID_TEXT_LENGTH] != ':' ||
	    !id_parse((struct str){text.data, ID_TEXT_LENGTH}, ret_account_id))
		return false;
	*ret_topic = str_from_offset(text, ID_TEXT_LENGTH + 1);
	return changed_is_topic(*ret_topic);
}
