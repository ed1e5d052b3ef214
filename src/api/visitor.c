#include "visitor.h"
#include "base/memory.h"

/* Parts of the names of monitors, and of programs that preview links. */
static const char *const programs[] = {
    "better stack", "blackbox",	  "bot)",     "bot/",	"bot;",	    "check_http", "checkly",
    "crawler",	    "datadog",	  "facebook", "gatus",	"googlehc", "health",	  "homeassistant",
    "icinga",	    "monit/",	  "monitor",  "nagios", "newrelic", "pingdom",	  "preview",
    "probe",	    "prometheus", "site24x7", "slack",	"spider",   "statuscake", "telegram",
    "uptime",	    "whatsapp",	  "zabbix",
};

/* All browsers send some of them. Sec-Fetch-... is missing over plain http. */
static const char *const browser_fields[] = {
    "accept-language", "upgrade-insecure-requests", "referer", "purpose", "x-moz", "x-purpose"};

static const char *const page_types[] = {"text/html"};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* word: in lower case. */
static bool begins_with_word(struct str text, const char *word)
{
	size_t i = 0;

	while (i < text.length && word[i] && lower(text.data[i]) == word[i])
		i++;
	return !word[i];
}

static bool has_word_of(struct str text, const char *const words[], size_t count)
{
	for (; text.length; text = str_from_offset(text, 1)) {
		for (size_t i = 0; i < count; i++) {
			if (begins_with_word(text, words[i]))
				return true;
		}
	}
	return false;
}

static bool has_name_like(const struct http_request *request, struct str start)
{
	for (unsigned i = 0; i < request->field_count; i++) {
		struct str name = request->fields[i].name;

		if (name.length >= start.length &&
		    str_equal_ignore_case((struct str){name.data, start.length}, start))
			return true;
	}
	return false;
}

bool visitor_is_one(const struct http_request *request)
{
	struct str agent = http_request_field(request, STR("user-agent"));

	if (http_request_field(request, STR("x-firmware-version")).data)
		return false;
	if (has_name_like(request, STR("sec-fetch-")) || has_name_like(request, STR("sec-purpose")))
		return true;
	for (size_t i = 0; i < array_length(browser_fields); i++) {
		if (http_request_field(request, str_from(browser_fields[i])).data)
			return true;
	}
	return has_word_of(http_request_field(request, STR("accept")), page_types,
			   array_length(page_types)) ||
	       str_starts_with(agent, STR("Mozilla/")) ||
	       has_word_of(agent, programs, array_length(programs));
}
