#include "serve/serve_save.h"
#include "clock.h"
#include "json_decode.h"
#include "json_frames.h"
#include "message.h"
#include "serve/copy_value.h"
#include "serve/request_body.h"
#include "serve/request_ledger.h"
#include "serve/save_commit.h"
#include "serve/save_problem.h"
#include "serve/save_table.h"
#include "serve/serve_pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROW_BYTES  (16 * 1024 * 1024)
#define BUFFER_BYTES   (64 * 1024)
#define SWEEP_EVERY_NS (60 * CLOCK_NS_PER_S)

/* One request in the making. A step that returns false has ended it, or found that nobody waits for it
 * any more. */
typedef struct Save
{
	Exchange *exchange;
	Database *database;
	const ServeSaveOptions *options;
	const SaveRequest *request;
	const char *key; /* NULL: none, or no ledger */
	RequestBody *body;
	SaveTable table;
	JsonFrames *frames;
	JsonDecoder *decoder;
	JsonField *fields; /* [table.columns] */
	JsonEncoder copy;  /* towards the server */
	char *buffer;
	DatabaseResult put; /* the last one of COPY */
	bool copying;
	int64_t rows; /* read from the body */
	int64_t written;
} Save;

/* --- ends --- */

static bool
refuse(Save *save, int status, const char *detail)
{
	exchange_fail(save->exchange, status, detail);
	return false;
}

static bool
refuse_out_of_memory(Save *save)
{
	return refuse(save, SERVE_STATUS_UNSPECIFIED, "out of memory");
}

static bool
fail_by_database(Save *save, DatabaseResult result)
{
	/* a client that has gone is told nothing */
	if (result != DATABASE_INTERRUPTED)
		save_problem_of_database(save->exchange, save->database);
	return false;
}

static bool
answer(Save *save, int64_t rows, bool is_replayed)
{
	char *document;

	if (asprintf(&document, "{\"rows\":%" PRId64 "}\n", rows) < 0)
		return refuse_out_of_memory(save);
	exchange_conclude(save->exchange, rows > 0 ? SERVE_STATUS_RESULT : SERVE_STATUS_NO_RESULT,
					  document, is_replayed);
	return false;
}

/* --- rows --- */

/* A JsonEncodeFlush: the encoder's buffer to the server. */
static bool
put_copy_bytes(void *context, const char *bytes, size_t length)
{
	Save *save = context;

	save->put = database_copy_in_put(save->database, bytes, length);
	/* what was refused has ended the COPY */
	save->copying = save->put == DATABASE_OK;
	return save->copying;
}

static bool
begin_copy(Save *save)
{
	DatabaseResult begun = database_copy_in_begin(save->database, save->table.copy_sql);

	if (begun != DATABASE_OK)
		return fail_by_database(save, begun);
	save->copying = true;
	json_encoder_init(&save->copy, save->buffer, BUFFER_BYTES, put_copy_bytes, save);
	return true;
}

static bool
put_row(Save *save)
{
	for (int i = 0; i < save->table.columns; i++)
	{
		if (i > 0)
			json_encode_char(&save->copy, '\t');
		switch (copy_value_put(&save->copy, save->table.shapes[i], &save->fields[i]))
		{
			case COPY_VALUE_OK:
				break;
			case COPY_VALUE_NUL:
				return save_problem_of_value(save->exchange, SERVE_STATUS_WRITING_FAILED,
											 save->rows, save->table.names[i],
											 "22P05: \\u0000 cannot be converted to text");
			case COPY_VALUE_UNKNOWN_KEY:
				return save_problem_of_value(save->exchange, SERVE_STATUS_INVALID_VALUE, save->rows,
											 save->table.names[i],
											 "has a key that is no attribute of its type");
		}
	}
	json_encode_char(&save->copy, '\n');
	return !save->copy.failed || fail_by_database(save, save->put);
}

static bool
take_row(Save *save, const JsonFrame *frame)
{
	int unknown_keys;

	save->rows++;
	switch (json_decode_row(save->decoder, frame->text, frame->length, frame->has_wide_integers,
							save->fields, &unknown_keys))
	{
		case JSON_DECODE_OK:
			break;
		case JSON_DECODE_NOT_AN_OBJECT:
			return save_problem_of_row(save->exchange, SERVE_STATUS_INVALID_CLASS, save->rows,
									   "is no JSON object");
		case JSON_DECODE_REJECTED:
			return save_problem_of_row(save->exchange, SERVE_STATUS_UNSPECIFIED, save->rows,
									   json_decoder_message(save->decoder));
		default:
			return refuse_out_of_memory(save);
	}
	if (unknown_keys > 0)
		return save_problem_of_key(save->exchange, save->rows, save->decoder, save->fields,
								   frame->text, frame->length);
	return (save->copying || begin_copy(save)) && put_row(save);
}

