-- What CREATE EXTENSION makes, who may use it, and what is left after DROP.
CREATE SCHEMA bench;
CREATE EXTENSION pg_transferbench SCHEMA bench;
SELECT extrelocatable FROM pg_extension WHERE extname = 'pg_transferbench';

SELECT p.oid::regprocedure AS function, p.provolatile, p.proparallel, p.prosecdef, p.proisstrict
FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_transferbench') AND d.classid = 'pg_proc'::regclass
ORDER BY 1;

-- the contract of names, types and order
\d bench.bench_trial
\d bench.bench_comparison
\d bench.bench_reference_row

-- open to all: the generator, as generate_series is; all else is closed
CREATE ROLE regress_transferbench_user;
GRANT USAGE ON SCHEMA bench TO regress_transferbench_user;
SELECT p.proname, has_function_privilege('regress_transferbench_user', p.oid, 'EXECUTE') AS public
FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_transferbench') AND d.classid = 'pg_proc'::regclass
ORDER BY 1;
SET ROLE regress_transferbench_user;
SELECT count(*) FROM bench.bench_rows(10);
\set VERBOSITY sqlstate
SELECT * FROM bench.bench_extract(1);
SELECT * FROM bench.bench_http_fetch('http://127.0.0.1:1/', 1);
SELECT * FROM bench.bench_compare('http://127.0.0.1:1/');
SELECT bench.bench_reference_table(1);
SELECT * FROM bench.bench_process_usage('{1}');
\set VERBOSITY default
RESET ROLE;

-- granted, a call runs with the caller's rights
GRANT EXECUTE ON FUNCTION bench.bench_extract TO regress_transferbench_user;
CREATE TABLE bench.secret AS SELECT 1 AS a;
SET ROLE regress_transferbench_user;
SELECT path, rows, status FROM bench.bench_extract(5);
SELECT rows FROM bench.bench_extract(1, 'SELECT * FROM bench.secret');
RESET ROLE;

-- works outside the search path, whose objects of the same names do not matter
CREATE TABLE bench_reference_row (id text);
SELECT rows, status FROM bench.bench_extract(2);
DROP TABLE bench_reference_row;

DROP TABLE bench.secret;
DROP EXTENSION pg_transferbench;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'bench\_%';
DROP SCHEMA bench;
DROP ROLE regress_transferbench_user;
