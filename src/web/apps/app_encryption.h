/* Seals stored settings that the deployed version of an app declares secret: a version may mark a
 * field whose value installations have in the clear.
 *
 *   deploy, import --trigger--> app_to_seal, hint "encrypt:APP" --> a worker leases the app
 *     -> installations, in portions -> form, in the language of each device -> encrypted
 *
 * A form comes from where it is kept, or the script is run for it. What its GENERATED fields make
 * is asked for if an installation has settings that the form does not name. If the script gives no
 * form, the app is tried again, after 1 minute and then ever later. */
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
/* Begins nothing more; another worker goes on when the lease has run out. */
void app_encryption_drain(struct app_encryption *encryption);
/* After the database's connections are closed and the engines are drained. */
void app_encryption_destroy(struct app_encryption *encryption);
