/*
 * http_path.c - see http_path.h.
 *
 * Bytes of the body go to json_frames, which finds each row; a row is decoded,
 * converted and consumed before the next is looked for. Never the whole body,
 * never the whole document. Only a column-oriented body must wait for its end,
 * in a ColumnSpool.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "clock.h"
#include "column_spool.h"
#include "credentials.h"
#include "error_clip.h"
#include "foreign_memory.h"
#include "host_rules.h"
#include "http_client.h"
#include "http_path.h"
#include "http_url.h"
#include "json_decode.h"
#include "json_frames.h"
#include "pinned_input.h"
#include "printable.h"
#include "row_input.h"
#include "settings.h"

/* Rows beyond n and as many again that a verification looks at. */
#define SURPLUS_ACCEPTED 10000

typedef struct HttpPath
{
	BenchPath base;
	HttpPathOptions options;
	HttpUrl *first_url;
	Credentials *credentials; /* NULL: none */
	/* of the last run */
	RowInputCounts *counts; /* [natts] */
	int64 spilled_bytes, spool_write_ns, spool_read_ns;
} HttpPath;

/* one run: everything that lives as long as it */
typedef struct HttpRun
{
	HttpPath *path;
	RowConsumer *consumer;
	TupleTableSlot *slot;
	HttpClient *client;
	ForeignMemory *frames_holder, *decoder_holder;
	JsonFrames *frames;
	JsonDecoder *decoder;
	RowInput *input;
	JsonField *fields;  /* [natts] */
	ColumnSpool *spool; /* while a column-oriented body is read */
	int64 row;          /* being worked on, 1-based over all pages; 0: none. For error contexts */
	int64 page_first_row;
	int64 wanted_rows; /* of this page */
	/* decoding, in its parts: rows as they come; a spool's writing, and its reading and decoding */
	int64 rows_ns, spool_write_ns, spool_read_ns;
	int64 spilled_bytes;
} HttpRun;

/* --- errors -------------------------------------------------------------------------- */

static void
add_row_context(void *context)
{
	HttpRun *run = context;
	const char *column = row_input_current_column(run->input);

	if (run->row == 0)
		return;
	if (column != NULL)
		errcontext("row " INT64_FORMAT ", column \"%s\"", run->row, column);
	else
		errcontext("row " INT64_FORMAT, run->row);
}

static int
frames_sqlstate(JsonFramesErrorKind kind)
{
	switch (kind)
	{
		case JSON_FRAMES_ENCODING:
			return ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
		case JSON_FRAMES_SURROGATE:
		case JSON_FRAMES_NUL_IN_KEY:
			return ERRCODE_UNTRANSLATABLE_CHARACTER;
		case JSON_FRAMES_TOO_DEEP:
		case JSON_FRAMES_ROW_TOO_LONG:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case JSON_FRAMES_OUT_OF_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		default:
			return ERRCODE_INVALID_JSON_TEXT;
	}
}

static void
raise_frames_error(HttpRun *run)
{
	const JsonFramesError *error = json_frames_error(run->frames);
	int64 rows = run->page_first_row + error->rows;

	run->row = 0; /* the place is in the message: the error is of the body, not of a row */
	if (error->kind == JSON_FRAMES_OUT_OF_MEMORY)
		ereport(ERROR, errcode(frames_sqlstate(error->kind)), errmsg("out of memory"),
				errdetail("%s sent row " INT64_FORMAT ", which could not be held.",
						  http_client_shown_url(run->client), rows + 1));
	if (error->kind == JSON_FRAMES_TRUNCATED)
		ereport(ERROR, errcode(frames_sqlstate(error->kind)),
				errmsg_plural("the JSON of %s is truncated after " INT64_FORMAT " row",
							  "the JSON of %s is truncated after " INT64_FORMAT " rows", rows,
							  http_client_shown_url(run->client), rows),
				errdetail("It ends at byte " INT64_FORMAT ": %s.", error->offset, error->message));
	ereport(ERROR, errcode(frames_sqlstate(error->kind)),
			errmsg("the body of %s is not the JSON that was expected: %s",
				   http_client_shown_url(run->client), error->message),
			errdetail("At byte " INT64_FORMAT ", after " INT64_FORMAT
					  " rows, status %d, type \"%s\"."
					  " The body begins: %s",
					  error->offset, rows, http_client_status(run->client),
					  printable_text(http_client_media_type(run->client)),
					  http_client_body_start(run->client)),
			error->kind == JSON_FRAMES_ROW_TOO_LONG
				? errhint("The limit is pg_transferbench.max_row_bytes.")
				: 0);
}

