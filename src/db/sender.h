/* Hands queries to libpq, and before them the statements that the connection has not prepared yet.
 *
 * Each statement is prepared in a batch of its own, so that an error of a query never takes a
 * statement along with it. libpq sends all in one flush, and the server answers in order: nobody
 * waits for a preparation but those who need it. */
#pragma once

#include "batch.h"
#include "pipeline.h"

/* Begins with a new connection, which prepares all statements by itself or none. count: how many
 * there are. */
void sender_begin(struct pipeline *pipeline, unsigned count, bool prepares_none);

/* Prepares what the batch needs; the batch is the last of the pipeline, and not sent yet. 0, or
 * -EIO with pipeline->reason. */
__attribute__((warn_unused_result)) int sender_prepare(struct pipeline *pipeline,
						       struct batch *batch);

/* Sends a query without a sync. 0, or -EIO with pipeline->reason. */
__attribute__((warn_unused_result)) int sender_send(struct pipeline *pipeline,
						    struct db_query *query);

/* Takes a result of a batch that prepares; the last one frees the batch. 0, or -EIO with
 * pipeline->reason: the statement does not fit the database. */
__attribute__((warn_unused_result)) int
sender_take_preparation(struct pipeline *pipeline, struct batch *batch, const PGresult *result);
