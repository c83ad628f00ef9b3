-- The reference rows: the same bits everywhere, streaming, and a table of them.
CREATE EXTENSION pg_transferbench;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- pinned: the same values stand in test/unit/reference_row_test.c
SELECT id, code, created_at, amount, ratio, active, to_json(label) AS label, note FROM bench_rows(12);
SELECT id, code, created_at, amount, ratio FROM bench_rows(1, 42);
SELECT digest = -4998835788526204645 AS first_million FROM bench_extract(1000000, 'SELECT * FROM bench_rows(1000000)', verify => true);
SELECT digest = -4998835788526204645 AS first_million FROM bench_extract(1000000, verify => true);

-- what each column is there for
SELECT count(*), count(DISTINCT id) AS ids, count(DISTINCT code) AS codes,
       count(*) FILTER (WHERE abs(code) > 9007199254740992) > 9900 AS codes_beyond_doubles,
       count(DISTINCT label) AS labels, count(*) FILTER (WHERE label = '') > 0 AS has_empty,
       count(note) BETWEEN 8800 AND 9200 AS one_note_in_ten_is_null,
       bool_and(length(note) BETWEEN 24 AND 40) AS note_lengths,
       bool_and(created_at >= '2018-01-01' AND created_at < '2026-01-01') AS in_range,
       bool_and(scale(amount) = 2) AS two_decimals, bool_and(ratio <> 0) AS ratio_not_zero
FROM bench_rows(10000);
SELECT count(*) AS labels_that_json_must_escape FROM (SELECT DISTINCT label FROM bench_rows(1000)) s
WHERE label ~ '["\\[:cntrl:]]';

-- edges
SELECT count(*) FROM bench_rows(0);
SELECT count(*) FROM bench_rows(1);
SELECT count(*) FROM bench_rows(5, -9223372036854775808);
\set VERBOSITY sqlstate
SELECT count(*) FROM bench_rows(-1);
SELECT count(*) FROM bench_rows(NULL);
SELECT count(*) FROM bench_rows(1, NULL);
SELECT count(*) FROM bench_rows(9223372036854775808);
\set VERBOSITY default
SELECT count(*) FROM bench_rows(-1);
SELECT count(*) FROM bench_rows(NULL);

-- streams: ProjectSet, not a Function Scan over a tuplestore; for an ordinary role too
CREATE ROLE regress_transferbench_user;
SET ROLE regress_transferbench_user;
EXPLAIN (COSTS OFF) SELECT * FROM bench_rows(100000000);
EXPLAIN (COSTS OFF) SELECT count(*) FROM bench_rows(100000000, 7) WHERE active;
SELECT id FROM bench_rows(1000000000000) LIMIT 2;
RESET ROLE;
DROP ROLE regress_transferbench_user;

-- the table
SELECT bench_reference_table(1000);
\d bench_reference
SELECT obj_description('bench_reference'::regclass);
SELECT reltuples FROM pg_class WHERE oid = 'bench_reference'::regclass;
(SELECT * FROM bench_reference EXCEPT ALL SELECT * FROM bench_rows(1000))
UNION ALL (SELECT * FROM bench_rows(1000) EXCEPT ALL SELECT * FROM bench_reference);
SELECT bench_reference_table(1000);
CREATE SCHEMA regress_transferbench;
SELECT bench_reference_table(10, 3, 'regress_transferbench."Odd name"');
SELECT count(*) FROM (SELECT * FROM regress_transferbench."Odd name" EXCEPT ALL SELECT * FROM bench_rows(10, 3)) s;
SELECT bench_reference_table(0, name => 'regress_transferbench.empty');
SELECT bench_reference_table(-1);
SELECT bench_reference_table(NULL);
SELECT bench_reference_table(1, name => NULL);
SELECT bench_reference_table(1, name => 'no_such_schema.t');
SELECT bench_reference_table(1, name => '');
SELECT bench_reference_table(1, name => 'a; DROP TABLE bench_reference');
SELECT to_regclass('bench_reference') IS NOT NULL AS not_injected;

DROP SCHEMA regress_transferbench CASCADE;
DROP TABLE bench_reference;
DROP EXTENSION pg_transferbench;
