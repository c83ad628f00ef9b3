#include "serve/serve_info.h"
#include "serve/body_stream.h"
#include "json_text.h"
#include "rows/row_format.h"
#include "serve/serve_request.h"

#include <libpq-fe.h>
#include <microhttpd.h>
#include <stdio.h>

static void
put_string(JsonText *text, const char *before, const char *key, const char *value)
{
	json_text_key(text, before, key);
	if (value == NULL)
		json_encode_literal(&text->encoder, "null");
	else
		json_text_string(text, value);
}

static void
put_integer(JsonText *text, const char *before, const char *key, int64_t value)
{
	json_text_key(text, before, key);
	json_encode_int64(&text->encoder, value);
}

static void
put_boolean(JsonText *text, const char *before, const char *key, bool value)
{
	json_text_key(text, before, key);
	json_encode_literal(&text->encoder, value ? "true" : "false");
}

static void
put_columns(JsonText *text, const QuerySource *source)
{
	json_text_key(text, ",", "columns");
	if (source->columns == 0)
	{
		json_encode_literal(&text->encoder, "null");
		return;
	}
	for (int i = 0; i < source->columns; i++)
	{
		put_string(text, i == 0 ? "[{" : ",{", "name", source->column[i].name);
		put_string(text, ",", "type", source->column[i].type_name);
		put_string(text, ",", "json", value_kind_name(source->column[i].kind));
		json_encode_char(&text->encoder, '}');
	}
	json_encode_char(&text->encoder, ']');
}

static void
put_formats(JsonText *text)
{
	json_text_key(text, ",", "formats");
	for (int i = 0; row_formats[i] != NULL; i++)
	{
		json_encode_char(&text->encoder, i == 0 ? '[' : ',');
		json_text_string(text, row_formats[i]->name);
	}
	json_encode_char(&text->encoder, ']');
}

static void
put_limits(JsonText *text, const ServeLimits *limits)
{
	json_text_key(text, ",", "limits");
	put_integer(text, "{", "default_row_limit", SERVE_DEFAULT_ROW_LIMIT);
	put_integer(text, ",", "connections", limits->connections);
	put_integer(text, ",", "requests", limits->requests);
	put_integer(text, ",", "http_connections", limits->http_connections);
	put_integer(text, ",", "queue_timeout_s", limits->queue_timeout_s);
	put_integer(text, ",", "idle_timeout_s", limits->idle_timeout_s);
	put_integer(text, ",", "spool_bytes", limits->spool_bytes);
	json_encode_char(&text->encoder, '}');
}

/* What a client that writes must know. */
static void
put_target(JsonText *text, const ServeTarget *target, const ServeLimits *limits)
{
	put_string(text, ",", "save_table", target->table);
	put_integer(text, ",", "max_body_bytes", limits->body_bytes);
	put_integer(text, ",", "max_writers", limits->write_connections);
	put_boolean(text, ",", "ndjson", true);
	put_boolean(text, ",", "idempotency", target->has_ledger);
	put_string(text, ",", "database_user", target->database_user);
	put_string(text, ",", "application_name", target->application_name);
}

char *
serve_info_document(const QuerySource *source, const ServeTarget *target, const ServeLimits *limits)
{
	JsonText text;
	char libpq_version[16];

	if (!json_text_open(&text))
		return NULL;
	snprintf(libpq_version, sizeof(libpq_version), "%d.%d", PQlibVersion() / 10000,
			 PQlibVersion() % 10000);
	put_string(&text, "{", "program", "transferbench serve");
	put_string(&text, ",", "version", TRANSFERBENCH_VERSION);
	put_string(&text, ",", "server_version", source->server_version);
	put_string(&text, ",", "libpq_version", libpq_version);
	put_string(&text, ",", "libmicrohttpd_version", MHD_get_version());
	/* null for a query, whose text may hold what is not for everybody */
	put_string(&text, ",", "table", source->table);
	put_string(&text, ",", "order_by", source->order);
	put_columns(&text, source);
	put_formats(&text);
	put_string(&text, ",", "content_coding", "gzip");
	put_integer(&text, ",", "gzip_level", BODY_STREAM_GZIP_LEVEL);
	put_limits(&text, limits);
	put_target(&text, target, limits);
	json_encode_literal(&text.encoder, "}\n");
	return json_text_close(&text);
}

char *
serve_health_document(const ServePoolState *load, const ServePoolState *save)
{
	const ServePoolState *latest = save->tried_ns > load->tried_ns ? save : load;
	JsonText text;

	if (!json_text_open(&text))
		return NULL;
	put_string(&text, "{", "status", "ok");
	put_string(&text, ",", "database", latest->database_reached ? "reached" : "unreachable");
	put_integer(&text, ",", "connections", load->connections + save->connections);
	put_integer(&text, ",", "busy", load->busy + save->busy);
	put_integer(&text, ",", "waiting", load->waiting + save->waiting);
	json_encode_literal(&text.encoder, "}\n");
	return json_text_close(&text);
}
