/* Reports of panels about themselves: for any JSON, texts are within their bounds, and settings are
 * a JSON object that becomes messages which the firmware takes. */
#include "base/memory.h"
#include "domain/panel_report.h"

#include <stdlib.h>
#include <text/utf8.h>

static void check_settings(struct str settings, struct arena *arena)
{
	struct str messages[FIRMWARE_MESSAGES_MAX];
	struct json_document document = {0};
	struct str reason;
	unsigned count;

	if (settings.length > FIRMWARE_SETTINGS_BYTES_MAX ||
	    !json_parse(settings, arena, &document, &reason) || !json_is_object(document.root))
		abort();
	json_document_finish(&document);
	count = firmware_messages(settings, arena, messages);
	if (count > FIRMWARE_MESSAGES_MAX)
		abort();
}

static void check(const struct panel_report *report)
{
	const struct str texts[] = {report->firmware_version, report->firmware_type,
				    report->hostname, report->ssid, report->mac_address};
	uint8_t mac[MAC_BYTES];

	for (size_t i = 0; i < array_length(texts); i++)
		if (!utf8_is_valid(texts[i]) || texts[i].length > PANEL_TEXT_BYTES_MAX)
			abort();
	panel_orders_of(report->firmware_version);
	panel_updates_of(report->firmware_version);
	if (panel_report_mac(report, mac) && (mac[0] & 1))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_document document = {0};
	struct arena arena = {0};
	struct panel_report report;
	struct str reason;

	if (json_parse((struct str){(const char *)data, size}, &arena, &document, &reason)) {
		panel_report_read(document.root, &arena, &report);
		check(&report);
		if (report.settings.length)
			check_settings(report.settings, &arena);
	}
	if (panel_report_of_version((struct str){(const char *)data, size}, &report))
		check(&report);
	json_document_finish(&document);
	arena_finish(&arena);
	return 0;
}