static void
raise_decode_error(HttpRun *run, JsonDecodeResult result)
{
	CHECK_FOR_INTERRUPTS(); /* what JSON_DECODE_INTERRUPTED is for */
	if (result == JSON_DECODE_OUT_OF_MEMORY)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
	if (result == JSON_DECODE_NOT_AN_OBJECT)
		ereport(ERROR, errcode(ERRCODE_INVALID_JSON_TEXT),
				errmsg("row " INT64_FORMAT " of %s is not a JSON object", run->row,
					   http_client_shown_url(run->client)),
				errdetail("The body begins: %s", http_client_body_start(run->client)));
	ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
			errmsg("json-c refused row " INT64_FORMAT ": %s", run->row,
				   json_decoder_message(run->decoder)));
}

/*
 * `rows` of this page is one more than was asked for, or yet more. A
 * verification wants to see which they are, but not all of them.
 */
static void
refuse_surplus(const HttpRun *run, int64 rows)
{
	if (run->path->base.accepts_surplus && rows <= 2 * run->wanted_rows + SURPLUS_ACCEPTED)
		return;
	ereport(
		ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
		errmsg("%s sent more rows than the " INT64_FORMAT " that were asked for",
			   http_client_shown_url(run->client), run->wanted_rows),
		errhint("Tell the endpoint how many by {n} in the URL, or by its parameter row_limit."));
}

/* An answer none of whose keys is a column is no row: {"error": ...} with status 200, say. */
static void
raise_stranger(HttpRun *run)
{
	ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			errmsg("%s answered with HTTP status %d and no row of the expected columns",
				   http_client_shown_url(run->client), http_client_status(run->client)),
			errdetail("The body begins: %s", http_client_body_start(run->client)),
			errhint("row_type names the table or type whose columns are expected."));
}

static bool
has_any_column(const HttpRun *run)
{
	for (int i = 0; i < run->path->base.row_desc->natts; i++)
	{
		if (run->fields[i].kind != JSON_FIELD_MISSING)
			return true;
	}
	return false;
}

/* --- one row ------------------------------------------------------------------------- */

static void
consume_row(HttpRun *run, const char *text, size_t length, bool has_wide_integers, bool na_is_null)
{
	MemoryContext caller_context = MemoryContextSwitchTo(run->consumer->row_context);
	TupleTableSlot *slot = run->slot;
	JsonDecodeResult result;
	int unknown_keys;

	CHECK_FOR_INTERRUPTS();
	run->row = run->consumer->rows + 1;
	if (run->row > run->page_first_row + run->wanted_rows)
		refuse_surplus(run, run->row - run->page_first_row);
	result =
		json_decode_row(run->decoder, text, length, has_wide_integers, run->fields, &unknown_keys);
	if (result != JSON_DECODE_OK)
		raise_decode_error(run, result);
	if (unknown_keys > 0 && !has_any_column(run))
		raise_stranger(run);
	ExecClearTuple(slot);
	row_input_convert(run->input, run->fields, na_is_null, slot->tts_values, slot->tts_isnull);
	ExecStoreVirtualTuple(slot);
	run->row = 0;
	MemoryContextSwitchTo(caller_context);
	row_consumer_consume(run->consumer, slot);
}

/* --- a column-oriented body ---------------------------------------------------------- */

