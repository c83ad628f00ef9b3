# transferbench serve, POST half: values, statuses, limits, the token, the ledger of
# requests, and what it does when clients or the database misbehave.
use strict;
use warnings FATAL => 'all';

use Compress::Zlib;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();
{
	my $output = qx(@{[endpoint_program()]} serve --help 2>&1);
	plan skip_all => 'the loader was built without serve' if $output =~ /built without/;
}

my $node    = start_node('serve_post', extension => 0, settings => "restart_after_crash = on\n");
my $session = TransferBench::Session->new($node);
my $json    = JSON::PP->new->utf8->canonical->allow_bignum;
my $scratch = PostgreSQL::Test::Utils::tempdir();

# --- a client that sends what it is told, byte by byte -----------------------------------------

sub connect_to
{
	my ($server) = @_;
	my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $server->port)
	  or die "could not connect: $@";
	$socket->autoflush;
	return $socket;
}

# The head of a request; further fields as a list of lines.
sub head
{
	my ($method, $target, @fields) = @_;
	return join "\r\n", "$method $target HTTP/1.1", 'Host: 127.0.0.1', @fields, '', '';
}

sub post_head
{
	my ($length, @fields) = @_;
	@fields = ('Content-Type: application/json', @fields) unless grep { /^Content-Type:/ } @fields;
	return head('POST', '/save_to_db', "Content-Length: $length", 'Connection: close', @fields);
}

