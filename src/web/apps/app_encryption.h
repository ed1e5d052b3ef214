/* Encrypts stored settings that the deployed version of an app declares secret: a version may mark
 * a field whose values are stored in the clear.
 *
 *   deploy, import --trigger--> app_to_seal, hint "encrypt:APP" --> a worker leases the app
 *     -> installations, in portions -> form, in the language of each device -> encrypted
 *
 * A form is a stored one, or made by the script. Handlers of its GENERATED fields are called if an
 * installation has settings that the form does not name. If the script gives no form, the app is
 * tried again, after 1 minute and then at growing intervals. */
#pragma once

#include "db/db.h"
#include "delivery/delivery.h"
#include "domain/secret_settings.h"
#include "loop/loop.h"
#include "render/engine.h"

struct app_encryption_settings {
	struct loop *loop;
	struct db *db;
	struct engines *engines;
	struct delivery *delivery;
	const struct settings_key *key;
};

struct app_encryption;

struct app_encryption *app_encryption_create(const struct app_encryption_settings *settings);
/* Begins nothing more; another worker continues when the lease has expired. */
void app_encryption_drain(struct app_encryption *encryption);
/* Call it after the database's connections are closed and the engines are drained. */
void app_encryption_destroy(struct app_encryption *encryption);