static bool
fail_by_frames(Save *save)
{
	const JsonFramesError *error = json_frames_error(save->frames);
	char detail[sizeof(error->message) + 96];

	if (error->kind == JSON_FRAMES_OUT_OF_MEMORY)
		return refuse_out_of_memory(save);
	snprintf(detail, sizeof(detail), "%s, at byte %" PRId64 " of the body", error->message,
			 error->offset);
	return refuse(save,
				  error->kind == JSON_FRAMES_ROW_TOO_LONG ? SERVE_STATUS_TOO_LARGE
														  : SERVE_STATUS_INVALID_CLASS,
				  detail);
}

static bool
fail_by_body(Save *save, RequestBodyResult result)
{
	switch (result)
	{
		case REQUEST_BODY_TOO_LARGE:
			return refuse(save, SERVE_STATUS_TOO_LARGE,
						  "the body, decoded, is longer than --max-body-bytes");
		case REQUEST_BODY_CORRUPT:
			return refuse(save, SERVE_STATUS_INVALID_CLASS, "the body is not gzip, or not whole");
		case REQUEST_BODY_OUT_OF_MEMORY:
			return refuse_out_of_memory(save);
		default:
			return false;
	}
}

/* Gives the next piece of the body to the frames. */
static bool
feed_frames(Save *save)
{
	const char *bytes;
	size_t length;
	RequestBodyResult result = request_body_next(save->body, &bytes, &length);

	if (result == REQUEST_BODY_BYTES)
		json_frames_feed(save->frames, bytes, length);
	else if (result == REQUEST_BODY_END)
		json_frames_finish(save->frames);
	else
		return fail_by_body(save, result);
	return true;
}

static bool
read_rows(Save *save)
{
	JsonFrame frame;

	for (;;)
	{
		switch (json_frames_next(save->frames, &frame))
		{
			case JSON_FRAME_ROW:
				if (!take_row(save, &frame))
					return false;
				break;
			case JSON_FRAME_MORE:
				if (!feed_frames(save))
					return false;
				break;
			case JSON_FRAME_END:
				return true;
			default:
				return fail_by_frames(save);
		}
	}
}

static bool
end_copy(Save *save)
{
	DatabaseResult ended;

	if (!save->copying)
		return true;
	if (!json_encoder_flush(&save->copy))
		return fail_by_database(save, save->put);
	save->copying = false;
	ended = database_copy_in_end(save->database, NULL, &save->written);
	return ended == DATABASE_OK || fail_by_database(save, ended);
}

static bool
open_rows(Save *save)
{
	const JsonFramesOptions options = {.max_row_bytes = MAX_ROW_BYTES,
									   .shape = save->request->shape};

	save->frames = json_frames_create(&options);
	save->decoder =
		json_decoder_create((const char *const *) save->table.names, save->table.columns);
	save->fields = calloc((size_t) save->table.columns, sizeof(JsonField));
	save->buffer = malloc(BUFFER_BYTES);
	return (save->frames != NULL && save->decoder != NULL && save->fields != NULL &&
			save->buffer != NULL) ||
		   refuse_out_of_memory(save);
}

/* --- a key that was answered before --- */

/* Reads all of the body for its digest alone. */
static bool
skip_body(Save *save)
{
	const char *bytes;
	size_t length;
	RequestBodyResult result;

	while ((result = request_body_next(save->body, &bytes, &length)) == REQUEST_BODY_BYTES)
		;
	return result == REQUEST_BODY_END || fail_by_body(save, result);
}

static bool
replay(Save *save, const LedgerEntry *entry)
{
	unsigned char digest[REQUEST_BODY_DIGEST_SIZE];

	/* gives back the lock on the key's row before a client is waited for */
	database_make_idle(save->database);
	if (!skip_body(save))
		return false;
	if (!request_body_digest(save->body, digest))
		return refuse_out_of_memory(save);
	if (memcmp(digest, entry->digest, sizeof(digest)) != 0)
		return refuse(save, SERVE_STATUS_OTHER_BODY,
					  "this Idempotency-Key was answered for another body; nothing was written");
	return answer(save, entry->rows, true);
}