# Reads to the end of the connection: status, fields, body, decoded if it is JSON.
sub read_answer
{
	my ($socket) = @_;
	my $answer = '';

	1 while sysread $socket, $answer, 1 << 16, length $answer;
	my ($head, $body) = split /\r\n\r\n/, $answer, 2;
	my %answer = (head => $head // '', body => $body // '', fields => {});
	($answer{status}) = $answer{head} =~ m{^HTTP/1\.1 (\d+) };
	$answer{status} //= 'none';
	$answer{fields}{ lc $1 } = $2 while $answer{head} =~ /^([^:\r\n]+): *([^\r\n]*)/mg;
	if (($answer{fields}{'transfer-encoding'} // '') eq 'chunked')
	{
		my ($rest, $whole) = ($answer{body}, '');
		while ($rest =~ s/^([0-9a-fA-F]+)\r\n// && hex $1)
		{
			$whole .= substr $rest, 0, hex $1;
			$rest = substr $rest, 2 + hex $1;
		}
		$answer{body} = $whole;
	}
	$answer{detail} = (eval { $json->decode($answer{body}) } // {})->{detail} // ''
	  if $answer{body} =~ /^\{/;
	return \%answer;
}

sub request
{
	my ($server, $method, $target, @fields) = @_;
	my $socket = connect_to($server);

	print $socket head($method, $target, 'Connection: close', @fields);
	return read_answer($socket);
}

# Sends a whole POST and does not wait for its answer.
sub send_post
{
	my ($server, $body, @fields) = @_;
	my $socket = connect_to($server);

	print $socket post_head(length $body, @fields), $body;
	return $socket;
}

sub post
{
	my ($server, $body, @fields) = @_;
	return read_answer(send_post($server, $body, @fields));
}

# Status and body of a POST, in one string.
sub outcome
{
	my ($answer) = @_;
	my $body = $answer->{body};
	chomp $body;
	return "$answer->{status} $body";
}

sub chunk
{
	my ($bytes) = @_;
	return sprintf("%x\r\n", length $bytes) . "$bytes\r\n";
}

sub count
{
	my ($table) = @_;
	return $session->value("SELECT count(*) FROM $table");
}

# Backends of the endpoint that match.
sub backends
{
	my ($and) = @_;
	return $session->value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'transferbench serve' AND $and");
}

sub terminate
{
	my ($and) = @_;
	$session->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'transferbench serve' AND $and");
	return;
}

# Exit status and both outputs of the loader.
sub run_loader
{
	my (@arguments) = @_;
	my ($output, $errors) = ('', '');

	IPC::Run::run([ endpoint_program(), 'serve', @arguments ], '<', \undef, '>', \$output, '2>', \$errors,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return ($? >> 8, $output, $errors);
}

# --- values: what GET gives, POST takes -------------------------------------------------------

$session->value($_) for (
	q{CREATE TYPE mood AS ENUM ('sad', 'h"appy')},
	q{CREATE TYPE pair AS (a int, b text)},
	q{CREATE DOMAIN positive AS int CHECK (value > 0)},
	q{CREATE DOMAIN document AS json},
	q{CREATE DOMAIN ints AS int[]},
	q{CREATE TYPE nest AS (p pair, ps pair[], t text[], "we""ird, (k)" int, d document)},
	q{CREATE TABLE types (id int PRIMARY KEY, gone int, i2 int2, domain positive, f4 float4, f8 float8, n numeric, b bool,
		j json, jb jsonb, d document, ba bytea, iv interval, m mood, p pair, ia int[], fa float8[], r int4range, u uuid,
		da date, ti time, ts timestamp, tz timestamptz, mo money, ch char(5), "we""ird Näme" text, o oid, pa pair[], ta text[],
		ja json[], bx box[], ba2 bytea[], i3 int8[][], ne nest, nea nest[], doi ints, doia ints[], mv mood[], dd date[], x xml, i inet)},
	q{ALTER TABLE types DROP COLUMN gone},
	q{INSERT INTO types (id, i2, domain, f4, f8, n, b, j, jb, d, ba, iv, m, p, ia, fa, r, u, da, ti, ts, tz, mo, ch, "we""ird Näme", o, pa)
		VALUES (1, -5, 7, 1.5, 0.1, '123456789012345678901234567890.1234567890', true,
		'{"a":1,"b\\n":[1,2]}', '{"k": "v"}', E'[1,2]', '\xdeadbeef', '1 day 02:03:04.5', 'h"appy', '(1,"x,y")',
		'{1,NULL,3}', '{1.5,NaN}', '[1,5)', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2024-01-01', '24:00:00', '2024-03-31 01:30:00.000001',
		'2024-03-31 01:30:00+00', '12.34', 'ab', E'q"\\\\\t\n\r\b\f\x0b\x01' || chr(127) || '😀', 4294967295, '{"(1,x)",NULL,"(,)"}')},
	<<'SQL',
INSERT INTO types (id, f8, f4, n, b, "we""ird Näme", ta) VALUES
	(2, 'Infinity', '-Infinity', 'NaN', false, '', '{}'),
	(3, '-Infinity', 'NaN', 'Infinity', NULL, '\N', '{"",NULL,"NULL","a\"b\\c","{x,y}",", "}'),
	(4, '-0', 1e-45, 0.000, NULL, '\.', ARRAY[E'tab\t', E'line\n', E'\u00e9\U0001f600\\']),
	(5, 5e-324, 0, 1e100, true, NULL, '{{a,b},{c,d}}')
SQL
	<<'SQL',
INSERT INTO types (id, ja, bx, ba2, i3, doi, doia, mv, dd, j, x, i) VALUES (6,
	ARRAY['{"k":"\\ \"\n"}', '[1,"a"]', '"s"']::json[], '{(2,2),(1,1);(4,4),(3,3)}', ARRAY['\x00ff', '\x']::bytea[],
	'{{9223372036854775807,1},{-9223372036854775808,0}}', '{1,2}', ARRAY['{1,2}', '{}']::ints[],
	'{sad,"h\"appy"}', '{2024-02-29,infinity}', '"a json string with \" and \\ and \u0001"', '<a b="c">&amp;</a>', '10.0.0.1/8')
SQL
	<<'SQL',
INSERT INTO types (id, ne, nea, p) SELECT 7, v, ARRAY[v, NULL, v], ROW(NULL, E'\\"(,)\t')::pair
	FROM (SELECT ROW(ROW(1, E'q"\\,()\n'), ARRAY[ROW(2, E'a"b\\c'), ROW(NULL, '')]::pair[],
		ARRAY['x"', E'y\\', NULL, ''], 5, '{"deep":"\"\\"}')::nest AS v) AS s
SQL
	'CREATE TABLE copied (LIKE types)',
	'CREATE TABLE numbers (n bigint PRIMARY KEY, code bigint, text text)');

{
	my $server = start_endpoint($node, '--table', 'types', '--save-table', 'copied');
	my $copy = start_endpoint($node, '--table', 'copied', '--order-by', 'id');

	for my $case ([ 'rows', 'application/json' ], [ 'ndjson', 'application/x-ndjson' ])
	{
		my ($format, $type) = @$case;
		my $rows = request($server, 'GET', "/load_from_db?format=$format")->{body};
		is(outcome(post($server, $rows, "Content-Type: $type")), '200 {"rows":7}', "$format of many types is taken");
		is($session->value('SELECT count(*) FROM (SELECT c::text FROM copied AS c EXCEPT ALL SELECT t::text FROM types AS t) AS x'),
			'0', "$format: the rows are the same");
		ok(request($copy, 'GET', "/load_from_db?format=$format")->{body} eq $rows, "$format: what GET gives of them are the same bytes");
		$session->value('TRUNCATE copied');
	}
	$copy->stop;
	$server->stop;
}

# --- single values, by column -------------------------------------------------------------------

my $server = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench');
is(post($server, '[{"n":1}]')->{status}, '501', 'a table that does not exist yet: 501');
like(post($server, '[{"n":1}]')->{detail}, qr/^42P01: there is no table bench$/, 'and its name');
$session->value($_) for (
	'CREATE TABLE bench (i2 int2, i4 int4, i8 int8, n numeric, f8 float8, t text, j json, jb jsonb, b bool, ia int[], ja jsonb[], ts timestamptz,
		g int GENERATED ALWAYS AS (i4 + 1) STORED, d int DEFAULT 7)');

# Each: what is sent, the column, what is found there.
for my $case (
	[ '9007199254740993', 'i8', '9007199254740993' ],
	[ '9.007199254740993e15', 'i8', '9007199254740993' ],
	[ '-9.223372036854775808E+18', 'i8', '-9223372036854775808' ],
	[ '100e-2', 'i2', '1' ], [ '3.0', 'i4', '3' ], [ '-0', 'i4', '0' ], [ '"42"', 'i4', '42' ],
	[ '0.1234567890123456789012345678901', 'n', '0.1234567890123456789012345678901' ],
	[ '1e3', 'n', '1000' ], [ '12345678901234567890123', 'n', '12345678901234567890123' ], [ '"NaN"', 'n', 'NaN' ],
	[ '"-Infinity"', 'f8', '-Infinity' ], [ '5e-324', 'f8', '5e-324' ],
	[ '"\\\\N"', 't', '\N' ], [ '"\\\\."', 't', '\.' ], [ '""', 't', '' ], [ '"\\ud83d\\ude00\\u00e9"', 't', '😀é' ], [ '1.50', 't', '1.50' ],
	[ '{"a": [1]}', 't', '{"a":[1]}' ], [ 'true', 't', 'true' ],
	[ '{"b":1,"a":1.0,"b":2}', 'j', '{"b":1,"a":1.0,"b":2}' ], [ '"text"', 'j', '"text"' ], [ '"\\u0000"', 'j', '"\u0000"' ],
	[ '12345678901234567890.10', 'j', '12345678901234567890.10' ], [ 'false', 'jb', 'false' ],
	[ '1', 'b', 't' ], [ '"off"', 'b', 'f' ],
	[ '[]', 'ia', '{}' ], [ '[1e2,null]', 'ia', '{100,NULL}' ], [ '"{4,5}"', 'ia', '{4,5}' ], [ '[[1],[2]]', 'ia', '{{1},{2}}' ],
	[ '[[1,2],[3,4]]', 'ja', '{{1,2},{3,4}}' ], [ '[{"a":[1]},[2,[3]],null]', 'ja', '{"{\\"a\\": [1]}","[2, [3]]",NULL}' ], [ '["[",[]]', 'ja', '{"\\"[\\"",[]}' ],
	[ '"2024-03-31T01:30:00"', 'ts', '2024-03-31 01:30:00+00' ], [ '"2024-03-31T01:30:00.5+02:00"', 'ts', '2024-03-30 23:30:00.5+00' ])
{
	my ($value, $column, $expected) = @$case;
	my $answer = post($server, "[{\"$column\":$value}]");
	is(outcome($answer), '200 {"rows":1}', "$value for $column is taken");
	is($session->value("SET TimeZone = 'UTC'; DELETE FROM bench RETURNING $column"), $expected, "$value for $column is kept as it is");
}
is(outcome(post($server, '[{"t":null},{}, {"t":"x","\u0074":"y"}]')), '200 {"rows":3}', 'null, nothing, and a key twice');
is($session->value(q{SELECT string_agg(concat_ws('/', coalesce(t, 'null'), coalesce(d::text, 'null')), ' ') FROM bench}), 'null/null null/null y/null',
	'null twice, whatever the default is, and the last one');
is($session->value('SELECT count(g) FROM bench'), '0', 'the generated column is left to the server');
$session->value('TRUNCATE bench');

# Each: body, status, detail. None writes anything.
my $text = 'x' x 100;
for my $case (
	[ '[{"i8":1.5}]', 501, qr/^22P02: invalid input syntax for type bigint: "1\.5" \(row 1\)$/ ],
	[ '[{"i8":1},{"i8":9223372036854775808}]', 501, qr/^22003: .*out of range for type bigint \(row 2\)$/ ],
	[ '[{"i2":1e9}]', 501, qr/^22003: .*\(row 1\)$/ ],
	[ '[{"f8":1e400}]', 501, qr/^22003: "1e400" is out of range/ ],
	[ '[{"ia":[[1],[2,3]]}]', 501, qr/^22P02: malformed array literal/ ],
	[ '[{"ja":[[1],{"a":2}]}]', 501, qr/^22P02: malformed array literal/ ],
	[ '[{"t":"a\u0000b"}]', 501, qr/^22P05: .*\(row 1, column "t"\)$/ ],
	[ '[{"ia":["a\u0000b"]}]', 501, qr/^22P05: .*\(row 1, column "ia"\)$/ ],
	[ '[{"jb":"\u0000"}]', 501, qr/^22P05: / ],
	[ '[{"t":"ok"},{"u":1}]', 403, qr/^row 2: there is no column "u" to write to$/ ],
	[ '[{"t":"u\":","j":{"x":1},"\u0075":{"t":1}}]', 403, qr/no column "\\u0075"/ ],
	[ '[{"g":1}]', 403, qr/no column "g"/ ],
	[ '[{"t":"x"},5]', 401, qr/^row 2 is no JSON object$/ ],
	[ '[[1]]', 401, qr/^row 1 is no JSON object$/ ],
	[ '[{"t":"x"}', 401, qr/after row 1, found the end of the body, at byte 10/ ],
	[ '[{"t":"x"},]', 401, qr/at byte 11 / ],
	[ '[{"t":NaN}]', 401, qr/at byte 6 / ],
	[ "[{\"t\":\"\xff\xfe\"}]", 401, qr/UTF-8/ ],
	[ '[{"t":"x"}]<html>', 401, qr/at byte 11 / ],
	[ '{"t":"x"}', 401, qr/"\["/ ],
	[ '', 401, qr/found the end of the body/ ],
	[ 'null', 401, qr/"\["/ ],
	[ '[' x 300, 401, qr/256/ ],
	[ '[{"t":"' . 'x' x (17 << 20) . '"}]', 413, qr/body is longer/ ])
{
	my ($body, $status, $detail) = @$case;
	my $answer = post($server, $body);
	my $name = length $body > 60 ? length($body) . ' bytes' : $body eq '' ? 'an empty body' : $body =~ s/[^ -~]/?/gr;
	is($answer->{status}, $status, "$name: $status");
	like($answer->{detail}, $detail, "$name: the detail");
}
is(count('bench'), '0', 'and none of them has written anything');

my @lines = ('Content-Type: application/x-ndjson');
is(outcome(post($server, qq({"t":"a"}\r\n\n{"t":"b"}), @lines)), '200 {"rows":2}', 'NDJSON: CR LF, an empty line, no last one');
is(outcome(post($server, '', @lines)), '201 {"rows":0}', 'NDJSON of no line: 201');
is(outcome(post($server, '[]')), '201 {"rows":0}', 'an empty array: 201');
is(post($server, '[{"t":"x"}]', @lines)->{status}, '401', 'an array is no line of NDJSON');
is(post($server, "\xef\xbb\xbf[{\"t\":\"x\"}]")->{status}, '200', 'a byte order mark');
is(count('bench'), '3', 'the rows are there');

# --- what is asked for, and how --------------------------------------------------------------------

for my $case (
	[ 402, 'Content-Type: text/csv' ], [ 402, 'Content-Type: application/json; charset=latin1' ], [ 402, 'Content-Type: application/jsonx' ],
	[ 402, 'Content-Type:' ], [ 402, 'Content-Encoding: br' ], [ 402, 'Content-Encoding: gzip, gzip' ],
	[ 402, 'Content-Encoding: gzip', 'Content-Encoding: gzip' ],
	[ 401, 'Content-Encoding: gzip' ],
	[ 403, 'Idempotency-Key: ' . 'k' x 201 ], [ 403, "Idempotency-Key: a\xe9" ], [ 403, 'Idempotency-Key:' ],
	[ 403, 'Idempotency-Key: a', 'Idempotency-Key: a' ],
	[ 200, 'Content-Type: Application/JSON ; charset="UTF-8"' ], [ 200, 'Content-Encoding: identity' ], [ 200, 'Idempotency-Key: ' . 'k' x 200 ])
{
	my ($status, @fields) = @$case;
	is(post($server, '[{"t":"x"}]', @fields)->{status}, $status, join(', ', map { s/[^ -~]/?/gr =~ s/k{9,}/k.../r } @fields) . ": $status");
}
{
	my $socket = connect_to($server);
	print $socket head('POST', '/save_to_db', 'Content-Length: 2', 'Connection: close'), '[]';
	is(read_answer($socket)->{status}, '402', 'no Content-Type: 402');
	$socket = connect_to($server);
	print $socket head('POST', '/save_to_db?table=other', 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close'), '[]';
	my $answer = read_answer($socket);
	is("$answer->{status} $answer->{detail}", '403 "table" is no parameter: a POST takes none', 'a query parameter: 403');
}
for my $case (
	[ 405, 'GET', '/save_to_db', 'POST' ], [ 405, 'PUT', '/save_to_db', 'POST' ], [ 405, 'POST', '/load_from_db', 'GET, HEAD' ],
	[ 405, 'POST', '/info', 'GET, HEAD' ], [ 405, 'DELETE', '/usage', 'GET, HEAD, POST' ], [ 404, 'POST', '/save_to_db/' ])
{
	my ($status, $method, $path, $allow) = @$case;
	my $answer = request($server, $method, $path);
	is($answer->{status}, $status, "$method $path: $status");
	is($answer->{fields}{allow}, $allow, "$method $path: methods are told where they matter");
	ok($json->decode($answer->{body})->{error}, "$method $path: the error is JSON");
}

# where a body ends must be beyond doubt
for my $case (
	[ '400', 'Content-Length comes twice', 'Content-Length: 2', 'Content-Length: 2' ],
	[ '400', 'Content-Length comes twice', 'Content-Length: 0', 'content-length: 2' ],
	[ '400', 'Content-Length and Transfer-Encoding exclude each other', 'Content-Length: 2', 'Transfer-Encoding: chunked' ],
	[ '400', 'Transfer-Encoding comes twice', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity' ],
	[ '400', 'the only Transfer-Encoding is chunked', 'Transfer-Encoding: gzip, chunked' ],
	[ '400', 'the only Transfer-Encoding is chunked', 'Transfer-Encoding: identity' ],
	[ '400', 'the only Transfer-Encoding is chunked', 'Transfer-Encoding:' ],
	[ '201', '', 'Transfer-Encoding: Chunked' ])
{
	my ($status, $detail, @fields) = @$case;
	for my $method ($status eq '400' ? ('POST', 'GET') : 'POST')
	{
		my $socket = connect_to($server);
		print $socket head($method, '/save_to_db', 'Content-Type: application/json', @fields, $status eq '201' ? 'Connection: close' : ()),
		  $status eq '201' ? "2\r\n[]\r\n0\r\n\r\n" : '[]' . head('GET', '/health');
		my $answer = read_answer($socket);
		is("$answer->{status} " . ($answer->{detail} // ''), "$status $detail", "$method, @fields: $status");
		is(scalar(() = $answer->{body} =~ m{HTTP/1\.1}g), 0, "$method, @fields: what follows is no request") if $status eq '400';
	}
}

my $info = $json->decode(request($server, 'GET', '/info')->{body});
is($info->{save_table}, 'bench', '/info: the table');
is("$info->{max_body_bytes} $info->{max_writers} $info->{ndjson}", '8388608 3 1', '/info: what a client must know');
ok(!$info->{idempotency}, '/info: no ledger, no idempotency');
is($info->{application_name}, 'transferbench serve', '/info: by which name its backends are found');
is($info->{database_user}, $session->value('SELECT current_user'), '/info: and whose they are');

{
	my $before = $json->decode(request($server, 'GET', '/usage')->{body});
	is($before->{pid}, $server->pid, '/usage: the process');
	ok($before->{cpu_us} > 0 && $before->{resident_bytes} > 1 << 20, '/usage: CPU and memory');
	my $listed = $session->value("SELECT string_agg(pid::text, ',' ORDER BY pid) FROM pg_stat_activity WHERE application_name = 'transferbench serve'");
	is(join(',', sort { $a <=> $b } @{ $before->{backend_pids} }), $listed, '/usage: its backends');
	my $after = $json->decode(request($server, 'POST', '/usage')->{body});
	ok($after->{cpu_us} >= $before->{cpu_us}, '/usage: CPU never goes back');
	ok($after->{peak_bytes} >= $after->{resident_bytes} && $after->{peak_bytes} <= $before->{peak_bytes} + (1 << 20), 'POST /usage: the peak begins anew');
}

# --- gzip and limits --------------------------------------------------------------------------------

{
	my $rows = '[' . join(',', map { "{\"t\":\"$_ and some text\"}" } 1 .. 10_000) . ']';
	my $gzip = Compress::Zlib::memGzip($rows);
	$session->value('TRUNCATE bench');
	is(outcome(post($server, $gzip, 'Content-Encoding: gzip')), '200 {"rows":10000}', 'gzip');
	is(post($server, substr($gzip, 0, -20), 'Content-Encoding: gzip')->{status}, '401', 'gzip that breaks off: 401');
	is(post($server, $rows, 'Content-Encoding: gzip')->{status}, '401', 'no gzip at all: 401');
	my $bomb = Compress::Zlib::memGzip('[' . ' ' x (9 << 20) . ']');
	my $answer = post($server, $bomb, 'Content-Encoding: gzip');
	is("$answer->{status} $answer->{detail}", '413 the body, decoded, is longer than --max-body-bytes', 'gzip that expands beyond the limit: 413');
	is(count('bench'), '10000', 'nothing of it is there');
}
{
	my $small = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--max-body-bytes', '1000');
	my $socket = connect_to($small);
	print $socket post_head(1001);
	my $answer = read_answer($socket);
	is("$answer->{status} $answer->{detail}", '413 the body is longer than --max-body-bytes, 1000', 'a body over the limit: 413 before a byte of it is sent');
	$session->value('TRUNCATE bench');
	my $body = '[{"t":"' . 'x' x 990 . '"}]';
	is(length $body, 1000, 'a body as long as the limit');
	is(post($small, $body)->{status}, '200', 'is taken');

	# a client that goes on sending although it was refused still gets its answer
	for my $bytes (2_000, 3_000_000, 40_000_000)
	{
		my $answer = post($small, '[' . ' ' x ($bytes - 2) . ']');
		is($answer->{status}, '413', "$bytes bytes, all of them sent: 413");
		$socket = connect_to($small);
		print $socket head('POST', '/save_to_db', 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close');
		print $socket chunk(' ' x 1000) for 1 .. $bytes / 1000;
		print $socket "0\r\n\r\n";
		is(read_answer($socket)->{status}, '413', "$bytes bytes in chunks: 413");
	}
	is(count('bench'), '1', 'and nothing else is written');

	# a refusal does not cost a client its connection, as long as it is short
	$socket = connect_to($small);
	my $bad = '[{"nope":1}]';
	my $good = '[{"t":"x"}]';
	print $socket head('POST', '/save_to_db', 'Content-Type: application/json', 'Content-Length: ' . length $bad), $bad;
	sysread $socket, my $first, 65536;
	like($first, qr/^HTTP\/1\.1 403 /, 'a refusal on a connection that is kept');
	print $socket post_head(length $good), $good;
	is(read_answer($socket)->{status}, '200', 'and the next request on it');
	$small->stop;
}

# --- the token ------------------------------------------------------------------------------------------

{
	my $file = "$scratch/token";
	append_to_file($file, "s3cret-Token\nsecond line\n");
	chmod 0644, $file;
	my ($status, $output, $errors) = run_loader('-d', $node->connstr('postgres'), '--port', '0', '--table', 'numbers', '--token-file', $file);
	is("$status $output", '1 ', 'a token that others may read is refused');
	like($errors, qr/--token-file/, 'and the option named');
	unlike($errors, qr/s3cret/, 'and the token not');
	chmod 0600, $file;

	my $closed = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--token-file', $file);
	for my $case (
		[ 401, 'Bearer' ], [ 401, 'Bearer', 'Authorization: Bearer s3cret-Toke' ], [ 401, 'Bearer', 'Authorization: Bearer s3cret-Token2' ],
		[ 401, 'Bearer', 'Authorization: Basic s3cret-Token' ], [ 401, 'Bearer', 'Authorization: Bearer' ], [ 401, 'Bearer', 'Authorization: Bearers3cret-Token' ])
	{
		my ($status, $challenge, @fields) = @$case;
		for my $path ('/load_from_db', '/info', '/usage', '/nothing')
		{
			my $answer = request($closed, 'GET', $path, @fields);
			is($answer->{status}, $status, "GET $path, @fields: $status");
			like($answer->{fields}{'www-authenticate'}, qr/^\Q$challenge\E/, "GET $path, @fields: the challenge");
			is($json->decode($answer->{body})->{error}, 'unauthorized', "GET $path, @fields: the error is JSON");
		}
		is(post($closed, '[{"t":"x"}]', @fields)->{status}, $status, "POST, @fields: $status");
	}
	is(request($closed, 'GET', '/health')->{status}, '200', '/health wants no token');
	is(request($closed, 'GET', '/info', 'Authorization: Bearer s3cret-Token')->{status}, '200', 'GET with the token');
	is(post($closed, '[{"t":"x"}]', 'authorization: bearer  s3cret-Token')->{status}, '200', 'POST with the token');
	$closed->stop;
}

# --- --read-only, views, rights ----------------------------------------------------------------------------

{
	my $reader = start_endpoint($node, '--table', 'numbers', '--read-only');
	for my $path ('/save_to_db', '/usage', '/load_from_db')
	{
		my $answer = request($reader, 'POST', $path, 'Content-Type: application/json', 'Content-Length: 0');
		is($answer->{status}, '405', "--read-only, POST $path: 405");
	}
	is(request($reader, 'GET', '/usage')->{status}, '200', '--read-only: GET /usage');
	is($json->decode(request($reader, 'GET', '/info')->{body})->{max_writers}, '0', '--read-only: /info says so');
	$reader->stop;

	$session->value('CREATE VIEW seen AS SELECT * FROM numbers');
	my $view = start_endpoint($node, '--table', 'seen', '--order-by', 'n');
	my $answer = post($view, '[]');
	is("$answer->{status} $answer->{detail}", '501 no table to write to was chosen: see --save-table', 'a view is served, not written');
	$view->stop;

	$session->value($_) for (
		'CREATE ROLE writer LOGIN', 'CREATE TABLE rights (a int, b int, "c c" text)', 'GRANT SELECT ON numbers TO writer');
	my $poor = start_endpoint($node, '--table', 'numbers', '--save-table', 'rights', '-U', 'writer');
	$answer = post($poor, '[{"a":1}]');
	is("$answer->{status} $answer->{detail}", '501 42501: this role may write to no column of rights', 'no rights: 501');
	$session->value('GRANT INSERT (a, "c c") ON rights TO writer');
	is(outcome(post($poor, '[{"a":1,"c c":"x"}]')), '200 {"rows":1}', 'rights on some columns suffice');
	is(post($poor, '[{"b":1}]')->{status}, '403', 'and the others are not there');
	$poor->stop;
}

# --- a table that changes between two requests ----------------------------------------------------------------

{
	$session->value('CREATE TABLE changing (a int)');
	my $changing = start_endpoint($node, '--table', 'numbers', '--save-table', 'changing', '--write-connections', '1');
	is(post($changing, '[{"a":1}]')->{status}, '200', 'a table');
	$session->value('ALTER TABLE changing RENAME a TO b; ALTER TABLE changing ADD c int[]');
	is(post($changing, '[{"a":1}]')->{status}, '403', 'with a column renamed');
	is(post($changing, '[{"b":2,"c":[1]}]')->{status}, '200', 'and one added');
	$session->value('DROP TABLE changing');
	is(post($changing, '[{"b":2}]')->{status}, '501', 'dropped');
	$session->value('CREATE TABLE changing (b json)');
	is(post($changing, '[{"b":[2]}]')->{status}, '200', 'and made anew');
	is($session->value('SELECT b FROM changing'), '[2]', 'as what it is now');
	$changing->stop;
}

# --- constraints, triggers ------------------------------------------------------------------------------------

{
	my $numbers = start_endpoint($node, '--table', 'numbers');
	is(outcome(post($numbers, '[{"n":1},{"n":2}]')), '200 {"rows":2}', 'the table that is served is the one that is written');
	my $answer = post($numbers, '[{"n":3},{"n":2,"text":"a secret"}]');
	is("$answer->{status} $answer->{detail}", '501 23505: duplicate key value violates unique constraint "numbers_pkey" (row 2)', 'a key twice: 501 and the row');
	$answer = post($numbers, '[{"n":null,"text":"a secret"}]');
	like($answer->{detail}, qr/^23502: .*violates not-null constraint \(row 1\)$/, 'a null where none may be: 501, and no other value is told');
	is(count('numbers'), '2', 'all or nothing');

	$session->value('ALTER TABLE numbers ADD CONSTRAINT late UNIQUE (code) DEFERRABLE INITIALLY DEFERRED');
	$answer = post($numbers, '[{"n":3,"code":1},{"n":4,"code":1}]');
	like("$answer->{status} $answer->{detail}", qr/^501 23505: .*"late"/, 'a constraint that is checked at the end: 501');
	is(count('numbers'), '2', 'and nothing is there');

	# words of a trigger: they do not tell a row, and do not steer the operator's terminal
	$session->value($_) for (
		'CREATE TABLE loud (t text)',
		q{CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''%'', NEW.t; END'},
		'CREATE TRIGGER shout BEFORE INSERT ON loud FOR EACH ROW EXECUTE FUNCTION shout()');
	my $loud = start_endpoint($node, '--table', 'numbers', '--save-table', 'loud');
	$answer = post($loud, '[{"t":"no (COPY w, line 77, column x)"}]');
	is("$answer->{status} $answer->{detail}", '501 P0001: no (COPY w, line 77, column x)', 'a trigger that speaks of a row: no row is told');
	$answer = post($loud, '[{"t":"a\tb\r\u001b[31m\u007f\u009b2J\u00e9 (COPY w, line 7)\nline two"}]');
	is($answer->{detail}, "P0001: a\tb\r\e[31m\x{7f}\x{9b}2J\x{e9} (COPY w, line 7)", 'a trigger that sends control characters: the client gets them as JSON');
	my $said = slurp_file(readlink "/proc/@{[$loud->pid]}/fd/2");
	like($said, qr/P0001: a b\?\?\[31m\?\?2J\xc3\xa9 \(COPY w, line 7\)\n/, 'the operator sees none of them, in one line');
	unlike($said, qr/[^\n -~\x80-\xff]|\xc2[\x80-\x9f]/, 'and nothing of the kind anywhere');
	$loud->stop;

	my $holder = TransferBench::Session->new($node);
	$holder->value($_) for ('BEGIN', 'LOCK TABLE numbers IN ACCESS EXCLUSIVE MODE');
	my $hasty = start_endpoint($node, '--table', 'copied', '--order-by', 'id', '--save-table', 'numbers', '--queue-timeout', '1');
	$answer = post($hasty, '[{"n":5}]');
	is("$answer->{status} $answer->{fields}{'retry-after'}", '503 1', 'a table that somebody has locked: 503 after the time to wait');
	like($answer->{detail}, qr/^55P03: /, 'and why');
	$answer = request($numbers, 'GET', '/load_from_db');
	is("$answer->{status} $answer->{fields}{'retry-after'}", '503 1', 'who reads it does not wait for ever either');
	like($answer->{detail}, qr/^55P03: /, 'and is told why');
	$holder->value('COMMIT');
	is(post($hasty, '[{"n":5}]')->{status}, '200', 'and later it is written');
	is(request($numbers, 'GET', '/load_from_db')->{status}, '200', 'and read');
	$hasty->stop;
	$numbers->stop;
}

# --- clients that misbehave -----------------------------------------------------------------------------------

{
	my $few = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--idle-timeout', '1');
	my $row = '{"t":"' . 'x' x 100_000 . '"}';
	my $part = '[' . join(',', ($row) x 5) . ',';
	$session->value('TRUNCATE bench');

	my $offset = -s $node->logfile;
	my $socket = connect_to($few);
	print $socket post_head(8_000_000), $part;
	wait_until(sub { backends(q(wait_event = 'ClientRead' AND query LIKE '%COPY%' AND state = 'active')) eq '1' }, 'the COPY of half a body');
	close $socket;
	wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'the end of its transaction');
	is(count('bench'), '0', 'a client that goes away in the middle of its body: nothing is written');
	my $log = slurp_file($node->logfile, $offset);
	like($log, qr/COPY from stdin failed: the transfer was given up/, 'its COPY is ended in words');
	unlike($log, qr/canceling statement/, 'and not by a cancel');

	$socket = connect_to($few);
	print $socket post_head(8_000_000), $part;
	is(read_answer($socket)->{status}, 'none', 'a client that stops sending: its connection is closed');
	wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'the end of its transaction');
	is(count('bench'), '0', 'and nothing is written');

	# the end of a client that comes together with its last bytes
	my $patient = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--idle-timeout', '600');
	wait_until(sub { @{ $json->decode(request($patient, 'GET', '/usage')->{body})->{backend_pids} } == 4 }, 'the connections of its readers');
	my $descriptors = open_descriptors($patient->pid);
	for my $case ([ 'head', '' ], [ 'half a body', '[{"t":' ], [ 'half a body that fills its upload', $part ])
	{
		my ($name, $sent) = @$case;
		kill 'STOP', $patient->pid if length $sent < 1000;
		for (1 .. 5)
		{
			my $socket = connect_to($patient);
			print $socket post_head(8_000_000), $sent;
			close $socket;
		}
		kill 'CONT', $patient->pid;
		is(request($patient, 'GET', '/health')->{status}, '200', "clients that went away at the end of their $name");
		wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'the end of their transactions');
		wait_until(sub { open_descriptors($patient->pid) <= $descriptors + 3 }, 'the end of their connections');
	}
	$patient->stop;

	# three who fill their uploads, and one with little to say
	my @slow = map { connect_to($few) } 1 .. 10;
	print $_ post_head(8_000_000), '[{"t":' for @slow;
	is(post($few, '[{"t":"x"}]')->{status}, '200', 'slow clients with little sent hold up nobody');
	close $_ for @slow;
	$few->stop;

	# many of them do not even count
	my $narrow = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--max-requests', '2');
	@slow = map { connect_to($narrow) } 1 .. 10;
	print $_ post_head(1_000), '[{"t":' for @slow;
	is(request($narrow, 'GET', '/load_from_db')->{status}, '200', 'ten who send a short body slowly, two requests allowed: one more reads');
	is(post($narrow, '[{"t":"x"}]')->{status}, '200', 'and one more writes');
	print { $slow[0] } '"y"}', ' ' x (1_000 - 10 - length '"y"}') , ']   ';
	is(outcome(read_answer($slow[0])), '200 {"rows":1}', 'and whoever comes to an end is served');
	close $_ for @slow;
	$narrow->stop;

	# all writers are kept by clients who send next to nothing
	my $kept = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--max-requests', '4', '--queue-timeout', '60');
	my $copying = q(query LIKE '%COPY%' AND state = 'active');
	my $keep = sub { push @slow, connect_to($kept); print { $slow[-1] } post_head(8_000_000), $part; };
	@slow = ();
	$session->value('TRUNCATE bench');
	$keep->() for 1 .. 3;
	wait_until(sub { backends($copying) eq '3' }, 'three writers');
	sleep 2.5;
	is(backends($copying), '3', 'slow writers are left alone as long as nobody waits');
	for (1 .. 3)
	{
		is(outcome(post($kept, '[]')), '201 {"rows":0}', 'whoever has to wait for them is served');
		is(backends($copying), '2', 'and no more than one of them was let go');
		$keep->();
		wait_until(sub { backends($copying) eq '3' }, 'the next one to take its place');
	}
	my @told;
	for my $socket (@slow)
	{
		print $socket ' ';
		next unless IO::Select->new($socket)->can_read(0.5);
		my $slow = read_answer($socket);
		push @told, "$slow->{status} $slow->{fields}{'retry-after'} $slow->{detail}";
	}
	is_deeply(\@told, [ ('503 1 the body came too slowly while others waited') x 3 ], 'who was let go is told, although the body has no end');
	close $_ for @slow;
	wait_until(sub { backends($copying) eq '0' }, 'the end of the others');
	is(count('bench'), '0', 'and nothing of them is written');
	$kept->stop;

	$session->value($_) for (
		'CREATE TABLE dozing (n int)',
		q{CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(NEW.n); RETURN NEW; END'},
		'CREATE TRIGGER doze BEFORE INSERT ON dozing FOR EACH ROW EXECUTE FUNCTION doze()');
	my $full = start_endpoint($node, '--table', 'numbers', '--save-table', 'dozing', '--queue-timeout', '1', '--max-requests', '5');
	my @writers = map { send_post($full, '[{"n":4}]') } 1 .. 3;
	wait_until(sub { backends(q(wait_event = 'PgSleep')) eq '3' }, 'three writers');
	my $answer = post($full, '[{"n":0}]');
	is("$answer->{status} $answer->{fields}{'retry-after'}", '503 1', 'all writers busy: 503, and when to come back');
	is($answer->{detail}, 'no database connection became free in time (see --write-connections)', 'and why');
	is(request($full, 'GET', '/load_from_db')->{status}, '200', 'readers are not delayed');
	my @more = map { send_post($full, '[]') } 1 .. 2;
	is(request($full, 'GET', '/health')->{status}, '200', 'nor is /health');
	wait_until(sub { $answer = post($full, '[]'); $answer->{status} eq '429' }, 'as many requests as are allowed');
	is("$answer->{status} $answer->{fields}{'retry-after'}", '429 1', 'too many requests: 429, and when to come back');
	is_deeply([ map { outcome(read_answer($_)) } @writers ], [ ('200 {"rows":1}') x 3 ], 'and all three are served');
	close $_ for @more;
	$full->stop;

	# a postmaster that hears nothing: the wait for it has an end
	my $stuck = start_endpoint($node, '--table', 'numbers', '--save-table', 'dozing', '--write-connections', '1');
	$socket = send_post($stuck, '[{"n":600}]');
	wait_until(sub { backends(q(wait_event = 'PgSleep')) eq '1' }, 'the writer');
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	kill 'STOP', $postmaster;
	close $socket;
	wait_until(sub { $json->decode(request($stuck, 'GET', '/health')->{body})->{busy} eq '0' }, 'the writer to be given up');
	kill 'CONT', $postmaster;
	is(outcome(post($stuck, '[{"n":0}]')), '200 {"rows":1}', 'a cancel that the postmaster did not hear holds up its connection for a short time only');
	terminate(q(wait_event = 'PgSleep'));
	$stuck->stop;
}

# --- a database that misbehaves ---------------------------------------------------------------------------------

# A row whose text is "slow" makes its COMMIT wait.
$session->value($_) for (
	q{CREATE TABLE waiting (n int, text text)},
	q{CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN IF NEW.text = ''slow'' THEN PERFORM pg_sleep(NEW.n); END IF; RETURN NULL; END'},
	q{CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON waiting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()});
my $sleeping = q(wait_event = 'PgSleep' AND query LIKE '%COMMIT');

{
	my $waiting = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting', '--write-connections', '1');
	my $row = '{"n":1,"text":"' . 'x' x 100_000 . '"}';
	my $part = '[' . join(',', ($row) x 5);

	my $socket = connect_to($waiting);
	print $socket post_head(length($part) + 1), $part;
	wait_until(sub { backends(q(query LIKE '%COPY%' AND state = 'active')) eq '1' }, 'the COPY');
	terminate(q(query LIKE '%COPY%'));
	print $socket ']';
	my $answer = read_answer($socket);
	# libpq may find the connection closed before it reads why
	like("$answer->{status} $answer->{detail}", qr/^501 (57P01: |server closed the connection)/, 'a backend killed in the middle of COPY: 501');
	is(outcome(post($waiting, '[{"n":7}]')), '200 {"rows":1}', 'the next request is served');
	is($session->value('DELETE FROM waiting RETURNING n'), '7', 'and its row is all there is');

	$socket = send_post($waiting, '[{"n":60,"text":"slow"}]');
	wait_until(sub { backends($sleeping) eq '1' }, 'the COMMIT');
	terminate($sleeping);
	$answer = read_answer($socket);
	like("$answer->{status} $answer->{detail}", qr/^501 57P01: /, 'a backend killed between COPY and COMMIT: 501');
	is(count('waiting'), '0', 'and nothing is there');

	terminate('true');
	wait_until(sub { backends('true') eq '0' }, 'the end of idle backends');
	is(outcome(post($waiting, '[{"n":8}]')), '200 {"rows":1}', 'a backend killed while idle is replaced silently');

	# a crash: no word of the server's, and it comes back
	$socket = send_post($waiting, '[{"n":60,"text":"slow"}]');
	wait_until(sub { backends($sleeping) eq '1' }, 'the COMMIT');
	kill 'KILL', $session->value("SELECT pid FROM pg_stat_activity WHERE $sleeping");
	$answer = read_answer($socket);
	like("$answer->{status} $answer->{detail}", qr/^501 /, 'a server that crashes within a COMMIT, and says afterwards that it did not happen: 501');
	$session = TransferBench::Session->new($node);
	is(count('waiting'), '1', 'and it did not');
	is(outcome(post($waiting, '[{"n":9}]')), '200 {"rows":1}', 'the next request is served');

	# a client that leaves within the COMMIT does not undo it
	$session->value('TRUNCATE waiting');
	$socket = send_post($waiting, '[{"n":1,"text":"slow"}]');
	wait_until(sub { backends($sleeping) eq '1' }, 'the COMMIT');
	close $socket;
	wait_until(sub { backends($sleeping) eq '0' }, 'its end');
	is(count('waiting'), '1', 'a client that goes away within the COMMIT: the row is there');

	$node->stop('immediate');
	$answer = post($waiting, '[{"n":1}]');
	is("$answer->{status} $answer->{detail}", '501 the database cannot be reached', 'a server that is down: 501');
	is($json->decode(request($waiting, 'GET', '/health')->{body})->{database}, 'unreachable', 'is told by /health too');
	$node->start;
	$session = TransferBench::Session->new($node);
	is(outcome(post($waiting, '[{"n":2}]')), '200 {"rows":1}', 'a server that is back');
	$waiting->stop;
}

# --- the ledger ---------------------------------------------------------------------------------------------

{
	my $none = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting');
	my $twice = join ' ', map { post($none, '[{"n":3}]', 'Idempotency-Key: none')->{status} } 1 .. 2;
	is($twice, '200 200', 'without a ledger a key is ignored');
	is($session->value('SELECT count(*) FROM waiting WHERE n = 3'), '2', 'and the rows are there twice');
	$none->stop;
	is($session->value(q{SELECT to_regnamespace('transferbench') IS NULL}), 't', 'nobody has made a ledger unasked');

	my $ledger = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting', '--create-ledger', '--write-connections', '4');
	my $key = sub { "Idempotency-Key: $_[0]" };
	my $entry = sub { $session->value("SELECT rows FROM transferbench.request_ledger WHERE key = '$_[0]'") };
	is($session->value(q{SELECT string_agg(attname || ' ' || format_type(atttypid, NULL), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = 'transferbench.request_ledger'::regclass AND attnum > 0}),
		'key text, body_sha256 bytea, rows bigint, answered_at timestamp with time zone', '--create-ledger makes the table');
	ok($json->decode(request($ledger, 'GET', '/info')->{body})->{idempotency}, '/info says that keys count');
	$session->value('TRUNCATE waiting');

	my $rows = '[{"n":1},{"n":2}]';
	my $first = post($ledger, $rows, $key->('one'));
	is(outcome($first), '200 {"rows":2}', 'a key');
	is($first->{fields}{'idempotent-replayed'}, undef, 'is not replayed the first time');
	my $again = post($ledger, $rows, $key->('one'));
	is(outcome($again), '200 {"rows":2}', 'the same key again: the same answer');
	is($again->{fields}{'idempotent-replayed'}, 'true', 'and it says so');
	is(outcome(post($ledger, Compress::Zlib::memGzip($rows), $key->('one'), 'Content-Encoding: gzip')), '200 {"rows":2}', 'the same body, compressed');
	is(post($ledger, '[{"n":1},{"n":3}]', $key->('one'))->{status}, '422', 'the same key, another body: 422');
	is(count('waiting'), '2', 'and each row is there once');
	is($session->value(q{SELECT body_sha256 = sha256('[{"n":1},{"n":2}]') FROM transferbench.request_ledger}), 't', 'the ledger holds the body\'s SHA-256');
	is(outcome(post($ledger, '[]', $key->('empty'))), '201 {"rows":0}', 'a key with no rows');
	is(outcome(post($ledger, '[]', $key->('empty'))), '201 {"rows":0}', 'twice');
	is(post($ledger, '[{"n":"x"}]', $key->(q(it's \ "q")))->{status}, '501', 'a request that fails');
	is(outcome(post($ledger, '[{"n":4}]', $key->(q(it's \ "q")))), '200 {"rows":1}', 'leaves its key free');

	# two at once, and one more whose client does not wait
	$session->value('TRUNCATE waiting');
	my @both = map { send_post($ledger, '[{"n":2,"text":"slow"}]', $key->('both')) } 1 .. 2;
	wait_until(sub { backends(q(wait_event_type = 'Lock')) eq '1' && backends($sleeping) eq '1' }, 'one to wait for the other');
	my $impatient = send_post($ledger, '[{"n":2,"text":"slow"}]', $key->('both'));
	wait_until(sub { backends(q(wait_event_type = 'Lock')) eq '2' }, 'a third one to wait');
	close $impatient;
	wait_until(sub { backends(q(wait_event_type = 'Lock')) eq '1' }, 'the third one to give up');
	my @answers = map { read_answer($_) } @both;
	is(join(' ', map { outcome($_) } @answers), '200 {"rows":1} 200 {"rows":1}', 'two equal requests at once: the same answer');
	is(scalar(grep { $_->{fields}{'idempotent-replayed'} } @answers), 1, 'one of them replayed');
	is(count('waiting'), '1', 'the row is there once');

	# the first of two is killed: the second goes ahead
	$session->value('TRUNCATE waiting');
	@both = (send_post($ledger, '[{"n":1,"text":"slow"}]', $key->('killed')));
	wait_until(sub { backends($sleeping) eq '1' }, 'the first COMMIT');
	push @both, send_post($ledger, '[{"n":1,"text":"slow"}]', $key->('killed'));
	wait_until(sub { backends(q(wait_event_type = 'Lock')) eq '1' }, 'the second to wait');
	terminate($sleeping);
	is(join(' ', map { $_->{status} } map { read_answer($_) } @both), '501 200', 'the first one is killed before its COMMIT: the second writes');
	is(count('waiting'), '1', 'the row is there once');

	# the answer is lost after the COMMIT
	$session->value('TRUNCATE waiting');
	my $socket = send_post($ledger, '[{"n":1,"text":"slow"}]', $key->('lost'));
	wait_until(sub { backends($sleeping) eq '1' }, 'the COMMIT');
	close $socket;
	$again = post($ledger, '[{"n":1,"text":"slow"}]', $key->('lost'));
	is(outcome($again) . ' ' . ($again->{fields}{'idempotent-replayed'} // ''), '200 {"rows":1} true', 'an answer that was lost is given again');
	is(count('waiting'), '1', 'the row is there once');
	is($entry->('lost'), '1', 'and so it stands in the ledger');
	$ledger->stop;

	# a wait that is too long
	my $hasty = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting', '--queue-timeout', '1', '--ledger-ttl', '1h');
	$socket = send_post($hasty, '[{"n":3,"text":"slow"}]', $key->('long'));
	wait_until(sub { backends($sleeping) eq '1' }, 'the COMMIT');
	my $late = post($hasty, '[{"n":3,"text":"slow"}]', $key->('long'));
	is("$late->{status} $late->{fields}{'retry-after'}", '503 1', 'a duplicate that waits for too long: 503');
	is(read_answer($socket)->{status}, '200', 'the first is answered');

	# keys grow old
	$session->value(q{UPDATE transferbench.request_ledger SET answered_at = now() - interval '61 min' WHERE key = 'one'});
	$session->value('TRUNCATE waiting');
	is(outcome(post($hasty, '[{"n":6}]', $key->('one'))), '200 {"rows":1}', 'a key that has expired is new, whatever its body was');
	is(count('waiting'), '1', 'and its row is written');
	$session->value(q{UPDATE transferbench.request_ledger SET answered_at = now() - interval '61 min' WHERE key <> 'one'});
	$hasty->stop;
	$hasty = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting', '--ledger-ttl', '1h');
	post($hasty, '[{"n":7}]', $key->('new'));
	wait_until(sub { $session->value('SELECT count(*) FROM transferbench.request_ledger') eq '2' }, 'the end of expired keys');
	is($session->value(q{SELECT string_agg(key, ' ' ORDER BY key) FROM transferbench.request_ledger}), 'new one', 'those that have expired are deleted');
	$hasty->stop;

	# a role without rights on it is told, and its keys are ignored
	$session->value('GRANT INSERT ON waiting TO writer');
	my $poor = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting', '-U', 'writer');
	ok(!$json->decode(request($poor, 'GET', '/info')->{body})->{idempotency}, 'a role without rights on the ledger: /info says that keys are ignored');
	$poor->stop;

	my ($status, $output, $errors) = run_loader('-d', $node->connstr('postgres'), '--drop-ledger');
	is("$status $output", '0 ', '--drop-ledger ends well');
	is($session->value(q{SELECT to_regnamespace('transferbench') IS NULL}), 't', 'and leaves nothing');
	($status) = run_loader('-d', $node->connstr('postgres'), '--drop-ledger');
	is($status, 0, 'twice does no harm');
	$session->value('CREATE SCHEMA transferbench; CREATE TABLE transferbench.request_ledger (key text)');
	($status, $output, $errors) = run_loader('-d', $node->connstr('postgres'), '--drop-ledger');
	is($status, 1, 'a table of somebody else is not dropped');
	like($errors, qr/does not carry our comment/, 'and why');
	$session->value('DROP SCHEMA transferbench CASCADE');
}

# --- memory ----------------------------------------------------------------------------------------------------

{
	my $endpoint = start_endpoint($node, '--table', 'numbers', '--save-table', 'bench', '--max-body-bytes', '0');
	my $piece = join ',', map { '{"i8":' . $_ * 92233720368547 . ',"t":"' . $_ . '\u00e9' . 'x' x 150 . '","ia":[1,2,3]}' } 1 .. 10_000;
	my %peak;
	$session->value('TRUNCATE bench');
	for my $pieces (1, 50)
	{
		my $socket = connect_to($endpoint);
		print $socket head('POST', '/save_to_db', 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close'), chunk('[');
		print $socket chunk($_ > 1 ? ",$piece" : $piece) for 1 .. $pieces;
		print $socket chunk(']'), "0\r\n\r\n";
		is(outcome(read_answer($socket)), '200 {"rows":' . $pieces * 10_000 . '}', $pieces * length($piece) . ' bytes');
		$peak{$pieces} = peak_memory($endpoint->pid);
	}
	my $answer = post($endpoint, '[{"t":"' . 'x' x (17 << 20) . '"}]');
	like("$answer->{status} $answer->{detail}", qr/^413 .*16777216/, 'one row that is longer than any may be: 413');
	cmp_ok(50 * length $piece, '>', 100_000_000, '100 MB');
	memory_within($peak{50} - $peak{1}, 4 << 20, 'memory does not grow with the body');
	$endpoint->stop;
}

# --- stop --------------------------------------------------------------------------------------------------------

{
	my $endpoint = start_endpoint($node, '--table', 'numbers', '--save-table', 'waiting');
	$session->value('TRUNCATE waiting');
	my $half = connect_to($endpoint);
	print $half post_head(8_000_000), '[{"n":1,"text":"' . 'x' x 300_000;
	my $slow = send_post($endpoint, '[{"n":1,"text":"slow"}]');
	wait_until(sub { backends($sleeping) eq '1' }, 'the COMMIT');
	is($endpoint->stop, 0, 'a stop with uploads under way: exit code 0');
	is(outcome(read_answer($slow)), '200 {"rows":1}', 'who could be served was served');
	is(read_answer($half)->{status}, 'none', 'who has not sent all was cut');
	wait_until(sub { backends('true') eq '0' }, 'the end of its backends');
	is(count('waiting'), '1', 'and nothing of that is there');
}
is($server->stop, 0, 'a stop at rest: exit code 0');

# --- command line --------------------------------------------------------------------------------------------------

my @connection = ('-d', $node->connstr('postgres'), '--port', '0', '--table', 'numbers');
for my $case (
	[ 'both read-only and a table to write to', qr/exclude each other/,      '--read-only', '--save-table', 'x' ],
	[ 'both read-only and a ledger',            qr/exclude each other/,      '--read-only', '--create-ledger' ],
	[ 'a time with another unit',               qr/--ledger-ttl: invalid value "3y"/, '--ledger-ttl', '3y' ],
	[ 'no time at all',                         qr/--ledger-ttl: invalid value "0"/, '--ledger-ttl', '0' ],
	[ 'a limit below zero',                     qr/--max-body-bytes/,        '--max-body-bytes', '-1' ],
	[ 'no writers',                             qr/--write-connections/,     '--write-connections', '0' ],
	[ 'no such file',                           qr/--token-file/,            @connection, '--token-file', "$scratch/nope" ],
	[ 'a name that is none',                    qr/--save-table "a\.b\.c\.d"/, @connection, '--save-table', 'a.b.c.d' ])
{
	my ($name, $message, @arguments) = @$case;
	my ($status, $output, $errors) = run_loader(@arguments);
	is("$status $output", '1 ', "$name: exit code 1");
	like($errors, $message, "$name: the message");
}

# --- nothing to be read --------------------------------------------------------------------------------------

{
	my $node2 = start_node('write_only', extension => 0);
	my $session2 = TransferBench::Session->new($node2);
	my $endpoint = start_endpoint($node2, '--save-table', 'only_written');

	$session2->value('CREATE TABLE only_written (id int)');
	is(post($endpoint, '[{"id":1},{"id":2}]')->{status}, 200, '--save-table where there is no default table: POST');
	my ($head, $body) = $endpoint->get('/load_from_db');
	like("$head$body", qr/^HTTP\/1\.1 404 .*nothing is read here/s, 'GET says that nothing is read');
	($head, $body) = $endpoint->get('/info');
	is(JSON::PP->new->decode($body)->{columns}, undef, '/info has no columns');
	like(($endpoint->get('/health'))[1], qr/"status":"ok"/, '/health');
	is($endpoint->stop, 0, 'it ends well');
	$node2->stop;
}

done_testing();