static void
begin_column(HttpRun *run, const JsonFrame *frame)
{
	bool is_ours = row_input_has_column(run->input, frame->text + 1, frame->length - 2);

	CHECK_FOR_INTERRUPTS();
	if (run->spool == NULL)
		run->spool = column_spool_create(settings_max_buffered_bytes);
	column_spool_begin_column(run->spool, frame->text, frame->length, is_ours);
}

static void
spool_value(HttpRun *run, const JsonFrame *frame)
{
	int64 rows = column_spool_column_rows(run->spool) + 1;

	CHECK_FOR_INTERRUPTS();
	if (rows > run->wanted_rows)
		refuse_surplus(run, rows);
	column_spool_add(run->spool, frame->text, frame->length, frame->has_wide_integers);
}

static void
consume_spool(HttpRun *run)
{
	int64 start_ns = clock_now_ns();
	int64 rows = column_spool_finish(run->spool);
	StringInfoData row;
	bool has_wide_integers;

	if (rows > 0 && column_spool_columns(run->spool) == 0)
		raise_stranger(run);
	initStringInfo(&row);
	for (int64 i = 0; i < rows; i++)
	{
		column_spool_next_row(run->spool, &row, &has_wide_integers);
		consume_row(run, row.data, row.len, has_wide_integers, true);
	}
	pfree(row.data);
	run->spilled_bytes += column_spool_spilled_bytes(run->spool);
	column_spool_free(run->spool);
	run->spool = NULL;
	run->spool_read_ns += clock_now_ns() - start_ns;
}

/* What the media type says of the body's shape. */
static JsonShape
demanded_shape(const HttpRun *run)
{
	if (strcmp(http_client_media_type(run->client), "application/x-ndjson") == 0)
		return JSON_SHAPE_LINES;
	return http_client_says_columns(run->client) ? JSON_SHAPE_COLUMNS : JSON_SHAPE_UNKNOWN;
}

/* --- one page ------------------------------------------------------------------------ */

/* A single row of columns comes as scalars, which is a row of LINES. */
static bool
may_be_columns(const HttpRun *run)
{
	return run->wanted_rows == 1 && json_frames_shape(run->frames) == JSON_SHAPE_LINES &&
		   demanded_shape(run) != JSON_SHAPE_LINES;
}

static void
handle_frame(HttpRun *run, const JsonFrame *frame)
{
	switch (frame->kind)
	{
		case JSON_FRAME_ROW:
			consume_row(run, frame->text, frame->length, frame->has_wide_integers,
						may_be_columns(run));
			break;
		case JSON_FRAME_COLUMN:
			begin_column(run, frame);
			break;
		case JSON_FRAME_VALUE:
			spool_value(run, frame);
			break;
		case JSON_FRAME_ERROR:
			raise_frames_error(run);
			break;
		case JSON_FRAME_MORE:
		case JSON_FRAME_END:
			break;
	}
}

/* Takes all frames that the bytes lent so far make. */
static void
drain_frames(HttpRun *run)
{
	int64 start_ns = clock_now_ns();
	JsonFrame frame;

	do
	{
		json_frames_next(run->frames, &frame);
		handle_frame(run, &frame);
	} while (frame.kind != JSON_FRAME_MORE && frame.kind != JSON_FRAME_END);
	if (run->spool != NULL)
		run->spool_write_ns += clock_now_ns() - start_ns;
	else
		run->rows_ns += clock_now_ns() - start_ns;
}

static void
run_page(HttpRun *run, int64 rows, int64 offset)
{
	/* the URL is garbage once the request is under way: the first row takes it along */
	MemoryContext caller_context = MemoryContextSwitchTo(run->consumer->row_context);
	const char *bytes;
	size_t length;

	run->page_first_row = run->consumer->rows;
	run->wanted_rows = rows;
	http_client_get(run->client, http_url_for_rows(run->path->options.url, rows, offset,
												   run->path->options.page_rows > 0));
	MemoryContextSwitchTo(caller_context);
	json_frames_reset(run->frames, demanded_shape(run));
	while ((length = http_client_read(run->client, &bytes)) > 0)
	{
		json_frames_feed(run->frames, bytes, length);
		drain_frames(run);
	}
	json_frames_finish(run->frames);
	drain_frames(run);
	if (run->spool != NULL)
		consume_spool(run);
}

