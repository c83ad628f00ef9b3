/*
 * api_dialect.h - how an API wants to be asked for rows and given them: one constant table of
 * functions per dialect.
 *
 *   reference  transferbench serve: GET /load_from_db, POST /save_to_db
 *   plumber    the same paths and parameters, without what only `serve` has
 *              (/info, Idempotency-Key, NDJSON)
 *   postgrest  GET and POST /TABLE; https://postgrest.org, 'Tables and Views', 'Pagination',
 *              'Preferences'
 *   template   URLs of the user's own, with {n} and {offset}
 */
#ifndef TRANSFERBENCH_API_DIALECT_H
#define TRANSFERBENCH_API_DIALECT_H

#include "http/http_session.h"
#include "rows/row_type.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ApiTarget
{
	const char *base_url; /* --url, without a last slash; NULL when both below are given */
	const char *get_url, *post_url; /* --get-url, --post-url: in full; NULL: by the dialect */
	const char *table;              /* unqualified, unquoted: postgrest's resource */
	const char *schema; /* postgrest: Accept-Profile, Content-Profile; NULL: its default */
	/* postgrest, both in its own syntax, a name with other characters than letters, digits and _ in
	 * quotation marks: columns to order by, "id" or "a,b.desc"; columns whose duplicates are
	 * ignored. NULL: none. */
	const char *order, *on_conflict;
	bool idempotency_key; /* the endpoint is known to honour it */
} ApiTarget;

#define API_MAX_HEADERS 8

typedef struct ApiRequest
{
	char *url; /* the caller frees both by api_request_free */
	char *header[API_MAX_HEADERS];
	int headers;
} ApiRequest;

typedef struct ApiDialect
{
	const char *name;
	bool has_info; /* GET /info tells limits */
	bool takes_ndjson;
	bool errors_are_certain; /* any error status of a POST says that nothing was written */
	bool may_be_repeated;    /* a POST, as far as the target allows it: api_post_is_repeatable */
	bool tells_rows;         /* the answer to a POST says how many were written: {"rows": k} */
	/* Fills a request for rows [offset, offset + limit); false when out of memory. */
	bool (*get)(const ApiTarget *target, int64_t limit, int64_t offset, ApiRequest *request);
	/* `type`: columns that are sent; `key`: of this batch, NULL for none. */
	bool (*post)(const ApiTarget *target, const RowType *type, bool ndjson, const char *key,
				 ApiRequest *request);
	/* Whether an answer to `get` is one: status, Content-Range against what was asked. False fills
	 * problem. */
	bool (*check_get)(const HttpAnswer *answer, int64_t limit, int64_t offset, char *problem,
					  size_t problem_size);
	/* Whether a status says that the rows of a POST are committed. */
	bool (*post_committed)(int status);
	/* Whether a 429 or 503 (`body`: its start) says that nothing of a POST was written. */
	bool (*post_turned_away)(const HttpAnswer *answer, const char *body);
} ApiDialect;

extern const ApiDialect api_dialect_reference, api_dialect_plumber, api_dialect_postgrest,
	api_dialect_template;
/* NULL when there is none of this name. */
extern const ApiDialect *api_dialect_find(const char *name);
extern void api_request_free(ApiRequest *request);
/* Whether a POST to this target can be sent again after its answer was lost, without writing rows
 * twice. */
extern bool api_post_is_repeatable(const ApiDialect *dialect, const ApiTarget *target);

/* Whether the body of an answer whose status says that `rows` rows are committed agrees. False fills
 * problem: then nobody knows. */
extern bool api_post_is_confirmed(const ApiDialect *dialect, const HttpAnswer *answer,
								  const char *body, int64_t rows, char *problem,
								  size_t problem_size);

typedef struct ApiInfo
{
	int64_t max_body_bytes; /* -1: not told */
	bool idempotency;       /* Idempotency-Key is honoured */
	bool ndjson;
	int64_t max_writers;    /* -1 */
	char table[300];        /* that is served, qualified and quoted; "" when not told, or a query */
	char save_table[300];   /* that is written to, likewise */
	char server[64];        /* program and version: "transferbench serve 0.1.0" */
	char database_user[64]; /* whom the API's backends belong to, "" when not told */
	char application_name[64]; /* by which they are known, "" */
} ApiInfo;

/* Asks GET BASE/info; false when there is none (problem filled), which is no error for an API
 * without one. */
extern bool api_info_get(HttpSession *session, const char *base_url, ApiInfo *info, char *problem,
						 size_t problem_size);
/* GET or POST BASE/usage of `serve`: cumulative CPU of the process, resident memory and peak; -1
 * for what it does not tell. False when there is no such answer. */
extern bool api_usage_get(HttpSession *session, const char *base_url, bool reset_peak,
						  int64_t *cpu_us, int64_t *resident_bytes, int64_t *peak_bytes);

#endif
