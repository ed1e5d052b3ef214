/* The HTTP endpoints: one file each in src/api, one line each in a route table. */
#pragma once

#include "api/account_bytes.h"
#include "base/memory_budget.h"
#include "http/router.h"
#include "metric/read.h"
#include "task/service.h"
#include "task/task.h"

struct delivery;
struct engines;
struct events;
struct hooks;
struct network_list;
struct render_health;
struct settings_key;
struct still_cache;

/* State shared by all endpoints. main owns it; it lives as long as the worker. */
struct api_service {
	struct service service; /* for tasks */
	struct delivery *delivery;
	struct events *events;			 /* streams to programs, see events/events.h */
	struct hooks *hooks;			 /* to URLs of accounts, see hooks/hooks.h */
	struct engines *engines;		 /* processes that run apps, see render/engine.h */
	const struct settings_key *settings_key; /* for secret settings of apps */
	const char *panel_url; /* start of the URLs of panels, without a slash at its end */
	struct still_cache *stills;
	struct memory_budget images;	/* memory of images that are being converted or stored */
	struct memory_budget app_texts; /* see api/app_memory.h */
	struct memory_budget firmware_streams; /* to panels; each counts as one byte */
	struct memory_budget imports;	       /* imports under way; each counts as one byte */
	struct memory_budget version_waits;    /* see api/version_wait.h; each counts as one byte */
	struct memory_budget script_archives;  /* being unpacked; each counts as one byte */
	struct byte_grants byte_grants;
	unsigned workers; /* number of workers that are to run */
	struct metric_reader
	    metrics; /* metrics of the instance; the time is set when they are read */
	struct render_health *render_health; /* NULL: this worker renders no apps */
	const char *why_no_mqtt;	     /* NULL, or a sentence why accounts cannot connect to
					      * brokers */
	const struct network_list *listed;   /* of --egress-allow; NULL: none */
	const uint8_t *metrics_token_hash;   /* SHA-256; NULL: no access from outside */
};

/* Endpoints that the pages have too (same_as in task/task.h). */
extern const struct endpoint endpoint_account_mqtt_get;
extern const struct endpoint endpoint_account_mqtt_remove;
extern const struct endpoint endpoint_account_mqtt_set;
extern const struct endpoint endpoint_app_picture_get;
extern const struct endpoint endpoint_brightness_set;
extern const struct endpoint endpoint_device_alias_end;
extern const struct endpoint endpoint_device_move;
extern const struct endpoint endpoint_firmware_get;
extern const struct endpoint endpoint_firmware_set;
extern const struct endpoint endpoint_firmware_start;
extern const struct endpoint endpoint_device_reboot;
extern const struct endpoint endpoint_device_rotation;
extern const struct endpoint endpoint_entry_copy;
extern const struct endpoint endpoint_entry_move;
extern const struct endpoint endpoint_import_tronbyt;
extern const struct endpoint endpoint_installation_create;
extern const struct endpoint endpoint_installation_delete;
extern const struct endpoint endpoint_message;
extern const struct endpoint endpoint_order_set;
extern const struct endpoint endpoint_pin_set;
extern const struct endpoint endpoint_push;
extern const struct endpoint endpoint_push_devices;
extern const struct endpoint endpoint_temporary_delete;
extern const struct endpoint endpoint_webhook_create;
extern const struct endpoint endpoint_webhook_get;
extern const struct endpoint endpoint_webhook_list;
extern const struct endpoint endpoint_webhook_remove;
extern const struct endpoint endpoint_webhook_secret;
extern const struct endpoint endpoint_webhook_test;
extern const struct endpoint endpoint_webhook_update;

/* The public API, generated from docs/api. */
extern const struct route_table api_routes;
extern const struct route_table api_document_routes;
extern const struct route_table api_link_routes;
/* Metrics: open on the admin listener, elsewhere they need the operator's token. */
extern const struct route_table api_metrics_routes;
/* Status of the instance, on the admin listener only. */
extern const struct route_table api_status_routes;
/* Checks whether this worker lives and is ready. */
extern const struct route_table api_health_routes;