/* --- one run ------------------------------------------------------------------------- */

static void
release_frames(void *frames)
{
	json_frames_free(frames);
}

static void
release_decoder(void *decoder)
{
	json_decoder_free(decoder);
}

static bool
key_takes_array(void *context, const char *key, size_t length)
{
	return row_input_takes_array(((HttpRun *) context)->input, key, length);
}

/* A wish to interrupt that cannot be granted now would come again with every row. */
static bool
is_interrupted(void)
{
	return InterruptPending && InterruptHoldoffCount == 0 && CritSectionCount == 0 &&
		   (QueryCancelPending || ProcDiePending);
}

static void
begin_run(HttpRun *run, HttpPath *path, RowConsumer *consumer)
{
	JsonFramesOptions frames_options = {
		.max_row_bytes = settings_max_row_bytes,
		.key_takes_array = key_takes_array,
		.context = run,
	};
	int natts = path->base.row_desc->natts;

	*run = (HttpRun){.path = path, .consumer = consumer};
	run->input = row_input_create(path->base.row_desc);
	run->fields = palloc0(sizeof(JsonField) * Max(natts, 1));
	run->slot = MakeSingleTupleTableSlot(path->base.row_desc, &TTSOpsVirtual);
	run->client = http_client_create(path->options.headers, path->credentials);
	run->frames_holder = foreign_memory_reserve(CurrentMemoryContext, release_frames);
	run->decoder_holder = foreign_memory_reserve(CurrentMemoryContext, release_decoder);
	run->frames_holder->object = run->frames = json_frames_create(&frames_options);
	run->decoder_holder->object = run->decoder =
		json_decoder_create(row_input_names(run->input), natts);
	if (run->frames == NULL || run->decoder == NULL)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
	json_decoder_set_interrupted(run->decoder, is_interrupted);
}

static void
run_pages(HttpRun *run, int64 n)
{
	int64 page_rows = run->path->options.page_rows > 0 ? run->path->options.page_rows : n;
	int64 offset = 0;

	if (n == 0)
	{
		run_page(run, 0, 0);
		return;
	}
	while (offset < n)
	{
		int64 rows = Min(page_rows, n - offset);

		run_page(run, rows, offset);
		offset += rows;
		if (run->consumer->rows < offset)
			return; /* the source has ended: a page beyond could only be empty */
	}
}

static void
http_path_run(BenchPath *base, int64 n, RowConsumer *consumer, BenchTrial *trial)
{
	HttpPath *path = (HttpPath *) base;
	MemoryContext caller_context = CurrentMemoryContext;
	HttpRun *run = palloc(sizeof(HttpRun));
	ErrorContextCallback row_context = {
		.previous = error_context_stack, .callback = add_row_context, .arg = run};
	HttpTotals totals;
	int pinned = pinned_input_begin();

	begin_run(run, path, consumer);
	error_context_stack = &row_context;
	PG_TRY();
	{
		run_pages(run, n);
	}
	PG_CATCH();
	{
		error_clip_rethrow(caller_context);
	}
	PG_END_TRY();
	error_context_stack = row_context.previous;
	pinned_input_end(pinned);

	totals = http_client_totals(run->client);
	trial->bytes = totals.body_bytes;
	trial->wire_bytes = totals.wire_bytes;
	trial->requests = totals.requests;
	trial->retries = totals.retries;
	trial->retry_wait_ns = totals.retry_wait_ns;
	trial->connect_ns = totals.connect_ns;
	trial->first_byte_ns = totals.first_byte_ns;
	trial->decode_ns = run->rows_ns + run->spool_write_ns + run->spool_read_ns + totals.inflate_ns;
	trial->decoder = HTTP_PATH_DEFAULT_DECODER;
	path->spilled_bytes = run->spilled_bytes;
	path->spool_write_ns = run->spool_write_ns;
	path->spool_read_ns = run->spool_read_ns;
	memcpy(path->counts, row_input_counts(run->input),
		   sizeof(RowInputCounts) * base->row_desc->natts);
}

