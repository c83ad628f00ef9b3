-- What bench_http_fetch and bench_compare refuse before a byte is sent. No network.
CREATE EXTENSION pg_transferbench;

-- URLs: never repeated where they may hold a secret
SELECT * FROM bench_http_fetch(NULL, 1);
SELECT * FROM bench_http_fetch('', 1);
SELECT * FROM bench_http_fetch('127.0.0.1:8080/rows', 1);
SELECT * FROM bench_http_fetch('localhost/rows', 1);
SELECT * FROM bench_http_fetch('//localhost/rows', 1);
SELECT * FROM bench_http_fetch('file:///etc/passwd', 1);
SELECT * FROM bench_http_fetch('gopher://127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('ftp://127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('http://user:secret@127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('http://user@127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('user:secret@127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('secret:x@http://127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('http://', 1);
SELECT * FROM bench_http_fetch('http://127.0.0.1:99999/', 1);
SELECT * FROM bench_http_fetch('http://127.0.0.1 /', 1);
SELECT * FROM bench_http_fetch(E'http://127.0.0.1/\r\nX-Injected: 1', 1);

-- hosts: loopback alone unless a superuser says otherwise
SELECT * FROM bench_http_fetch('http://example.com/rows?token=secret', 1);
SELECT * FROM bench_http_fetch('http://169.254.169.254/latest/meta-data', 1);
SELECT * FROM bench_http_fetch('http://127.0.0.2:8080/', 1);
SELECT * FROM bench_http_fetch('http://2130706433.example/', 1);
SET pg_transferbench.allowed_hosts = 'example.com:8443, *.example.org, [::1]:81';
SELECT * FROM bench_http_fetch('http://example.com/', 1);
SELECT * FROM bench_http_fetch('http://example.org/', 1);
SELECT * FROM bench_http_fetch('http://evilexample.org/', 1);
SELECT * FROM bench_http_fetch('http://127.0.0.1/', 1);
SELECT * FROM bench_http_fetch('http://[::1]:82/', 1);
SET pg_transferbench.allowed_hosts = '';
SELECT * FROM bench_http_fetch('http://127.0.0.1/', 1);
SET pg_transferbench.allowed_hosts = 'a host';
SET pg_transferbench.allowed_hosts = 'example.com:port';
SET pg_transferbench.allowed_hosts = 'http://example.com';
SET pg_transferbench.allowed_hosts = '[::1';
SET pg_transferbench.allowed_hosts = '*';
RESET pg_transferbench.allowed_hosts;
SHOW pg_transferbench.allowed_hosts;

-- the other arguments
\set url '''http://127.0.0.1:1/'''
SELECT * FROM bench_http_fetch(:url, NULL);
SELECT * FROM bench_http_fetch(:url, -1);
SELECT * FROM bench_http_fetch(:url, 1000000000001);
SELECT * FROM bench_http_fetch(:url, 1, trials => 0);
SELECT * FROM bench_http_fetch(:url, 1, page_rows => 0);
SELECT * FROM bench_http_fetch(:url, 1, decoder => 'simdjson');
SELECT * FROM bench_http_fetch(:url, 1, row_type => 'pg_class_oid_index');
SELECT * FROM bench_http_fetch(:url, 1, verify => NULL);
SELECT * FROM bench_http_fetch(:url, 1, headers => '["Accept"]');
SELECT * FROM bench_http_fetch(:url, 1, headers => '{"Bad name": "x"}');
SELECT * FROM bench_http_fetch(:url, 1, headers => '{"": "x"}');
SELECT * FROM bench_http_fetch(:url, 1, headers => '{"Authorization": "secret\r\nX-Injected: 1"}');
SELECT * FROM bench_http_fetch(:url, 1, headers => '{"Authorization": ["secret"]}');
SELECT * FROM bench_http_fetch(:url, 1, headers => '{"Authorization": null}');

SELECT * FROM bench_compare(NULL);
SELECT * FROM bench_compare(:url);
SELECT bench_reference_table(100);
SELECT * FROM bench_compare(:url, NULL);
SELECT * FROM bench_compare(:url, '{}');
SELECT * FROM bench_compare(:url, '{{1,2}}');
SELECT * FROM bench_compare(:url, '{1,NULL}');
SELECT * FROM bench_compare(:url, '{0}');
SELECT * FROM bench_compare(:url, '{10}', trials => 0);
SELECT * FROM bench_compare(:url, '{10}', query => 'SELECT 1; SELECT 2');
SELECT * FROM bench_compare('http://example.com/', '{10}');
CREATE TEMP TABLE temporary AS SELECT 1 AS a;
SELECT * FROM bench_compare(:url, '{1}', query => 'SELECT * FROM (SELECT a FROM temporary) s');

SELECT * FROM bench_compare(:url, '{1}', query => 'SELECT 1 AS a, 2 AS b, 3 AS a');
-- a temporary view over rows that all can see is another matter: this one goes on to connect
CREATE TEMP VIEW temporary_view AS SELECT id FROM bench_reference;
SET client_min_messages = warning;
\set VERBOSITY sqlstate
SELECT * FROM bench_compare(:url, '{1}', query => 'SELECT id FROM temporary_view ORDER BY id');
\set VERBOSITY default
RESET client_min_messages;

-- settings: what widens is for superusers, time limits are anybody's own
CREATE ROLE regress_transferbench_user;
SELECT name, setting, unit, context FROM pg_settings WHERE name LIKE 'pg\_transferbench.%' ORDER BY 1;
SET ROLE regress_transferbench_user;
SET pg_transferbench.allowed_hosts = '*.example.com';
SET pg_transferbench.max_row_bytes = '1GB';
SET pg_transferbench.follow_redirects = on;
SET pg_transferbench.tls_verify = off;
SET pg_transferbench.ca_file = '/dev/null';
SET pg_transferbench.stall_timeout = '5s';
SET pg_transferbench.no_such_setting = 1;
RESET ROLE;
RESET pg_transferbench.stall_timeout;
DROP ROLE regress_transferbench_user;

DROP VIEW temporary_view;
DROP TABLE bench_reference;
DROP EXTENSION pg_transferbench;
