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
put_columns(JsonText *text, const QuerySource *source)
{
	json_text_key(text, ",", "columns");
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

char *
serve_info_document(const QuerySource *source, const ServeLimits *limits)
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
	json_encode_literal(&text.encoder, "}\n");
	return json_text_close(&text);
}

char *
serve_health_document(const ServePoolState *state)
{
	JsonText text;

	if (!json_text_open(&text))
		return NULL;
	put_string(&text, "{", "status", "ok");
	put_string(&text, ",", "database", state->database_reached ? "reached" : "unreachable");
	put_integer(&text, ",", "connections", state->connections);
	put_integer(&text, ",", "busy", state->busy);
	put_integer(&text, ",", "waiting", state->waiting);
	json_encode_literal(&text.encoder, "}\n");
	return json_text_close(&text);
}