/* True when the key is now this request's. */
static bool
claim_key(Save *save)
{
	LedgerEntry entry;
	DatabaseResult result =
		request_ledger_claim(save->key, save->options->ledger_ttl_s, &entry, save->database);

	if (result != DATABASE_OK)
		return fail_by_database(save, result);
	return entry.is_new || replay(save, &entry);
}

/* --- the transaction --- */

static DatabaseResult
begin(Save *save)
{
	return save_table_begin(&save->table, save->options->table, save->options->lock_timeout_ms,
							save->database);
}

/* Opens the connection where needed, and the transaction; a pooled connection may have died since its
 * last use: that is no error yet. */
static bool
open_transaction(Save *save, bool *reached)
{
	DatabaseResult result = DATABASE_LOST;

	if (database_is_open(save->database))
		result = begin(save);
	if (result == DATABASE_LOST)
	{
		save_table_free(&save->table);
		result = database_open(save->database, save->options->connection, SERVE_CONNECT_TIMEOUT_MS);
		*reached = result != DATABASE_LOST;
		if (result == DATABASE_LOST)
			return save_problem_unreachable(save->exchange, save->database);
		if (result == DATABASE_OK)
			result = begin(save);
	}
	return result == DATABASE_OK || fail_by_database(save, result);
}

static bool
check_table(Save *save)
{
	if (save->table.qualified == NULL)
		return save_problem_of_table(save->exchange, "42P01: there is no table ",
									 save->options->table);
	if (save->table.columns == 0)
		return save_problem_of_table(save->exchange, "42501: this role may write to no column of ",
									 save->table.qualified);
	return true;
}

static bool
commit(Save *save)
{
	unsigned char digest[REQUEST_BODY_DIGEST_SIZE];
	char *keep_sql = NULL;
	bool committed;

	if (save->key != NULL)
	{
		if (!request_body_digest(save->body, digest))
			return refuse_out_of_memory(save);
		keep_sql = request_ledger_keep_sql(save->key, digest, save->written, save->database);
		if (keep_sql == NULL)
			return refuse_out_of_memory(save);
	}
	committed = save_commit(save->exchange, save->database, save->options->connection, keep_sql,
							&save->table.transaction);
	free(keep_sql);
	return committed && answer(save, save->written, false);
}

static void
close_save(Save *save)
{
	json_frames_free(save->frames);
	json_decoder_free(save->decoder);
	free(save->fields);
	free(save->buffer);
	save_table_free(&save->table);
	request_body_close(save->body);
}

bool
serve_save(Exchange *exchange, Database *database, const void *context)
{
	const ServeSaveOptions *options = context;
	Save save = {
		.exchange = exchange,
		.database = database,
		.options = options,
		.request = exchange_save_request(exchange),
	};
	bool reached = true;

	if (options->has_ledger && save.request->has_key)
		save.key = save.request->key;
	database->client_fd = exchange_client_fd(exchange);
	save.body = request_body_open(exchange_upload(exchange), save.request->gzip, save.key != NULL,
								  options->max_body_bytes);
	if (save.body == NULL)
		refuse_out_of_memory(&save);
	else if (options->table == NULL)
		save_problem_of_table(exchange, "no table to write to was chosen: see --save-table", "");
	else if (open_transaction(&save, &reached) && check_table(&save) &&
			 (save.key == NULL || claim_key(&save)) && open_rows(&save) && read_rows(&save) &&
			 end_copy(&save))
		commit(&save);
	/* whatever it was that did not come to an end above: nobody may be left waiting */
	exchange_fail(exchange, SERVE_STATUS_UNSPECIFIED, "the request was interrupted");
	close_save(&save);
	database->client_fd = -1;
	database_make_idle(database);
	return reached;
}

void
serve_save_sweep(Database *database, const void *context)
{
	const ServeSaveOptions *options = context;
	int64_t now_ns = clock_now_ns();
	int64_t due_ns;
	DatabaseResult swept;

	if (!options->has_ledger || !database_is_open(database))
		return;
	due_ns = atomic_load(options->next_sweep_ns);
	if (now_ns < due_ns ||
		!atomic_compare_exchange_strong(options->next_sweep_ns, &due_ns, now_ns + SWEEP_EVERY_NS))
		return;
	swept = request_ledger_sweep(options->ledger_ttl_s, database);
	if (swept == DATABASE_FAILED || swept == DATABASE_LOST)
		message_warning("expired keys were not deleted from the ledger: %s", database->message);
	database_make_idle(database);
}