/* --- the path ------------------------------------------------------------------------ */

static void
remark_spilling(const HttpPath *path)
{
	if (path->spilled_bytes == 0)
		return;
	ereport(NOTICE,
			errmsg("the column-oriented response went to temporary files: " INT64_FORMAT " bytes",
				   path->spilled_bytes),
			errdetail("Of decode_ms, %.1f ms went into finding and writing the values, "
					  "%.1f ms into reading them back and decoding them.",
					  clock_ns_to_ms(path->spool_write_ns), clock_ns_to_ms(path->spool_read_ns)),
			errhint("pg_transferbench.max_buffered_bytes is what stays in memory."));
}

static void
remark_nulls(const char *column, const RowInputCounts *counts)
{
	if (counts->missing_keys > 0)
		ereport(NOTICE, errmsg("column \"%s\": " INT64_FORMAT
							   " rows had no such key and were taken for null",
							   column, counts->missing_keys));
	if (counts->within.missing_attributes > 0)
		ereport(NOTICE, errmsg("column \"%s\": " INT64_FORMAT
							   " attributes within it had no such key and were taken for null",
							   column, counts->within.missing_attributes));
	if (counts->na_strings > 0)
		ereport(NOTICE, errmsg("column \"%s\": " INT64_FORMAT " strings \"NA\" were taken for null",
							   column, counts->na_strings));
}

/* Says what no figure of a trial shows: temporary files, and nulls that were no null. */
static void
http_path_remark(BenchPath *base)
{
	const HttpPath *path = (const HttpPath *) base;

	remark_spilling(path);
	for (int i = 0; i < base->row_desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(base->row_desc, i);

		if (!attribute->attisdropped)
			remark_nulls(NameStr(attribute->attname), &path->counts[i]);
	}
}

/* JSON objects cannot tell columns of one name apart. */
static void
refuse_doubled_columns(TupleDesc row_desc)
{
	for (int i = 0; i < row_desc->natts; i++)
	{
		for (int j = i + 1; j < row_desc->natts; j++)
		{
			if (!TupleDescAttr(row_desc, i)->attisdropped &&
				strcmp(NameStr(TupleDescAttr(row_desc, i)->attname),
					   NameStr(TupleDescAttr(row_desc, j)->attname)) == 0)
				ereport(ERROR, errcode(ERRCODE_DUPLICATE_COLUMN),
						errmsg("two columns are named \"%s\"",
							   NameStr(TupleDescAttr(row_desc, i)->attname)),
						errdetail("A JSON object cannot tell them apart."),
						errhint("Name them differently in the query."));
		}
	}
}

static void
check_decoder(const char *decoder)
{
	if (decoder != NULL && strcmp(decoder, HTTP_PATH_DEFAULT_DECODER) != 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("decoder \"%s\" is not known", decoder),
				errhint("Known decoders: %s.", HTTP_PATH_DEFAULT_DECODER));
}

BenchPath *
http_path_create(const HttpPathOptions *options)
{
	HttpPath *path = palloc0(sizeof(HttpPath));
	int natts = Max(options->row_desc->natts, 1);

	check_decoder(options->decoder);
	refuse_doubled_columns(options->row_desc);
	path->options = *options;
	path->counts = palloc0(sizeof(RowInputCounts) * natts);
	path->base.name = "http-json";
	path->base.row_desc = options->row_desc;
	path->base.run = http_path_run;
	path->base.rest_is_transfer = true;
	path->base.source_is_remote = true;
	path->base.remark = http_path_remark;
	path->first_url = http_url_parse(
		http_url_for_rows(options->url, options->page_rows, 0, options->page_rows > 0),
		HTTP_URL_ARGUMENT);
	http_url_check_allowed(path->first_url);
	path->credentials = credentials_read();
	return &path->base;
}

bool
http_path_leads_to_loopback(const BenchPath *path)
{
	return host_rules_is_loopback(((const HttpPath *) path)->first_url->host);
}
